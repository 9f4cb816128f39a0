import DataTree
import QueryEngine
import Testing

@testable import ClientCore

struct SyncTreeTests {
    private let first = ListenID(number: 1)
    private let second = ListenID(number: 2)

    private func limited(_ count: Int) throws -> Query { try Query().limited(toFirst: count) }

    private func object(_ members: [String: Int64]) -> Value {
        var children = Children()
        for (name, number) in members { children[Key(unchecked: name)] = .integer(number) }
        return Value(children)
    }

    private func events(_ outputs: [SyncOutput]) -> [ViewEvent] {
        outputs.flatMap { output -> [ViewEvent] in
            if case .observed(let observed) = output { observed.events } else { [] }
        }
    }

    private func started(_ outputs: [SyncOutput]) -> [Path] {
        outputs.compactMap { if case .start(let listen) = $0 { listen.path } else { nil } }
    }

    private func stopped(_ outputs: [SyncOutput]) -> [Path] {
        outputs.compactMap { if case .stop(let listen) = $0 { listen.path } else { nil } }
    }

    @Test func `a wider listen replaces narrower ones, and they return when it ends`() throws {
        var tree = SyncTree()
        let narrow = tree.listen(first, at: path("a/b"), to: try limited(2))
        #expect(started(narrow) == [path("a/b")])
        let wide = tree.listen(second, at: path("a"), to: Query())
        #expect(started(wide) == [path("a")])
        #expect(stopped(wide) == [path("a/b")])
        let end = tree.unlisten(second)
        #expect(started(end) == [path("a/b")])
        #expect(stopped(end) == [path("a")])
    }

    @Test func `filtered listens have tags in order, even when another listen serves them`() throws
    {
        var tree = SyncTree()
        _ = tree.listen(ListenID(number: 0), at: .root, to: Query())
        for number: UInt64 in 1...3 {
            let id = ListenID(number: number)
            #expect(tree.listen(id, at: path("a"), to: try limited(Int(number))).isEmpty)
        }
        let outputs = tree.unlisten(ListenID(number: 0))
        let tags = outputs.compactMap { output in
            if case .start(let listen) = output { listen.tag?.number } else { nil }
        }
        #expect(tags == [1, 2, 3])
    }

