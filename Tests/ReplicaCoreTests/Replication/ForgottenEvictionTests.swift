import DataTree
import ReplicaCore
import SyncProtocol
import Testing

/// An evicted member that wants the data of the others, while these lose them.
@Suite struct ForgottenEvictionTests {
    private let list = Universe.path("list")

    /// Three nodes of which n3 is evicted, and does not know it.
    private func cluster() -> TestCluster {
        var cluster = TestCluster(3, checkpointBytes: 500)
        cluster.quiesce()
        for number in 1...30 {
            cluster.send(.push(id: UInt64(number + 1), path: list, value: 1), to: "n1")
        }
        cluster.quiesce()
        cluster.cuts = [["n1", "n3"], ["n2", "n3"], ["n3", "n1"], ["n3", "n2"]]
        cluster.send(.push(id: 1, path: list, value: 3), to: "n3")
        cluster.send(.evict(id: 6, member: "n3"), to: "n1")
        cluster.quiesce()
        return cluster
    }

    private func look(at cluster: TestCluster) -> (isOut: Bool, writer: WriterID) {
        (cluster["n3"].isOut, cluster["n3"].writer)
    }

    @Test func `it continues with its data once no member knows of its eviction`() {
        var cluster = cluster()
        // It learns of the eviction, and its request for a checkpoint reaches no node.
        cluster.cuts = [["n3", "n1"], ["n3", "n2"]]
        cluster.quiesce()
        let before = look(at: cluster)
        cluster.wipe("n1")
        cluster.start("n1")
        cluster.quiesce()
        let known = look(at: cluster)
        #expect(known.isOut, "n2 knows of it")
        for name in ["n1", "n2"] { cluster.wipe(name) }
        cluster.cuts = []
        for name in ["n1", "n2"] { cluster.start(name) }
        cluster.quiesce(milliseconds: 6_000)
        let after = look(at: cluster)
        #expect(!after.isOut && after.writer == before.writer)
        _ = cluster.takeReplies()
        cluster.send(.put(id: 7, path: Universe.path("count"), value: 1), to: "n3")
        cluster.quiesce()
        #expect(cluster.takeReplies() == [.ok(id: 7)])
        for name in cluster.names {
            #expect(cluster[name].value[list].children.count == 31)
            #expect(cluster[name].vector == cluster["n3"].vector)
        }
    }

    @Test func `it waits for a silent member that may know of its eviction`() {
        var cluster = cluster()
        // It learns of that from n2, which then loses its disk.
        cluster.cuts = [["n3", "n1"], ["n3", "n2"], ["n1", "n3"]]
        cluster.quiesce()
        cluster.cuts = [["n1", "n2"], ["n1", "n3"], ["n3", "n1"]]
        cluster.wipe("n2")
        cluster.start("n2")
        cluster.quiesce(milliseconds: 6_000)
        let waiting = look(at: cluster)
        #expect(waiting.isOut)
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        let after = look(at: cluster)
        #expect(!after.isOut && after.writer != waiting.writer)
    }
}
