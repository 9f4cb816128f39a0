import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct FoldingTests {
    private let list = Universe.path("list")

    @Test func `origins are folded that all members hold alike and no member writes as`() {
        var peers = Peers(members: ["n2"], of: "n1", own: 1)
        let own: VersionVector = [1: 9, 2: 9, 3: 5, 4: 5, 5: 5]
        func folded(_ vector: VersionVector, writers: [WriterID] = [1, 2], limit: Int = 2)
            -> [WriterID]?
        {
            let time = peers.all[0].heartbeat?.time.successor ?? HybridTime(bits: 1)
            _ = peers.receive(.of("n2", 2, at: time, holding: vector, writers: writers), at: 10)
            return peers.folding(of: own, limit: limit)?.entries.map(\.origin)
        }
        #expect(peers.folding(of: own, limit: 2) == nil, "n2 was not heard")
        #expect(folded([1: 9, 2: 9, 3: 5, 4: 5, 5: 5]) == [3, 4, 5])
        #expect(folded([1: 9, 2: 9, 3: 5, 4: 5, 5: 5], limit: 3) == nil, "three may stay")
        #expect(folded([1: 9, 2: 9, 3: 5, 4: 4, 5: 6]) == [3], "others are on their way")
        #expect(
            folded([1: 9, 2: 9, 3: 5], writers: [2, 7]) == nil, "n2 takes another one for current")
    }

    @Test func `a heartbeat without its folded origins is understood only with the same ones`() {
        let same: VersionVector = [3: 5, 4: 5]
        let other: VersionVector = [3: 5, 4: 6]
        guard let folded = same.folding(where: { _, _ in true }),
            let different = other.folding(where: { _, _ in true })
        else {
            Issue.record("nothing is folded")
            return
        }
        var heartbeat = Heartbeat.of("n2", 2, holding: [2: 9])
        #expect(heartbeat.completed(with: nil)?.vector == [2: 9])
        heartbeat.folding = .init(folded.digest, areLeftOut: true)
        #expect(heartbeat.completed(with: folded)?.vector == [2: 9, 3: 5, 4: 5])
        #expect(heartbeat.completed(with: different) == nil)
        #expect(heartbeat.completed(with: nil) == nil)
        heartbeat.folding?.areLeftOut = false
        #expect(heartbeat.completed(with: different)?.vector == [2: 9])
    }

    @Test func `restarts cost heartbeats nothing once the members have folded them`() {
        var cluster = TestCluster(3)
        let count = 150
        for number in 1...count {
            cluster.crash("n3")
            cluster.start("n3")
            cluster.quiesce(milliseconds: 500)
            cluster.send(.push(id: UInt64(number + 1), path: list, value: 1), to: "n3")
        }
        cluster.quiesce()
        #expect(cluster["n1"].value[list].children.count == count)
        for name in cluster.names {
            #expect(cluster[name].vector.folded.map { $0.count >= count - 64 } == true)
            let heartbeat = heartbeat(of: cluster[name])
            #expect(heartbeat.folding?.areLeftOut == true)
            #expect(PeerMessage.heartbeat(heartbeat).frame.count < 1_500)
        }
    }

    @Test func `a member that lost its disk receives the folded origins`() {
        var cluster = TestCluster(3)
        for number in 1...80 {
            cluster.crash("n3")
            cluster.start("n3")
            cluster.quiesce(milliseconds: 500)
            cluster.send(.push(id: UInt64(number + 1), path: list, value: 1), to: "n3")
        }
        cluster.quiesce()
        #expect(cluster["n2"].vector.folded != nil)
        cluster.wipe("n2")
        cluster.start("n2")
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n2"].value == cluster["n1"].value)
        #expect(cluster["n2"].vector == cluster["n1"].vector)
        #expect(cluster["n2"].vector.folded?.digest == cluster["n1"].vector.folded?.digest)
        #expect(heartbeat(of: cluster["n1"]).folding?.areLeftOut == true)
    }

    private func heartbeat(of replica: Replica) -> Heartbeat {
        replica.replication.heartbeat(of: replica.turns.durable, announcesHoldings: true)
    }
}
