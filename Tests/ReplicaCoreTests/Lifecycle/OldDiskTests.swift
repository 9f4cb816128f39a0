import DataTree
import Store
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Nodes that start on disks older than what peers have seen of them.
@Suite struct OldDiskTests {
    private let list: Path = "/list"

    /// Three nodes with a few children in a list.
    private func cluster() -> TestCluster {
        var cluster = TestCluster(3)
        push(20, to: "n1", of: &cluster)
        cluster.quiesce()
        return cluster
    }

    private func push(_ count: UInt64, to name: String, of cluster: inout TestCluster) {
        for number in 0..<count {
            cluster.send(.push(id: number + 1, path: list, value: 1), to: name)
        }
    }

    /// Cuts a node from all others, in both directions.
    private func isolate(_ name: String, in cluster: inout TestCluster) {
        for other in cluster.names where other != name {
            cluster.cuts.formUnion([[name, other], [other, name]])
        }
    }

    private func markOld(_ name: String, in cluster: inout TestCluster) throws {
        try cluster.disks[name]?.markAsOlderDisk()
    }

    @Test func `a restored copy serves once the node has met both others`() throws {
        var cluster = cluster()
        let copy = cluster.disks["n1"]
        push(20, to: "n1", of: &cluster)
        cluster.quiesce()
        cluster.crash("n1")
        cluster.crash("n2")
        cluster.disks["n1"] = copy
        try markOld("n1", in: &cluster)
        cluster.start("n1")
        cluster.quiesce(milliseconds: 10_000)
        #expect(!cluster["n1"].lifecycle.isOpen)
        #expect(cluster["n1"].awaitedMembers == ["n2"])
        #expect(!cluster["n1"].mayVote)
        cluster.start("n2")
        cluster.quiesce()
        #expect(cluster["n1"].lifecycle.isOpen && cluster["n1"].mayVote)
        #expect(cluster["n1"].awaitedMembers == [])
        #expect(cluster["n1"].value == cluster["n2"].value)
    }

    @Test func `an old disk keeps its data beside a new node alone, as after a move`() throws {
        var before = cluster()
        push(20, to: "n2", of: &before)
        before.quiesce()
        let value = before["n1"].value
        var cluster = TestCluster(2)
        cluster.quiesce()
        for name in cluster.names { cluster.crash(name) }
        cluster.disks["n1"] = before.disks["n1"]
        try markOld("n1", in: &cluster)
        // It has served, and so counts as one with its latest disk.
        cluster.start("n2")
        cluster.quiesce(milliseconds: 5_000)
        #expect(cluster["n2"].lifecycle.isOpen && cluster["n2"].vector.total == 0)
        cluster.start("n1")
        cluster.quiesce(milliseconds: 10_000)
        for name in cluster.names {
            #expect(cluster[name].lifecycle.isOpen && cluster[name].value == value)
        }
        #expect(cluster["n1"].vector.covers(before["n1"].vector))
    }

    @Test func `a node that has rejoined does not take its disk for an old one`() {
        var cluster = cluster()
        push(5, to: "n2", of: &cluster)
        cluster.quiesce()
        isolate("n2", in: &cluster)
        cluster.quiesce()
        cluster.send(.evict(id: 1, member: "n2"), to: "n1")
        cluster.quiesce(milliseconds: 6_000)
        cluster.crash("n3")
        cluster.cuts = []
        cluster.quiesce(milliseconds: 10_000)
        #expect(cluster["n2"].lifecycle.isOpen)
        for _ in 0..<2 {
            cluster.start("n3")
            for _ in 0..<40 {
                cluster.quiesce(milliseconds: 50)
                #expect(cluster["n2"].lifecycle.hasWholeDisk)
            }
            #expect(cluster["n2"].mayVote)
            // It remembers the eviction after a restart, too.
            cluster.crash("n3")
            cluster.crash("n2")
            cluster.start("n2")
        }
    }

