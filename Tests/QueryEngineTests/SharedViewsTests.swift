import DataTree
import Testing

@testable import QueryEngine

@Suite struct SharedViewsTests {
    private let value = list(1000)

    @Test func `a listener gets its window, and then only what happens in it`() throws {
        var views = SharedViews()
        let query = try Query().orderedByKey().limited(toLast: 2)
        #expect(views.add(query, over: value).children.keys.map(\.text) == ["998", "999"])

        var after = value
        #expect(views.apply(change(&after, "5/n", .integer(7)), to: after).isEmpty)
        let notices = views.apply(change(&after, "1000", .integer(1)), to: after)
        #expect(notices.map(\.query) == [query])
        #expect(notices[0].writes.map { "\($0.path) \($0.value)" } == ["/998 null", "/1000 1"])
    }

    @Test func `of a child that changes only the change is sent`() throws {
        var views = SharedViews()
        let query = try Query().ordered(byChild: "n").limited(toLast: 3)
        _ = views.add(query, over: value)
        var after = value
        let notices = views.apply(change(&after, "999/text", .string("x")), to: after)
        #expect(notices.flatMap(\.writes).map { "\($0.path) \($0.value)" } == ["/999/text \"x\""])
    }

    @Test func `equal queries share a view until their last listener leaves`() throws {
        var views = SharedViews()
        let query = try Query().ordered(byChild: "n").limited(toLast: 3)
        let other = try Query().ordered(byChild: "n").limited(toFirst: 3)
        let snapshot = views.add(query, over: value)
        #expect(views.add(query, over: value) == snapshot)
        _ = views.add(other, over: value)
        #expect(views.viewCount == 2)
        #expect(views.indexes.map(\.placeCount) == [1000])
        views.remove(query)
        views.remove(other)
        #expect(views.viewCount == 1)
        views.remove(query)
        #expect(views.viewCount == 0)
        #expect(views.indexes.map(\.placeCount) == [1000])
        views.dropUnusedIndexes()
        #expect(views.indexes.isEmpty)
    }

    @Test func `notices come in the order of the first requests for their queries`() throws {
        var views = SharedViews()
        var queries = try (0..<40).map { number in
            try Query().ordered(byChild: "n").starting(at: .integer(Int64(number)))
        }
        for query in queries { _ = views.add(query, over: value) }
        var after = value
        for step in 0..<30 {
            let removed = queries.remove(at: step * 7 % queries.count)
            views.remove(removed)
            if step.isMultiple(of: 3) {
                _ = views.add(removed, over: after)
                queries.append(removed)
            }
            let notices = views.apply(
                change(&after, "999/n", .integer(Int64(1000 + step))), to: after)
            #expect(notices.map(\.query) == queries)
            #expect(views.viewCount == queries.count)
        }
    }

    @Test func `bounds that differ at the end of a long text have different hashes`() throws {
        let start = String(repeating: "2026-11-26T12:00:", count: 3)
        let hashes = try (0..<1000).map { number in
            try Query().ordered(byChild: "at").starting(at: .string("\(start)\(number)")).hashValue
        }
        #expect(Set(hashes).count == 1000)
    }

    @Test func `a listener that joins later receives the present window`() throws {
        var views = SharedViews()
        let query = try Query().ordered(byChild: "n").starting(at: .integer(990))
            .limited(toFirst: 3)
        _ = views.add(query, over: value)
        var after = value
        _ = views.apply(change(&after, "991", .null), to: after)
        let keys = views.add(query, over: after).children.keys.map(\.text)
        #expect(keys == ["990", "992", "993"])
    }

    @Test func `a named index stays, others go with their last listener or when dropped`() throws {
        let named = ChildOrder.child(Path([Key(unchecked: "n")]))
        var views = SharedViews(indexedBy: [named])
        let byNumber = try Query().ordered(byChild: "n").limited(toFirst: 1)
        let byText = try Query().ordered(byChild: "text").limited(toFirst: 1)
        #expect(views.results(of: byNumber, over: value).value.children.map(\.key.text) == ["0"])
        #expect(views.results(of: byText, over: value).count == 1)
        #expect(views.indexes.count == 2)
        views.dropUnusedIndexes()
        #expect(views.indexes.map(\.order) == [named])
        #expect(views.indexes[0].byteCount > 64 * 1000)
    }

    @Test func `key order, and priority order without priorities, take no memory`() throws {
        var views = SharedViews()
        _ = views.add(try Query().orderedByKey().limited(toLast: 1), over: value)
        _ = views.add(try Query().limited(toLast: 1), over: value)
        #expect(views.indexes.map(\.byteCount) == [0, 0])
        var after = value
        _ = views.apply(change(&after, "5/.priority", .integer(1)), to: after)
        #expect(views.indexes.map(\.placeCount) == [0, 1000])
    }
}

private func list(_ count: Int) -> Value {
    var value = Value.null
    for number in 0..<count {
        let path = Path([Key(index: number), Key(unchecked: "n")])
        value.set(.integer(Int64(number)), at: path)
    }
    return value
}

private func change(_ value: inout Value, _ path: String, _ new: Value) -> [Change] {
    let old = value
    guard let path = try? Path(path) else { preconditionFailure("\(path) is no path") }
    value.set(new, at: path)
    var changes: [Change] = []
    Change.append(from: old, to: value, at: .root, into: &changes)
    return changes
}
