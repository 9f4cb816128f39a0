import DataTree
import ReplicaCore
import SyncProtocol
import Testing

/// The evictions on which the stable time of a checkpoint rests: a node installs none that rests on an unknown one.
@Suite struct CheckpointEvictionsTests {
    private let list = Universe.path("list")
    private let count = Universe.path("count")

    /// Three nodes that make checkpoints often.
    private func cluster() -> TestCluster {
        var cluster = TestCluster(3, checkpointBytes: 500)
        for number in 1...150 {
            cluster.send(.push(id: UInt64(number + 1), path: list, value: 1), to: "n1")
        }
        cluster.quiesce()
        return cluster
    }

    @Test func `a member that does not know of its eviction gets no checkpoint that depends on it`()
    {
        var cluster = cluster()
        cluster.cuts = [["n1", "n3"], ["n2", "n3"], ["n3", "n1"], ["n3", "n2"]]
        cluster.send(.put(id: 1, path: count, value: Universe.increment(1)), to: "n3")
        cluster.send(.push(id: 2, path: list, value: 2), to: "n1")
        cluster.send(.evict(id: 3, member: "n3"), to: "n1")
        cluster.quiesce()
        cluster.cuts = []
        let compacted = PeerMessage.compacted(
            origin: cluster["n1"].writer, through: cluster["n1"].vector[cluster["n1"].writer])
        cluster.turn("n3", [.answered(compacted.frame, from: "n1")])
        #expect(!cluster.status(of: "n3").membership.isEvicted, "no heartbeat has arrived yet")
        #expect(cluster["n3"].counters.installed == 0)
        #expect(cluster.status(of: "n3").exchange.receivingCheckpointFrom == nil)
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n3"].counters.returns == 1)
        #expect(cluster["n3"].value == cluster["n1"].value)
        #expect(cluster["n3"].value[count] == 1)
    }

    @Test(
        arguments: [
            // A vote decides nothing yet, and no heartbeat teaches evictions of a node that is no member.
            ("n2", .wanted, true), ("n9", .out, true),
            ("n2", .out, false), ("n2", .back, false), ("n3", .over, false),
        ] as [(String, Eviction.Stage, Bool)])
    func `a checkpoint is installed if all evictions of members are known that were decided`(
        member: String, stage: Eviction.Stage, isInstalled: Bool
    ) {
        var cluster = cluster()
        cluster.wipe("n3")
        cluster.addedEvictions = [Eviction(member: member, writer: 77, stage: stage)]
        cluster.start("n3")
        cluster.quiesce()
        #expect((cluster["n3"].counters.installed > 0) == isInstalled)
        cluster.addedEvictions = []
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n3"].value == cluster["n1"].value)
    }
}
