import Convergence
import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Writes that bring the stamp of their client. The retry window of the cluster is half a second.
@Suite struct StampedWriteTests {
    private let count = Universe.path("count")
    private let writer = WriterID(bits: 77)
    private let present: UInt64 = 1_700_000_003_000

    private func stamp(_ milliseconds: UInt64) -> Stamp {
        Stamp(time: HybridTime(milliseconds: milliseconds), writer: writer)
    }

    private func add(_ id: UInt64, _ stamp: Stamp) -> ClientMessage {
        .put(id: id, path: count, value: Universe.increment(1), stamp: stamp)
    }

    private func codes(_ replies: [NodeMessage]) -> [ErrorCode] {
        replies.compactMap { if case .error(_, let code, _, _) = $0 { code } else { nil } }
    }

    @Test func `an increment that is asked for at two nodes counts once everywhere`() {
        var cluster = TestCluster(3)
        cluster.cuts = [["n1", "n2"], ["n1", "n3"]]
        cluster.send(add(1, stamp(present)), by: 1, to: "n1")
        cluster.send(add(1, stamp(present)), by: 2, to: "n2")
        #expect(cluster.takeReplies(of: 1) == [.ok(id: 1)])
        #expect(cluster.takeReplies(of: 2) == [.ok(id: 1)])
        cluster.cuts = []
        cluster.quiesce()
        for name in cluster.names {
            #expect(cluster[name].value[count] == 1)
            #expect(cluster[name].vector.total == 2)
        }
    }

