import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol
import Testing

@Suite struct ListenTests {
    let list: Path = "list"

    @Test func `a listener with equal data learns that nothing differs`() {
        var cluster = cluster(holding: ["a": 1, "b": 2])
        let held = HeldData(hash: DataHash(of: ["a": 1, "b": 2]))
        cluster.send(.listen(id: 9, path: list, held: held), by: 5, to: "n1")
        #expect(cluster.takeReplies(of: 5) == [.ok(id: 9), .change(listen: 9, writes: [])])
        cluster.send(.put(id: 2, path: "list/c", value: 3), to: "n1")
        #expect(
            cluster.takeReplies(of: 5) == [.change(listen: 9, writes: [Write(path: "c", value: 3)])]
        )
    }

    @Test func `a listener that holds something else gets the whole`() {
        var cluster = cluster(holding: ["a": 1])
        let held = HeldData(hash: DataHash(of: ["a": 2]))
        cluster.send(.listen(id: 9, path: list, held: held), by: 5, to: "n1")
        let whole = Write(path: .root, value: ["a": 1])
        #expect(cluster.takeReplies(of: 5) == [.ok(id: 9), .change(listen: 9, writes: [whole])])
    }

    @Test func `a listener that holds the double next to a whole number gets the number`() {
        let number = Value.integer(1 << 53 + 1)
        var cluster = cluster(holding: ["a": number])
        let held = HeldData(hash: DataHash(of: ["a": .double(0x1p53)]))
        cluster.send(.listen(id: 9, path: list, held: held), by: 5, to: "n1")
        let whole = Write(path: .root, value: ["a": number])
        #expect(cluster.takeReplies(of: 5) == [.ok(id: 9), .change(listen: 9, writes: [whole])])
    }

    @Test func `a listener that sends ranges receives the differing ones`() {
        var cluster = cluster(holding: ["a": 1, "b": 2, "c": 3, "d": 4])
        let old: Value = ["a": 1, "b": 5, "b2": 6, "c": 3]
        let held = HeldData(
            hash: DataHash(of: old), ranges: CompoundHash(of: old) { path, _ in path != "b" })
        cluster.send(.listen(id: 9, path: list, held: held), by: 5, to: "n1")
        let ranges = [
            ChangedRange(
                LeafRange(after: "a", through: "b2"), writes: [Write(path: "b", value: 2)]),
            ChangedRange(LeafRange(after: "c", through: nil), writes: [Write(path: "d", value: 4)]),
        ]
        #expect(cluster.takeReplies(of: 5) == [.ok(id: 9), .ranges(listen: 9, ranges: ranges)])
    }

    @Test func `a filtered listener receives its window, and then entering and leaving children`()
        throws
    {
        var cluster = cluster(holding: ["a": 1, "b": 2, "c": 3])
        let query = try Query().orderedByKey().limited(toLast: 2)
        cluster.send(.listen(id: 9, path: list, query: query), by: 5, to: "n1")
        let window = Write(path: .root, value: ["b": 2, "c": 3])
        #expect(cluster.takeReplies(of: 5) == [.ok(id: 9), .change(listen: 9, writes: [window])])

        cluster.send(.put(id: 2, path: "list/a", value: 7), to: "n1")
        #expect(cluster.takeReplies(of: 5).isEmpty)
        cluster.send(.put(id: 3, path: "list/d", value: 4), to: "n1")
        let moved = [Write(path: "b", value: .null), Write(path: "d", value: 4)]
        #expect(cluster.takeReplies(of: 5) == [.change(listen: 9, writes: moved)])

        cluster.send(.unlisten(id: 10, listen: 9), by: 5, to: "n1")
        cluster.send(.put(id: 4, path: "list/e", value: 5), to: "n1")
        #expect(cluster.takeReplies(of: 5) == [.ok(id: 10)])
    }

    @Test func `a filtered listener with an equal window learns that nothing differs`() throws {
        var cluster = cluster(holding: ["a": 1, "b": 2])
        let query = try Query().orderedByValue().limited(toFirst: 1)
        let held = HeldData(hash: DataHash(of: ["a": 1]))
        cluster.send(.listen(id: 9, path: list, query: query, held: held), by: 5, to: "n1")
        #expect(cluster.takeReplies(of: 5) == [.ok(id: 9), .change(listen: 9, writes: [])])
    }

    @Test func `a get with a query returns its window`() throws {
        var cluster = cluster(holding: ["a": ["n": 1], "b": ["n": 3], "c": ["n": 2]])
        let query = try Query().ordered(byChild: "n").starting(at: 2)
        cluster.send(.get(id: 9, path: list, query: query), by: 5, to: "n1")
        #expect(
            cluster.takeReplies(of: 5) == [.value(id: 9, value: ["b": ["n": 3], "c": ["n": 2]])])
    }

    private func cluster(holding value: Value) -> TestCluster {
        var cluster = TestCluster(1)
        cluster.send(.put(id: 1, path: list, value: value), to: "n1")
        _ = cluster.takeReplies()
        return cluster
    }
}