    @Test func `an eviction of the dead node lets a restored one serve`() throws {
        var cluster = cluster()
        cluster.crash("n2")
        cluster.crash("n1")
        try markOld("n1", in: &cluster)
        cluster.start("n1")
        cluster.quiesce()
        #expect(!cluster["n1"].lifecycle.isOpen)
        cluster.send(.evict(id: 1, member: "n2"), to: "n3")
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n1"].lifecycle.isOpen && cluster["n1"].mayVote)
    }

    @Test func `a statement of a new process is answered by the own one, once`() {
        var replica = cluster()["n1"]
        let statement = DiskStatement(
            member: "n2", writer: 77, floor: HybridTime(milliseconds: 1), isWhole: true)
        let counts = (0..<3).map { _ in
            let inputs: [Input] = [
                .turnBegan(replica.now), .asked(PeerMessage.disk(statement).frame, by: "n2"),
                .turnEnded,
            ]
            return inputs.flatMap { replica.step($0) }.count { output in
                guard case .ask("n2", let frame) = output,
                    case .message(.disk)? = try? FrameReader<PeerMessage>.messages(in: frame).first
                else { return false }
                return true
            }
        }
        #expect(counts == [1, 0, 0])
    }

    @Test func `a process that continues an old memory ends`() throws {
        var cluster = cluster()
        let heartbeat = try #require(cluster["n1"].replication.peers.all[0].heartbeat)
        var claim = heartbeat
        claim.vector[cluster["n1"].writer] += 1
        // Otherwise the peers answer with heartbeats of their own.
        isolate("n1", in: &cluster)
        let (honest, forged) = (PeerMessage.heartbeat(heartbeat), PeerMessage.heartbeat(claim))
        for message in [forged, honest, forged, forged] {
            cluster.turn("n1", [.published(message.frame)])
            #expect(cluster.refusals["n1"] == nil)
        }
        cluster.quiesce(milliseconds: 1_500)
        cluster.turn("n1", [.published(forged.frame)])
        let problem = try #require(cluster.refusals["n1"])
        #expect(problem.contains("its memory is that of an earlier moment"))
    }

    @Test func `a node whose loss an operator has accepted serves alone`() {
        var cluster = cluster()
        for name in cluster.names { cluster.crash(name) }
        for loss in [DiskLoss.everything, [.votes, .accepted]] {
            try? cluster.disks["n1"]?.commit([
                Turn(number: 1_000, batches: [], properties: [loss.property])
            ])
            cluster.start("n1")
            cluster.quiesce(milliseconds: 5_000)
            #expect(cluster["n1"].lifecycle.isOpen == loss.contains(.accepted))
            #expect(!cluster["n1"].mayVote)
            cluster.crash("n1")
        }
    }

    @Test func `nodes that were all restored serve once all have met`() throws {
        var cluster = cluster()
        for name in cluster.names {
            cluster.crash(name)
            try markOld(name, in: &cluster)
        }
        for name in ["n1", "n2"] { cluster.start(name) }
        cluster.quiesce(milliseconds: 5_000)
        #expect(!cluster["n1"].lifecycle.isOpen && !cluster["n2"].lifecycle.isOpen)
        cluster.start("n3")
        cluster.quiesce()
        for name in cluster.names {
            #expect(cluster[name].lifecycle.isOpen && cluster[name].mayVote)
        }
    }