    @Test func `one that is asked for again is answered and not done alias, also after a restart`()
    {
        var cluster = TestCluster(1)
        cluster.checkpointBytes = 1
        cluster.start("n1")
        cluster.quiesce()
        let present = present + 3_000
        for _ in 0..<2 { cluster.send(add(1, stamp(present)), to: "n1") }
        cluster.quiesce()
        cluster.crash("n1")
        cluster.start("n1")
        cluster.quiesce()
        cluster.send(add(1, stamp(present)), to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 1), .ok(id: 1)])
        #expect(cluster["n1"].value[count] == 1)
        #expect(cluster["n1"].counters.repeated >= 1)
    }

    @Test func `one that changes nothing is not done later, at another node`() {
        var cluster = TestCluster(2)
        let priority = ClientMessage.put(
            id: 1, path: count.appending(.priority), value: 5, stamp: stamp(present))
        cluster.send(priority, by: 1, to: "n1")
        cluster.send(add(2, stamp(present + 1)), by: 1, to: "n1")
        cluster.quiesce(milliseconds: 50)
        cluster.send(priority, by: 2, to: "n2")
        cluster.quiesce()
        #expect(cluster.takeReplies(of: 1) == [.ok(id: 1), .ok(id: 2)])
        #expect(cluster.takeReplies(of: 2) == [.ok(id: 1)])
        for name in cluster.names { #expect(cluster[name].value[count] == 1) }
    }

    @Test func `an increment of a priority adds to the priority, at the node that stamps it`() {
        var cluster = TestCluster(2)
        let priority = count.appending(.priority)
        cluster.send(.put(id: 1, path: count, value: Value.integer(5).prioritized(7)), to: "n1")
        cluster.send(
            .put(id: 2, path: priority, value: .deferred(.increment(.integer(2)))), to: "n1")
        cluster.quiesce()
        for name in cluster.names {
            #expect(cluster[name].value[count] == Value.integer(5).prioritized(9))
        }
    }

    /// Two nodes with a location that has no value, as the write that emptied it is older than its priority, and than that of
    /// the location above.
    private func clusterWithHiddenPriorities() -> TestCluster {
        var cluster = TestCluster(2)
        let (above, location) = (Universe.path("a"), Universe.path("a/b"))
        for (client, (path, value, time)) in [
            (location.appending("x"), 5, present), (above.appending(.priority), 7, present + 2),
            (location.appending(.priority), 8, present + 2),
            (location.appending("x"), .null, present + 1),
        ].enumerated() as EnumeratedSequence<[(Path, Value, UInt64)]> {
            let message = ClientMessage.put(id: 1, path: path, value: value, stamp: stamp(time))
            cluster.send(message, by: UInt64(client), to: "n1")
            cluster.quiesce(milliseconds: 50)
        }
        for name in cluster.names { #expect(cluster[name].value == .null) }
        return cluster
    }

    @Test func `a priority that is newer than the end of its value does not show with the next`() {
        var cluster = clusterWithHiddenPriorities()
        cluster.send(.put(id: 4, path: Universe.path("a/b/y"), value: 1), to: "n2")
        cluster.quiesce()
        for name in cluster.names { #expect(cluster[name].value == ["a": ["b": ["y": 1]]]) }
    }

    @Test func `the next value may come with a priority`() {
        var cluster = clusterWithHiddenPriorities()
        let location = Universe.path("a/b")
        let writes = [
            Write(path: "y", value: 1), Write(path: Path([.priority]), value: 4),
        ]
        cluster.send(.merge(id: 4, path: location, writes: writes), to: "n2")
        cluster.quiesce()
        for name in cluster.names {
            #expect(cluster[name].value == ["a": ["b": (["y": 1] as Value).prioritized(4)]])
        }
    }

    @Test func `one that leaves a priority to the node is refused`() {
        var cluster = TestCluster(1)
        let sum = Value.deferred(.increment(.integer(1)))
        cluster.send(
            .put(id: 1, path: count.appending(.priority), value: sum, stamp: stamp(present)),
            to: "n1")
        #expect(codes(cluster.takeReplies()) == [.invalid])
    }

    @Test(arguments: [1, 2, 3])
    func `one from just before a restart is done right after it`(restarts: Int) {
        var cluster = TestCluster(3)
        for restart in 1...restarts {
            cluster.crash("n1")
            cluster.start("n1")
            cluster.quiesce(milliseconds: 50)
            let time = cluster["n1"].replication.clock.last.milliseconds
            cluster.send(add(2, stamp(time - 200 - UInt64(restart))), to: "n1")
            #expect(cluster.takeReplies() == [.ok(id: 2)])
        }
        #expect(cluster["n1"].value[count].number == .integer(Int64(restarts)))
    }

    @Test func `no incarnation makes operations that an earlier one has announced as closed`() {
        var cluster = TestCluster(3)
        cluster.quiesce()
        for step in 0..<40 {
            if step == 20 { cluster.setBack(milliseconds: 60_000) }
            cluster.quiesce(milliseconds: 50 + 37 * UInt64(step))
            let announced = cluster["n2"].replication.peers.all
                .first { $0.member == "n1" }?.heartbeat?.closedTimestamp
            cluster.crash("n1")
            cluster.start("n1")
            cluster.turn("n1", [])
            #expect(cluster["n1"].replication.closedTimestamp.time >= announced ?? .zero)
        }
    }

    @Test func `an old stamp is refused for good once nobody can have used it, and not before`() {
        var cluster = TestCluster(3)
        cluster.stop("n3")
        cluster.quiesce(milliseconds: 2_000)
        cluster.send(add(1, stamp(present + 500)), to: "n1")
        #expect(codes(cluster.takeReplies()) == [.undecided])
        cluster.start("n3")
        cluster.quiesce()
        cluster.send(add(2, stamp(present + 500)), to: "n1")
        #expect(codes(cluster.takeReplies()) == [.late])
        #expect(cluster["n1"].value[count].isNull)
    }

    @Test func `a transaction behind a refused stamp is known as little as that`() {
        var cluster = TestCluster(3)
        let transaction = ClientMessage.put(
            id: 2, path: count, value: 1,
            condition: Condition(DataHash(of: .null), patienceMilliseconds: 1_000),
            stamp: stamp(present + 600))
        cluster.stop("n3")
        cluster.quiesce(milliseconds: 2_000)
        cluster.send(add(1, stamp(present + 500)), to: "n1")
        cluster.send(transaction, to: "n1")
        #expect(codes(cluster.takeReplies()) == [.undecided, .undecided])
        cluster.start("n3")
        cluster.quiesce()
        // The first refusal since the hello counts, before which nothing was in doubt.
        cluster.send(add(4, stamp(present + 510)), to: "n1")
        cluster.send(transaction, to: "n1")
        #expect(codes(cluster.takeReplies()) == [.late, .undecided])
        cluster.send(.hello(id: 3, seen: VersionVector()), to: "n1")
        cluster.send(add(1, stamp(present + 500)), to: "n1")
        cluster.send(transaction, to: "n1")
        #expect(codes(cluster.takeReplies()) == [.late, .late])
    }

    @Test func `an old stamp is refused for good also where all clocks have gone back by an hour`()
    {
        var cluster = TestCluster(3)
        cluster.setBack(milliseconds: 3_600_000)
        cluster.quiesce()
        cluster.send(add(1, stamp(present - 100)), to: "n1")
        #expect(codes(cluster.takeReplies()) == [.late])
        cluster.send(.hello(id: 2, seen: VersionVector()), to: "n1")
        cluster.send(add(3, stamp(present + 100)), to: "n1")
        #expect(cluster.takeReplies().contains(.ok(id: 3)))
    }

    @Test func `behind a stamp that was refused none is taken before the next hello`() {
        var cluster = TestCluster(2)
        cluster.send(add(1, stamp(present - 2_000)), to: "n1")
        cluster.send(add(2, stamp(present)), to: "n1")
        #expect(codes(cluster.takeReplies()).count == 2)
        cluster.send(.hello(id: 3, seen: VersionVector()), to: "n1")
        cluster.send(add(4, stamp(present)), to: "n1")
        #expect(cluster.takeReplies().contains(.ok(id: 4)))
        #expect(cluster["n1"].value[count] == 1)
    }

    @Test func `a stamp far ahead of the clock is refused, and moves no clock`() {
        var cluster = TestCluster(2)
        cluster.send(add(1, stamp(present + 3_600_000)), to: "n1")
        #expect(codes(cluster.takeReplies()) == [.undecided])
        cluster.send(.hello(id: 2, seen: VersionVector()), to: "n1")
        guard case .ready(_, _, _, let time, _) = cluster.takeReplies().first else {
            Issue.record("no answer to hello")
            return
        }
        #expect(time.milliseconds < present + 1_000)
    }

    @Test func `a stamp in the name of a node is refused`() {
        var cluster = TestCluster(2)
        cluster.quiesce()
        for name in cluster.names {
            let time = HybridTime(milliseconds: present + 5_000)
            let stolen = Stamp(time: time, writer: cluster[name].writer)
            cluster.send(add(1, stolen), to: "n1")
            #expect(codes(cluster.takeReplies()) == [.invalid])
        }
    }

    @Test func `a stamped write with a timestamp for the node is refused`() {
        var cluster = TestCluster(1)
        cluster.send(
            .put(id: 1, path: count, value: .deferred(.timestamp), stamp: stamp(present)), to: "n1")
        #expect(codes(cluster.takeReplies()) == [.invalid])
    }

    @Test func `server timestamps of a write with a stamp are of its time, at whatever node`() {
        var cluster = TestCluster(2)
        cluster.cuts = [["n1", "n2"], ["n2", "n1"]]
        let put = ClientMessage.put(
            id: 1, path: count, value: ["at": .deferred(.timestamp)], stamp: stamp(present),
            now: present - 100)
        cluster.send(put, by: 1, to: "n1")
        cluster.quiesce(milliseconds: 200)
        cluster.send(put, by: 2, to: "n2")
        #expect(cluster.takeReplies(of: 1) == [.ok(id: 1)])
        #expect(cluster.takeReplies(of: 2) == [.ok(id: 1)])
        #expect(cluster["n1"].value[count] == ["at": .integer(Int64(present) - 100)])
        #expect(cluster["n2"].value == cluster["n1"].value)
    }

    /// The clock shows `present`, and the retry window has half a second.
    @Test(arguments: [(0, true), (1, false), (-1_500, true), (-1_501, false), (60_000, false)])
    func `a time ahead of the node's clock or older than the retry window is refused`(
        lead: Int, isTaken: Bool
    ) {
        var cluster = TestCluster(1)
        let time = UInt64(Int(present) + lead)
        cluster.send(
            .put(
                id: 1, path: count, value: .deferred(.timestamp), stamp: stamp(present), now: time),
            to: "n1")
        // The client sends the next write too early, and none overtakes the first one.
        cluster.send(add(2, stamp(present + 1)), to: "n1")
        #expect(codes(cluster.takeReplies()) == (isTaken ? [] : [.undecided, .undecided]))
        #expect(cluster["n1"].value.isNull != isTaken)
    }

    @Test func `a write that is done is answered, however old its time is`() {
        var cluster = TestCluster(1)
        let put = ClientMessage.put(
            id: 1, path: count, value: .deferred(.timestamp), stamp: stamp(present), now: present)
        cluster.send(put, to: "n1")
        cluster.quiesce(milliseconds: 3_000)
        cluster.send(put, to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 1)])
    }

    @Test func `a client that comes with more than a node holds is served once it has it`() {
        var cluster = TestCluster(2)
        cluster.cuts = [["n1", "n2"], ["n2", "n1"]]
        cluster.send(.hello(id: 1, seen: VersionVector()), to: "n1")
        cluster.send(add(2, stamp(present)), to: "n1")
        guard case .seen(let time, let seen) = cluster.takeReplies().last else {
            Issue.record("nothing is told of what is seen")
            return
        }
        #expect(time >= stamp(present).time && seen.total == 1)
        cluster.send(.hello(id: 1, seen: seen), by: 2, to: "n2")
        #expect(cluster.takeReplies(of: 2) == [])
        cluster.cuts = []
        cluster.quiesce(milliseconds: 500)
        guard case .ready = cluster.takeReplies(of: 2).first else {
            Issue.record("not served")
            return
        }
    }

    @Test func `a client that comes with more than a node gets is told so`() {
        var cluster = TestCluster(2)
        var seen = VersionVector()
        seen[WriterID(bits: 5)] = 1
        cluster.send(.hello(id: 1, seen: seen), to: "n1")
        cluster.quiesce(milliseconds: 1_000)
        #expect(codes(cluster.takeReplies()) == [.behind])
    }

    @Test func `frames tell only what has advanced since the last one`() {
        var cluster = TestCluster(2)
        cluster.send(.hello(id: 1, seen: VersionVector()), to: "n1")
        cluster.send(.put(id: 2, path: count, value: 1), by: 9, to: "n2")
        cluster.send(.get(id: 3, path: count), to: "n1")
        cluster.send(.get(id: 4, path: count), to: "n1")
        let told = cluster.takeReplies().compactMap { message -> VersionVector? in
            if case .seen(_, let holds) = message { holds } else { nil }
        }
        #expect(told.map(\.total) == [1])
    }
}
