import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

/// The statuses of other nodes, for the console.
@Suite struct PeerStatusTests {
    private func observe(_ cluster: inout TestCluster) -> [PeerStatus] {
        var seen: [PeerStatus] = []
        cluster.corrupt("n1") { seen = $0.observePeers() }
        cluster.quiesce(milliseconds: 1_000)
        return seen
    }

    @Test func `a node asks the others, and shows what they say`() throws {
        var cluster = TestCluster(3)
        #expect(observe(&cluster).isEmpty)
        let seen = observe(&cluster)
        #expect(seen.map(\.member) == ["n2", "n3"])
        #expect(try NodeStatus(seen[0].status).identity.member == "n2")
        #expect(seen.allSatisfy { $0.ageMilliseconds <= 1_000 })
    }

    @Test func `what a dead node said counts for three seconds`() {
        var cluster = TestCluster(3)
        _ = observe(&cluster)
        cluster.crash("n3")
        var shown = 0
        while observe(&cluster).count == 2, shown < 10 { shown += 1 }
        #expect((1...3).contains(shown))
        #expect(observe(&cluster).map(\.member) == ["n2"])
    }

    @Test func `nodes of an earlier version are not asked`() {
        var cluster = TestCluster(2, versions: 1...1)
        _ = observe(&cluster)
        #expect(observe(&cluster).isEmpty)
        #expect(cluster["n2"].counters.malformedFrames == 0)
    }
}
