import DataTree
import Testing

@testable import QueryEngine

@Suite struct CachedViewTests {
    @Test func `the first value makes an added event for each child, in order, then a value event`()
        throws
    {
        var view = CachedView(for: .all)
        let value = try object(("b", .integer(2)), ("10", .integer(3)), ("9", .integer(1)))
        let events = view.set(value)
        #expect(
            events == [
                ViewEvent(.childAdded, key("9"), .integer(1)),
                ViewEvent(.childAdded, key("10"), after: key("9"), .integer(3)),
                ViewEvent(.childAdded, key("b"), after: key("10"), .integer(2)),
                ViewEvent(.value, nil, value),
            ])
    }

    @Test func `an empty location makes one value event`() {
        var view = CachedView(for: .all)
        #expect(view.set(.null) == [ViewEvent(.value, nil, .null)])
        #expect(view.set(.null) == [])
    }

    @Test func `a repeated value makes events only for differences`() throws {
        var view = CachedView(for: .all)
        _ = view.set(try object(("a", .integer(1)), ("b", .integer(2)), ("c", .integer(3))))
        let after = try object(("b", .integer(5)), ("c", .integer(3)), ("d", .integer(4)))
        #expect(
            view.set(after) == [
                ViewEvent(.childRemoved, key("a"), .integer(1)),
                ViewEvent(.childAdded, key("d"), after: key("c"), .integer(4)),
                ViewEvent(.childChanged, key("b"), .integer(5)),
                ViewEvent(.value, nil, after),
            ])
    }

    @Test func `another priority moves a child, and says so before it says changed`() throws {
        var view = CachedView(for: .children)
        _ = view.set(try object(("a", .integer(1)), ("b", .integer(2))))
        let moved = Value.integer(1).prioritized(.integer(7))
        #expect(
            view.apply(writing: [(try Path("a/.priority"), .integer(7))]) == [
                ViewEvent(.childMoved, key("a"), after: key("b"), moved),
                ViewEvent(.childChanged, key("a"), after: key("b"), moved),
            ])
    }

    @Test func `a write of the present value makes no event`() throws {
        var view = CachedView(for: .all)
        _ = view.set(try object(("a", .integer(1))))
        #expect(view.apply(writing: [(try Path("a"), .integer(1))]) == [])
        #expect(view.apply(writing: [(try Path("b/c"), .null)]) == [])
        #expect(view.apply(writing: [(try Path("b/.priority"), .integer(1))]) == [])
    }

    @Test func `the priority of the location itself makes a value event`() throws {
        var view = CachedView(for: .all)
        let value = try object(("a", .integer(1)))
        _ = view.set(value)
        let events = view.apply(writing: [(try Path(".priority"), .integer(1))])
        #expect(events == [ViewEvent(.value, nil, value.prioritized(.integer(1)))])
    }

    @Test func `an object that is emptied and filled by one operation keeps its priority`() throws {
        var view = CachedView(for: .value)
        let before = try object(("x", .integer(1))).prioritized(.integer(5))
        _ = view.set(try object(("a", before)))
        _ = view.apply([
            Change(path: try Path("a/x"), old: .integer(1), new: .null),
            Change(path: try Path("a/y"), old: .null, new: .integer(2)),
        ])
        #expect(view.cache[try Path("a/.priority")] == .integer(5))
    }

    @Test func `a primitive that gives way to a child which goes again makes a value event`() {
        var view = CachedView(for: .all)
        _ = view.set(.integer(1))
        let events = view.apply(writing: [
            (Path([key("a"), key("x")]), .integer(1)), (Path([key("a")]), .null),
        ])
        #expect(events == [ViewEvent(.value, nil, .null)])
    }

    @Test func `events that are not wanted are not made`() throws {
        var view = CachedView(for: .value)
        #expect(view.set(try object(("a", .integer(1)))).map(\.kind) == [.value])
        var children = CachedView(for: .children)
        #expect(children.set(try object(("a", .integer(1)))).map(\.kind) == [.childAdded])
    }

    @Test func `a listener that inserts at the positions it is told keeps the order`() {
        var lists = RandomLists(seed: 99)
        var view = CachedView(for: .all)
        _ = view.set(.null)
        var keys: [Key] = []
        for _ in 0..<3000 {
            // One child at a time: with several, Firebase's order (rule E1) positions what is added
            // next to what has yet to move.
            let write = lists.operation()[0]
            if write.path.isRoot { continue }
            for event in view.apply(writing: [write]) {
                guard let key = event.key else { continue }
                if event.kind == .childRemoved || event.kind == .childMoved {
                    keys.removeAll { $0 == key }
                }
                guard event.kind == .childAdded || event.kind == .childMoved else { continue }
                let position = event.previousChildKey.flatMap { keys.firstIndex(of: $0) }
                keys.insert(key, at: position.map { $0 + 1 } ?? 0)
            }
            let expected = view.cache.children
                .map { ChildOrder.priority.position(of: $0.key, $0.value) }.sorted().map(\.key)
            #expect(keys == expected)
            if keys != expected { return }
        }
    }

    @Test func `an append to a long list stays cheap`() throws {
        var view = CachedView(for: .children)
        var children = Children()
        for index in 0..<100_000 { children[Key(unchecked: "k\(index)")] = .integer(1) }
        _ = view.set(.object(children))
        let clock = ContinuousClock()
        let time = clock.measure {
            for index in 0..<1000 {
                let path = Path([Key(unchecked: "m\(index)")])
                #expect(view.apply(writing: [(path, .integer(1))]).count == 1)
            }
        }
        // A scan of the list would take a hundred times as long.
        #expect(time < .seconds(1))
    }
}

private func key(_ text: String) -> Key { Key(unchecked: text) }

private func object(_ members: (String, Value)...) throws -> Value {
    var children = Children()
    for (name, value) in members { children[try Key(name)] = value }
    return Value(children)
}
