import DataTree
import ReplicaCore
import SyncProtocol
import Testing

@Suite struct DisconnectTests {
    private let client = SessionID(number: 1)

    @Test func `waiting writes are executed once, at the end of the connection`() {
        var cluster = TestCluster(2)
        cluster.send(.onDisconnect(id: 1, path: "here/a", value: false), to: "n1")
        cluster.send(
            .onDisconnectMerge(id: 2, path: "here", writes: [Write(path: "b", value: 2)]), to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 2)])
        #expect(cluster["n1"].value == .null)
        cluster.turn("n1", [.closed(client)])
        #expect(cluster["n2"].value == ["here": ["a": false, "b": 2]])
        cluster.send(.put(id: 1, path: "here", value: .null), by: 2, to: "n1")
        cluster.turn("n1", [.closed(client)])
        #expect(cluster["n1"].value == .null)
    }

    @Test func `a server timestamp is that of the end`() {
        var cluster = TestCluster(1)
        cluster.send(.onDisconnect(id: 1, path: "left", value: .deferred(.timestamp)), to: "n1")
        cluster.quiesce(milliseconds: 1_000)
        let before = cluster["n1"].value
        cluster.turn("n1", [.closed(client)])
        #expect(before == .null)
        // 3 s passed in the beginning, and one since.
        #expect(cluster["n1"].value == ["left": .integer(1_700_000_004_000)])
    }

    @Test func `cancelling a child leaves the other waiting writes`() {
        var cluster = TestCluster(1)
        cluster.send(.put(id: 1, path: "p", value: ["original": 1, "child": 1]), to: "n1")
        cluster.send(.onDisconnect(id: 2, path: "p", value: ["parent": 2, "child": 2]), to: "n1")
        cluster.send(.onDisconnect(id: 3, path: "p/child", value: 3), to: "n1")
        cluster.send(.onDisconnectCancel(id: 4, path: "p/child"), to: "n1")
        cluster.turn("n1", [.closed(client)])
        #expect(cluster["n1"].value == ["p": ["original": 1, "child": 1, "parent": 2]])
    }

    @Test func `cancelling above drops all that waits below`() {
        var cluster = TestCluster(1)
        cluster.send(.onDisconnect(id: 1, path: "p/a", value: 1), to: "n1")
        cluster.send(.onDisconnect(id: 2, path: "q", value: 2), to: "n1")
        cluster.send(.onDisconnectCancel(id: 3, path: "p"), to: "n1")
        cluster.turn("n1", [.closed(client)])
        #expect(cluster["n1"].value == ["q": 2])
    }

    @Test func `a client that is silent for long counts as gone, and one that pings does not`() {
        var cluster = TestCluster(1)
        cluster.send(.onDisconnect(id: 1, path: "a", value: 1), by: 1, to: "n1")
        cluster.send(.onDisconnect(id: 1, path: "b", value: 1), by: 2, to: "n1")
        for _ in 0..<20 {
            cluster.quiesce(milliseconds: 1_000)
            cluster.send(.ping(id: 2), by: 2, to: "n1")
        }
        #expect(cluster["n1"].value == ["a": 1])
        guard case .error(id: 0, code: .unavailable, _, _)? = cluster.takeReplies(of: 1).last
        else {
            Issue.record("expected that the silent client is told")
            return
        }
    }

    @Test func `more than a megabyte is refused, and replacing what waits frees its room`() {
        var cluster = TestCluster(1)
        let half = Value.string(String(repeating: "x", count: 600_000))
        for id in UInt64(1)...5 {
            cluster.send(.onDisconnect(id: id, path: "a", value: half), to: "n1")
        }
        #expect(cluster.takeReplies() == (1...5).map { .ok(id: $0) })
        cluster.send(.onDisconnect(id: 6, path: "b", value: half), to: "n1")
        guard case .error(id: 6, code: .tooBig, _, _)? = cluster.takeReplies().first else {
            Issue.record("expected a refusal")
            return
        }
        cluster.turn("n1", [.closed(client)])
        #expect(cluster["n1"].value == ["a": half])
    }

    @Test func `many connections that hold as much as they may leave room for small ones`() {
        var cluster = TestCluster(1)
        let sizes = [900_000, 90_000, 9_000]
        var refusals = 0
        for number in UInt64(1)...120 {
            for (id, size) in sizes.enumerated() {
                let value = Value.string(String(repeating: "x", count: size))
                cluster.send(
                    .onDisconnect(id: UInt64(id + 1), path: Path([Key(index: id)]), value: value),
                    by: number, to: "n1")
            }
            for case .error(_, code: .tooBig, let problem, _) in cluster.takeReplies(of: number) {
                refusals += 1
                #expect(problem.contains("of all connections") || problem.contains("1 MB at most"))
            }
        }
        #expect(refusals > 40)
        cluster.send(.onDisconnect(id: 9, path: "online", value: false), by: 121, to: "n1")
        #expect(cluster.takeReplies(of: 121) == [.ok(id: 9)])
        // What a connection holds already may be replaced by something smaller at any time.
        cluster.send(.onDisconnect(id: 9, path: "0", value: .string("y")), by: 1, to: "n1")
        #expect(cluster.takeReplies(of: 1) == [.ok(id: 9)])
    }

    @Test func `a value that no place may hold is refused when it is noted`() {
        var cluster = TestCluster(1)
        let long = Value.string(String(repeating: "x", count: 11 << 20))
        cluster.send(.onDisconnect(id: 1, path: "a", value: long), to: "n1")
        guard case .error(id: 1, code: .invalid, _, _)? = cluster.takeReplies().first else {
            Issue.record("expected a refusal")
            return
        }
    }

    @Test func `a clean stop executes the waiting writes`() {
        var replica = TestCluster(1)["n1"]
        let moment = Moment(wallMilliseconds: 1_700_000_009_000, elapsedMilliseconds: 9_000)
        _ = replica.step(.turnBegan(moment))
        let request = ClientMessage.onDisconnect(id: 1, path: "a", value: 1)
        _ = replica.step(.requested(request.frame, by: client))
        _ = replica.stop()
        #expect(replica.value == ["a": 1])
    }
}
