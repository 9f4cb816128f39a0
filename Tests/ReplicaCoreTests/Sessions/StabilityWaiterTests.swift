import DataTree
import ReplicaCore
import SyncProtocol
import Testing

/// Clients that ask whether all is stable; nodes take writes here that are up to 500 ms old.
@Suite struct StabilityWaiterTests {
    private let place = Universe.path("a")

    private func refusal(_ replies: [NodeMessage]) -> (ErrorCode, String)? {
        guard case .error(_, let code, let problem, _)? = replies.first else { return nil }
        return (code, problem)
    }

    @Test func `a waiter is answered once all earlier writes have arrived`() {
        var cluster = TestCluster(3)
        cluster.send(.put(id: 1, path: place, value: 1), by: 2, to: "n2")
        cluster.send(.awaitStable(id: 1, milliseconds: 5_000), to: "n1")
        cluster.quiesce(milliseconds: 450)
        #expect(cluster.takeReplies().isEmpty)
        cluster.quiesce(milliseconds: 1_000)
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        #expect(cluster["n1"].value == ["a": 1])
    }

    @Test func `a node alone still waits until it takes no older writes`() {
        var cluster = TestCluster(1)
        cluster.send(.awaitStable(id: 1, milliseconds: 5_000), to: "n1")
        cluster.quiesce(milliseconds: 450)
        #expect(cluster.takeReplies().isEmpty)
        cluster.quiesce(milliseconds: 500)
        #expect(cluster.takeReplies() == [.ok(id: 1)])
    }

    @Test func `an unpublished write of another node delays it`() {
        var cluster = TestCluster(3)
        for other in ["n1", "n3"] { cluster.cuts.insert(["n2", other]) }
        cluster.send(.put(id: 1, path: place, value: 1), by: 2, to: "n2")
        cluster.send(.awaitStable(id: 1, milliseconds: 60_000), to: "n1")
        cluster.quiesce(milliseconds: 10_000)
        #expect(cluster.takeReplies().isEmpty)
        cluster.cuts = []
        cluster.quiesce()
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        #expect(cluster["n1"].value == ["a": 1])
    }

    @Test func `a waiter that times out learns the missing nodes`() {
        var cluster = TestCluster(3)
        cluster.crash("n3")
        cluster.send(.awaitStable(id: 1, milliseconds: 4_000), to: "n1")
        cluster.quiesce(milliseconds: 3_900)
        #expect(cluster.takeReplies().isEmpty)
        cluster.quiesce(milliseconds: 200)
        let (code, problem) = refusal(cluster.takeReplies()) ?? (.invalid, "")
        #expect(code == .notStable)
        #expect(problem.hasSuffix("at n1: it has no contact with n3"))
    }

    @Test func `a waiter with too little time learns the necessary time`() {
        var cluster = TestCluster(2)
        cluster.send(.awaitStable(id: 1, milliseconds: 100), to: "n1")
        cluster.quiesce(milliseconds: 200)
        let (code, problem) = refusal(cluster.takeReplies()) ?? (.invalid, "")
        #expect(code == .notStable)
        #expect(problem.hasSuffix("nodes accept writes with stamps up to 500 ms old"))
    }

    @Test func `no more wait than a bound, and none whose client is gone`() {
        var cluster = TestCluster(2)
        for id in 1...1_000 as ClosedRange<UInt64> {
            cluster.send(.awaitStable(id: id, milliseconds: 60_000), by: 1, to: "n1")
        }
        cluster.send(.awaitStable(id: 1, milliseconds: 60_000), by: 2, to: "n1")
        #expect(refusal(cluster.takeReplies(of: 2))?.0 == .tooBig)
        cluster.turn("n1", [.closed(SessionID(number: 1))])
        cluster.send(.awaitStable(id: 2, milliseconds: 60_000), by: 2, to: "n1")
        cluster.quiesce()
        #expect(cluster.takeReplies(of: 2) == [.ok(id: 2)])
        #expect(cluster.takeReplies(of: 1).isEmpty)
    }

    @Test func `a client that has missed changes receives them first`() {
        var cluster = TestCluster(2)
        cluster.send(.listen(id: 1, path: place), to: "n1")
        _ = cluster.takeReplies()
        cluster.turn("n1", [.backpressured(SessionID(number: 1))])
        cluster.send(.put(id: 1, path: place, value: 1), by: 2, to: "n2")
        cluster.send(.awaitStable(id: 2, milliseconds: 60_000), to: "n1")
        cluster.quiesce()
        #expect(cluster.takeReplies().isEmpty)
        cluster.turn("n1", [.writable(SessionID(number: 1))])
        cluster.quiesce(milliseconds: 100)
        let change = NodeMessage.change(listen: 1, writes: [Write(path: .root, value: 1)])
        #expect(cluster.takeReplies() == [change, .ok(id: 2)])
    }
}