    @Test func `a write shows at once, and goes when the server refuses it`() {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("a"), to: Query())
        #expect(events(tree.overwrite(path("a"), with: .integer(1))).map(\.data) == [.integer(1)])
        let (id, outputs) = tree.set(.integer(2), at: path("a"))
        #expect(events(outputs).map(\.data) == [.integer(2)])
        #expect(events(tree.revert(id)).map(\.data) == [.integer(1)])
        #expect(tree.revert(id).isEmpty)
    }

    @Test(arguments: [false, true], [false, true, nil])
    func `a primitive that came under a write below it shows once the write is answered`(
        isByPriority: Bool, otherIsByPriority: Bool?
    ) throws {
        let byPriority = try Query().orderedByPriority()
        var tree = SyncTree()
        if let other = otherIsByPriority.map({ $0 ? byPriority : Query() }) {
            _ = tree.listen(second, at: path("a"), to: other)
        }
        _ = tree.listen(first, at: path("a"), to: isByPriority ? byPriority : Query())
        _ = tree.overwrite(path("a"), with: object(["b": 1]))
        let (id, _) = tree.set(object(["d": 2]), at: path("a/c"))
        _ = tree.overwrite(path("a"), with: .boolean(false))
        #expect(events(tree.acknowledge(id)).last?.data == .boolean(false))
    }

    @Test(arguments: [false, true], [false, true])
    func `a removal below a primitive leaves it, once the write that it removes is answered`(
        isToldFirst: Bool, isReverted: Bool
    ) {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("a"), to: Query())
        let (id, _) = tree.set(object(["n": 0]), at: path("a/c"))
        _ = tree.set(.null, at: path("a/c"))
        if isToldFirst { _ = tree.overwrite(path("a"), with: object(["s": 1])) }
        _ = tree.overwrite(path("a"), with: .boolean(false))
        let outputs = isReverted ? tree.revert(id) : tree.acknowledge(id)
        #expect(events(outputs).last?.data == .boolean(false))
    }

    @Test(arguments: ["a", "a/c", "a/c/d"], [true, false])
    func `a refused write gives way to an earlier one that is unanswered`(
        place: String, isTold: Bool
    ) {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("a"), to: Query())
        if isTold { _ = tree.overwrite(path("a"), with: object(["b": 1])) }
        _ = tree.set(.integer(5), at: path("a"))
        let (id, outputs) = tree.set(.integer(6), at: path(place))
        #expect(events(outputs).last?.data != .integer(5))
        #expect(events(tree.revert(id)).last?.data == .integer(5))
        #expect(tree.shownValue(at: path("a"), to: Query()) == .integer(5))
    }

    @Test func `below a refused write, an earlier one of a part shows again`() {
        var tree = SyncTree()
        _ = tree.listen(first, at: .root, to: Query())
        _ = tree.overwrite(.root, with: object(["b": 1]))
        _ = tree.set(.integer(5), at: path("a/c"))
        let (id, _) = tree.set(.integer(6), at: path("a/c/d"))
        _ = tree.revert(id)
        #expect(
            tree.shownValue(at: .root, to: Query())
                == Value.object(["a": Value.object(["c": .integer(5)]), "b": .integer(1)]))
    }

    @Test func `server data stay hidden below a write until it is acknowledged`() {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("a"), to: Query())
        _ = tree.overwrite(path("a"), with: object(["b": 1]))
        let (id, _) = tree.set(.integer(5), at: path("a/b"))
        #expect(tree.overwrite(path("a/b"), with: .integer(6)).isEmpty)
        let outcome = events(tree.acknowledge(id))
        #expect(outcome.map(\.kind) == [.childChanged, .value])
        #expect(outcome.last?.data == object(["b": 6]))
    }

    @Test func `server data stay hidden below the removal of an absent value`() {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("a"), to: Query())
        _ = tree.overwrite(path("a"), with: object(["b": 1]))
        let (id, _) = tree.set(.null, at: path("a/c"))
        #expect(tree.overwrite(path("a/c"), with: .integer(6)).isEmpty)
        #expect(events(tree.acknowledge(id)).last?.data == object(["b": 1, "c": 6]))
    }

    @Test func `a child pushed out by a write follows when the write is refused`() throws {
        var tree = SyncTree()
        _ = tree.listen(first, at: .root, to: try limited(2))
        let tag = Tag(number: 1)
        _ = tree.overwrite(.root, with: object(["b": 1, "c": 1]), tag: tag)
        let (id, outputs) = tree.set(.integer(1), at: path("a"))
        #expect(events(outputs).map(\.kind) == [.childRemoved, .childAdded, .value])
        #expect(events(tree.revert(id)).last?.data == object(["b": 1, "c": 1]))
    }

    @Test func `an increment is shown on the known value, including waiting writes`() {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("n"), to: Query())
        _ = tree.overwrite(path("n"), with: .integer(1))
        let increment = Value.deferred(.increment(.integer(2)))
        _ = tree.set(increment, at: path("n"))
        let (_, outputs) = tree.set(increment, at: path("n"))
        #expect(events(outputs).map(\.data) == [.integer(5)])
    }

    @Test func `a hidden write is known, but not shown`() {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("n"), to: Query())
        let (id, outputs) = tree.set(.integer(1), at: path("n"), .hidden)
        #expect(outputs.isEmpty)
        #expect(tree.value(at: path("n")) == .integer(1))
        #expect(tree.value(at: path("n"), before: id) == nil)
    }

    @Test func `a listen whose cache is still good completes without data`() throws {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("a/b"), to: Query())
        _ = tree.overwrite(path("a/b"), with: .integer(1))
        let outputs = tree.listen(second, at: path("a"), to: Query())
        #expect(events(outputs).map(\.kind) == [.childAdded])
        let confirmed = tree.confirm(try #require(tree.serverListens.first))
        #expect(events(confirmed).map(\.data) == [object(["b": 1])])
    }

    @Test func `a query inside a wider listen completes without data`() throws {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("a"), to: try limited(1))
        _ = tree.overwrite(path("a"), with: object(["b": 1]), tag: Tag(number: 1))
        _ = tree.listen(ListenID(number: 3), at: .root, to: try limited(5))
        let all = object(["b": 1, "c": 2])
        _ = tree.overwrite(.root, with: Value.object(["a": all]), tag: Tag(number: 2))
        let wide = tree.listen(second, at: path("a"), to: Query())
        let listen = wide.compactMap { if case .start(let listen) = $0 { listen } else { nil } }[0]
        #expect(tree.heldValue(for: listen) == all)
        _ = tree.confirm(listen)
        _ = tree.overwrite(path("a/b"), with: .null)
        #expect(tree.shownValue(at: path("a"), to: try limited(1)) == object(["c": 2]))
    }

    @Test func `the end of a listen by the server ends its listeners`() throws {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("a"), to: Query())
        _ = tree.listen(second, at: path("a"), to: try limited(1))
        let wide = try #require(tree.serverListens.first)
        let (listens, outputs) = tree.end(wide)
        #expect(listens == [first])
        #expect(started(outputs) == [path("a")])
        #expect(tree.serverListens.map(\.tag?.number) == [1])
    }

    @Test func `an object keeps its priority while all its children are exchanged`() {
        var tree = SyncTree()
        _ = tree.listen(first, at: path("a"), to: Query())
        _ = tree.overwrite(path("a"), with: object(["b": 1]).prioritized(.integer(3)))
        let writes: [(path: Path, value: Value)] = [
            (path("b"), .null), (path("c"), .integer(1)),
        ]
        let expected = object(["c": 1]).prioritized(.integer(3))
        let (id, outputs) = tree.update(path("a"), with: writes)
        #expect(events(outputs).last?.data == expected)
        #expect(events(tree.merge(path("a"), with: writes)).isEmpty)
        #expect(tree.acknowledge(id).isEmpty)
        #expect(tree.value(at: path("a")) == expected)
    }
}
