import DataTree
import Store
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Requests that were accepted before the disk was found to take no writes.
@Suite struct WithheldAnswersTests {
    private static let (problem, fix) = ("the disk is full", "make room")
    private let place = Universe.path("a")

    private func unknown(_ id: UInt64) -> NodeMessage {
        .error(
            id: id, code: .undecided, problem: "the disk is full; the write may still take effect",
            fix: "read the location before you write again")
    }

    private func refused(_ id: UInt64) -> NodeMessage {
        .error(id: id, code: .unavailable, problem: Self.problem, fix: Self.fix)
    }

    /// A cluster whose first node has accepted requests that its disk does not store.
    private func cluster(
        accepting messages: [ClientMessage], after first: [ClientMessage] = []
    ) -> TestCluster {
        var cluster = TestCluster(2)
        for message in first { cluster.send(message, to: "n1") }
        _ = cluster.takeReplies()
        cluster.stuckDisks = ["n1"]
        for message in messages { cluster.send(message, to: "n1") }
        cluster.turn("n1", [.storageFailed(problem: Self.problem, fix: Self.fix)])
        return cluster
    }

    @Test func `are answered after two seconds, and done once the disk works`() {
        var cluster = cluster(accepting: [
            .put(id: 1, path: place, value: 1), .get(id: 2, path: place),
            .put(id: 3, path: Universe.path("b"), value: 3, concern: .majority),
        ])
        cluster.quiesce(milliseconds: 1_900)
        #expect(cluster.takeReplies().isEmpty)
        cluster.quiesce(milliseconds: 500)
        #expect(cluster.takeReplies() == [unknown(1), refused(2), unknown(3)])

        cluster.stuckDisks = []
        cluster.turn("n1", [.storageWorks])
        cluster.syncDisks()
        cluster.quiesce(milliseconds: 4_000)
        #expect(cluster.takeReplies().isEmpty, "each request gets one answer")
        #expect(cluster["n1"].value == ["a": 1, "b": 3])
        #expect(cluster["n2"].value == ["a": 1, "b": 3])
    }

    @Test func `send a client that said hello to another node first`() {
        var cluster = cluster(
            accepting: [.put(id: 2, path: place, value: 1)],
            after: [.hello(id: 1, seen: VersionVector())])
        cluster.quiesce(milliseconds: 2_400)
        #expect(cluster.takeReplies() == [refused(0), unknown(2)])
    }

    @Test func `leave a listen what it is to show`() {
        var cluster = cluster(
            accepting: [.put(id: 2, path: place, value: 1), .listen(id: 3, path: place)],
            after: [.listen(id: 1, path: place)])
        cluster.quiesce(milliseconds: 2_400)
        #expect(cluster.takeReplies() == [unknown(2)])
        cluster.stuckDisks = []
        cluster.turn("n1", [.storageWorks])
        cluster.syncDisks()
        let shown = [Write(path: .root, value: 1)]
        #expect(
            cluster.takeReplies() == [
                .change(listen: 1, writes: shown), .ok(id: 3), .change(listen: 3, writes: shown),
            ])
    }

    @Test func `are answered at once by a node that stops`() {
        var cluster = cluster(accepting: [.put(id: 1, path: place, value: 1)])
        cluster.stop("n1")
        #expect(cluster.takeReplies() == [unknown(1)])
    }

    @Test func `are answered for sessions of values, too`() {
        var cluster = TestCluster(1)
        cluster.stuckDisks = ["n1"]
        let session = SessionID(number: 1)
        cluster.turn(
            "n1",
            [
                .opened(session),
                .requestedMessages([.push(id: 1, path: place, value: 1)], by: session),
            ])
        cluster.turn("n1", [.storageFailed(problem: Self.problem, fix: Self.fix)])
        cluster.quiesce(milliseconds: 2_400)
        #expect(cluster.takeReplies() == [unknown(1)])
    }

    @Test func `leave other outputs of their turn as they are`() {
        var queue = TurnQueue(durability: .commit)
        let entry = LogEntry(origin: 1, first: 1, last: 1, bytes: [1])
        let mark = TurnQueue.Mark(
            vector: [1: 1], time: .zero, closedTimestamp: .zero, writers: [1])
        let frame = NodeMessage.ok(id: 7).frame
        _ = queue.end(
            batches: [entry], properties: [],
            outputs: [.reply(1, frame), .publish([9], .gathered)], mark: mark)
        let kept = queue.takeAnswers { _, _ in false }
        #expect(kept.isEmpty)
        let taken = queue.takeAnswers { _, _ in true }
        #expect(taken.map(\.message) == [.ok(id: 7)] && taken.map(\.session) == [1])
        #expect(queue.stored(1) == [.publish([9], .gathered)])
    }
}
