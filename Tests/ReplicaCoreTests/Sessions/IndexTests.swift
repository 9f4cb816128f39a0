import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol
import Testing

@Suite struct IndexTests {
    private let best: Query

    init() throws { best = try Query().ordered(byChild: "n").limited(toLast: 2) }

    private func replica(
        lists: [Path], indexing rules: IndexRules = IndexRules(), indexByteLimit: Int = 1 << 20,
        demandingIndexes: Bool = false
    ) -> TestReplica {
        var replica = TestReplica(
            indexing: rules, indexByteLimit: indexByteLimit, demandingIndexes: demandingIndexes)
        for list in lists {
            var children = Children()
            for number in 0..<1_000 {
                children[Key(unchecked: "k\(number)")] = ["n": .integer(Int64(number * 7 % 1_000))]
            }
            _ = replica.ask(.put(id: 1, path: list, value: Value(children)))
        }
        return replica
    }

    @Test func `a get by an order keeps an index, which follows writes, until it is idle`() {
        var replica = replica(lists: ["list"])
        _ = replica.ask(.get(id: 1, path: "list", query: best))
        #expect(replica.queryStatus().indexBytes == 77_000)
        _ = replica.ask(.put(id: 2, path: "list/new", value: ["n": 5_000]))
        let shown: Value = ["k857": ["n": 999], "new": ["n": 5_000]]
        #expect(
            replica.ask(.get(id: 3, path: "list", query: best)) == [.value(id: 3, value: shown)])
        #expect(replica.queryStatus(after: 200_000).indexBytes == 77_077)
        #expect(replica.queryStatus(after: 200_000).indexBytes == 0)
        #expect(replica.queryStatus().lists == 0)
    }

    @Test func `an index that listeners need stays, and status names it`() throws {
        var replica = replica(lists: ["list"])
        _ = replica.ask(.listen(id: 7, path: "list", query: best))
        let status = replica.queryStatus(after: 900_000)
        #expect(status.views == 1)
        let index = try #require(status.indexes.first)
        #expect(index.path == "/list")
        #expect(index.orders == "n (1000)")
        _ = replica.ask(.unlisten(id: 8, listen: 7))
        #expect(replica.queryStatus(after: 900_000).lists == 0)
    }

    @Test func `an index that the configuration names is built at the start and stays`() throws {
        let rules = try IndexRules(["$any": ["n"], "other": [".value"]])
        var replica = replica(lists: ["list"], indexing: rules)
        _ = replica.ask(.get(id: 1, path: "list", query: best))
        #expect(replica.queryStatus(after: 900_000).indexBytes == 77_000)
    }

    @Test func `the index that was idle for longest makes room, and one in use does not`() {
        var replica = replica(lists: ["a", "b", "c"], indexByteLimit: 160_000)
        for path in ["a", "b", "c"] as [Path] {
            let told = replica.ask(.get(id: 1, path: path, query: best))
            #expect(told.count == 1)
        }
        let kept = replica.queryStatus().indexes.map(\.path)
        #expect(kept == ["/b", "/c"])

        _ = replica.ask(.listen(id: 2, path: "b", query: best))
        _ = replica.ask(.listen(id: 3, path: "c", query: best))
        guard
            case .error(id: 4, code: .tooBig, let problem, let fix)? = replica.ask(
                .get(id: 4, path: "a", query: best)
            ).first
        else {
            Issue.record("expected a refusal")
            return
        }
        #expect(problem == "the index by n of /a needs 1 MB, and 1 of 1 MB are in use")
        #expect(fix.contains("indexMegabytes"))
    }

    @Test
    func `where indexes are demanded, a listen without one is told so first, and shows its window`()
    {
        var replica = replica(lists: ["list"], demandingIndexes: true)
        let window: Value = ["k857": ["n": 999], "k714": ["n": 998]]
        let first = NodeMessage.change(listen: 7, writes: [Write(path: .root, value: window)])
        #expect(
            replica.ask(.listen(id: 7, path: "list", query: best))
                == [.unindexed(listen: 7), .ok(id: 7), first])
        // What comes in is told with what goes.
        let writes = [Write(path: "k714", value: .null), Write(path: "new", value: ["n": 5_000])]
        #expect(
            replica.ask(.put(id: 8, path: "list/new", value: ["n": 5_000]))
                == [.change(listen: 7, writes: writes), .ok(id: 8)])
    }

    @Test func `a listen that demands an index is refused without one, and builds none`() throws {
        var lacking = replica(lists: ["list"], demandingIndexes: true)
        let listen = ClientMessage.listen(id: 7, path: "list", query: best, demandsIndex: true)
        let get = lacking.ask(.get(id: 7, path: "list", query: best))
        #expect(lacking.ask(listen) == get)
        #expect(lacking.queryStatus().lists == 0)
        let rules = try IndexRules(["list": ["n"]])
        for var served in [
            replica(lists: ["list"]),
            replica(lists: ["list"], indexing: rules, demandingIndexes: true),
        ] {
            #expect(served.ask(listen).first == .ok(id: 7))
        }
    }

    @Test func `rules that are no paths are refused`() {
        #expect(throws: DataError.self) { try IndexRules(["a.b": ["n"]]) }
        #expect(throws: DataError.self) { try IndexRules(["a": [""]]) }
        #expect(throws: DataError.self) { try IndexRules(["a": ["x.y"]]) }
    }
}