    @Test func `an old folder that serves alone learns of it on contact, and its writes stay`() {
        var cluster = cluster()
        let copy = cluster.disks["n1"]
        push(20, to: "n1", of: &cluster)
        cluster.quiesce(milliseconds: 6_000)
        cluster.crash("n1")
        cluster.disks["n1"] = copy
        isolate("n1", in: &cluster)
        cluster.start("n1")
        cluster.quiesce()
        #expect(cluster["n1"].lifecycle.isOpen, "nothing on the disk shows that it is old")
        push(3, to: "n1", of: &cluster)
        cluster.cuts = [["n1", "n3"], ["n3", "n1"]]
        cluster.quiesce()
        #expect(cluster["n1"].isRecovering && !cluster["n1"].mayVote)
        #expect(cluster["n1"].awaitedMembers == ["n3"])
        cluster.send(.put(id: 9, path: "/refused", value: 1), to: "n1")
        let refused = cluster.takeReplies().last
        guard case .error(9, _, let problem, _)? = refused else {
            Issue.record("not refused: \(String(describing: refused))")
            return
        }
        #expect(problem.contains("old disk"))
        cluster.cuts = []
        cluster.quiesce()
        #expect(!cluster["n1"].isRecovering && cluster["n1"].mayVote)
        #expect(cluster["n1"].counters.returns == 0, "no operation was below a closed time")
        for name in cluster.names { #expect(cluster[name].value[list].children.count == 43) }
    }

    @Test func `writes below what peers remember as closed are orphaned, and replayed`() {
        var cluster = cluster()
        let copy = cluster.disks["n1"]
        cluster.send(.put(id: 1, path: "/x", value: .string("first")), to: "n1")
        cluster.quiesce(milliseconds: 30_000)
        cluster.send(.put(id: 2, path: "/x", value: .string("second")), to: "n2")
        cluster.quiesce(milliseconds: 6_000)
        cluster.crash("n1")
        cluster.disks["n1"] = copy
        isolate("n1", in: &cluster)
        cluster.setBack(milliseconds: 25_000)
        cluster.start("n1")
        cluster.quiesce()
        cluster.send(.put(id: 3, path: "/x", value: .string("from the past")), to: "n1")
        push(3, to: "n1", of: &cluster)
        cluster.cuts = []
        cluster.quiesce(milliseconds: 10_000)
        #expect(cluster["n1"].counters.returns == 1)
        for name in cluster.names {
            #expect(cluster[name].value["/x"] == .string("second"))
            #expect(cluster[name].value[list].children.count == 23)
            #expect(cluster[name].value["/_conflicts/n1"].children.count == 1)
            #expect(cluster[name].value == cluster["n1"].value)
        }
    }

    @Test func `heartbeats of an incarnation count only after its statement`() {
        var disk = PeerDisk()
        disk.version = 2
        func counts(_ writer: WriterID, stable: HybridTime = .zero) -> Bool {
            disk.admit(.of("n2", writer), stable: stable)
        }
        let time = HybridTime(milliseconds: 10_000)
        #expect(counts(1))
        let isNews = disk.remember(.of("n2", 1, closed: time))
        #expect(isNews && counts(1) && !counts(2))
        for (floor, isEnough) in [(HybridTime.zero, false), (time, true)] {
            let statement = DiskStatement(member: "n2", writer: 2, floor: floor, isWhole: true)
            let withheld = disk.record(statement)
            #expect(withheld?.writer == 2)
            #expect(counts(2) == isEnough)
        }
        #expect(!counts(2, stable: HybridTime(milliseconds: 20_000)))
        disk.version = 1
        #expect(counts(3), "earlier versions state nothing")
    }

    @Test func `memories and incarnations come back from the disk`() {
        let memory = PeerDisk.Memory(
            writer: 3, closed: HybridTime(milliseconds: 5), hasServed: true, version: 2)
        let restored = PeerMemories(PeerMemories([("n2", memory)]).property.bytes)
        #expect(restored["n2"] == memory && restored["n3"] == nil)
        var incarnations = Incarnations()
        for writer in 1...70 as ClosedRange<UInt64> {
            incarnations.begin(WriterID(bits: writer))
        }
        let property = incarnations.takeToStore()
        #expect(incarnations.takeToStore() == nil)
        let read = Incarnations(property?.bytes ?? [])
        #expect(read.writers.count == 64 && read.writers.last == 70)
        #expect(PeerMemories([0xFF]).all.isEmpty && Incarnations([0xFF]).writers.isEmpty)
    }
}
