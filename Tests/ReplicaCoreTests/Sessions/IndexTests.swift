import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import ReplicaCore

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

        // Two that are in use leave no room for a third: its query is served without one that stays.
        _ = replica.ask(.listen(id: 2, path: "b", query: best))
        _ = replica.ask(.listen(id: 3, path: "c", query: best))
        let window: Value = ["k857": ["n": 999], "k714": ["n": 998]]
        #expect(
            replica.ask(.get(id: 4, path: "a", query: best)) == [.value(id: 4, value: window)])
        let status = replica.queryStatus()
        #expect(status.indexes.map(\.path) == ["/b", "/c"])
        #expect(status.unindexedQueries == 1)
    }

    @Test func `an idle index of a list makes room for another one of the same list`() throws {
        var replica = replica(lists: ["list"], indexByteLimit: 160_000)
        for order in ["n", ".value", "n/x"] {
            let all = Query()
            let ordered = try order == ".value" ? all.orderedByValue() : all.ordered(byChild: order)
            let query = try ordered.limited(toLast: 1)
            #expect(replica.ask(.get(id: 1, path: "list", query: query)).count == 1)
        }
        _ = replica.ask(.get(id: 2, path: "list", query: best))
        #expect(replica.queryStatus().unindexedQueries == 0)
        #expect(replica.queryStatus().indexBytes <= 160_000)
    }

    @Test func `indexes by invented orders stay in small numbers`() throws {
        var replica = replica(lists: ["list"])
        for number in 0..<100 {
            let query = try Query().ordered(byChild: "invented\(number)").limited(toLast: 1)
            _ = replica.ask(.get(id: 1, path: "list", query: query))
        }
        let lists = replica.replica.sessions.listens.lists
        #expect(lists.values.map(\.views.indexes.count) == [16])
    }

    @Test func `where indexes are demanded, a query without one is refused, and builds none`()
        throws
    {
        var lacking = replica(lists: ["list"], demandingIndexes: true)
        let get = lacking.ask(.get(id: 7, path: "list", query: best))
        guard case .error(id: 7, code: .invalid, let problem, _)? = get.first else {
            Issue.record("expected a refusal")
            return
        }
        #expect(problem.hasPrefix("Index not defined"))
        let listen = ClientMessage.listen(id: 7, path: "list", query: best)
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
