import Convergence
import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct ComparisonTests {
    /// From the start of a node until after the first round.
    private static let firstRound: UInt64 = 11_000
    private static let nextRound: UInt64 = 31_000

    /// Changes the tree of a node without an operation.
    private func diverge(_ name: String, in cluster: inout TestCluster) {
        cluster.corrupt(name) { replica in
            let write = Write(path: "a/lost", value: 1)
            _ = replica.replication.tree.apply(
                SyncProtocol.Operation(
                    stamp: Stamp(time: HybridTime(milliseconds: 1), writer: replica.writer),
                    writes: [write]))
        }
    }

    @Test func `members at rest compare their trees, and find them equal`() {
        var cluster = TestCluster(3)
        cluster.send(.put(id: 1, path: "a", value: 1), to: "n2")
        cluster.quiesce(milliseconds: Self.firstRound)
        for name in cluster.names {
            #expect(cluster[name].comparedMembers == cluster.names.filter { $0 != name })
            #expect(cluster[name].differingMembers.isEmpty)
            #expect(cluster[name].counters.comparedTrees == 2)
        }
        cluster.quiesce(milliseconds: Self.nextRound)
        #expect(cluster["n3"].counters.comparedTrees == 4)
    }

    @Test func `each member finds the trees that differ from its own, until they are equal again`()
    {
        var cluster = TestCluster(3)
        cluster.send(.put(id: 1, path: "a/b", value: 1), to: "n2")
        diverge("n3", in: &cluster)
        cluster.quiesce(milliseconds: Self.firstRound)
        #expect(cluster["n1"].differingMembers == ["n3"])
        #expect(cluster["n2"].differingMembers == ["n3"])
        #expect(cluster["n3"].differingMembers == ["n1", "n2"])
        #expect(cluster["n1"].counters.differingTrees == 1)
        let exchange = cluster.status(of: "n2").exchange
        #expect(exchange.differingTrees.keys.sorted() == ["n3"])
        #expect(exchange.comparedTrees.keys.sorted() == ["n1", "n3"])
        cluster.wipe("n3")
        cluster.start("n3")
        cluster.quiesce(milliseconds: Self.nextRound)
        for name in cluster.names { #expect(cluster[name].differingMembers.isEmpty) }
    }

    @Test func `a member that is away leaves the others to compare their trees`() {
        var cluster = TestCluster(3)
        cluster.crash("n1")
        cluster.quiesce(milliseconds: Self.firstRound + Self.nextRound)
        #expect(cluster["n2"].comparedMembers == ["n3"])
        #expect(cluster["n3"].comparedMembers == ["n2"])
    }

    @Test func `another member leads if the first one takes no part, as one of an earlier version`()
    {
        var cluster = TestCluster(3)
        cluster.turn("n1", [.storageFailed(problem: "the disk is full", fix: "")])
        cluster.quiesce(milliseconds: Self.firstRound)
        #expect(cluster["n2"].comparedMembers.isEmpty)
        cluster.quiesce(milliseconds: Self.firstRound)
        #expect(cluster["n2"].comparedMembers == ["n3"])
        #expect(cluster["n3"].comparedMembers == ["n2"])
        #expect(cluster["n1"].comparedMembers.isEmpty)
    }

    /// All writes of two operations of many writes arrive during the round.
    @Test(arguments: [4, 2_000])
    func `trees are compared under load, also while large operations do not show yet`(atOnce: Int) {
        var limits = ReplicaLimits()
        (limits.writesAtOnce, limits.writesPerTurn) = (atOnce, 1)
        var cluster = TestCluster(3, limits: limits)
        let writes = (0..<40).map {
            Write(path: Path([Key(unchecked: "k\($0)")]), value: .integer(Int64($0)))
        }
        for round in 0..<250 {
            let name = cluster.names[round % 3]
            let paths = [7, 5].map { Path([Key(unchecked: "l\(round % $0)")]) }
            cluster.send(.merge(id: 1, path: paths[0], writes: writes), to: name)
            cluster.send(.put(id: 2, path: paths[1], value: .null), to: name)
            cluster.quiesce(milliseconds: 50)
        }
        for name in cluster.names {
            #expect(cluster[name].comparedMembers.count == 2)
            #expect(cluster[name].differingMembers.isEmpty)
        }
    }

    // MARK: Messages

    private func message(
        of cluster: TestCluster, _ step: TreeComparison.Step, named clusterName: String = "test"
    ) -> Input {
        let writer = cluster["n1"].writer
        let comparison = TreeComparison(
            cluster: clusterName, member: "n1", writer: writer, round: .init(of: writer, 99), step)
        return .published(PeerMessage.comparison(comparison).frame)
    }

    @Test func `vectors that are impossible end a round, and nothing else`() {
        var cluster = TestCluster(3)
        cluster.send(.put(id: 1, path: "a", value: 1), to: "n2")
        var ahead = cluster["n2"].vector
        ahead[WriterID(bits: 7)] = 1
        for vector in [VersionVector(), ahead] {
            cluster.turn("n2", [message(of: cluster, .begin)])
            cluster.turn("n2", [message(of: cluster, .agree(vector))])
            cluster.turn(
                "n2", [message(of: cluster, .announce(TreeDigest(1, 2), at: vector.digest))])
            cluster.quiesce(milliseconds: 6_000)
        }
        #expect(cluster["n2"].differingMembers.isEmpty)
    }

    @Test func `messages of another cluster or of an earlier incarnation have no effect`() {
        var cluster = TestCluster(3)
        let foreign = message(of: cluster, .begin, named: "other")
        let earlier = message(of: cluster, .begin)
        cluster.crash("n1")
        cluster.start("n1")
        cluster.quiesce()
        let count = cluster["n2"].counters.unknownPeers
        cluster.turn("n2", [foreign, earlier])
        #expect(cluster["n2"].counters.unknownPeers == count + 1)
        #expect(cluster["n2"].comparisons.isIdle(at: cluster["n2"].now.elapsedMilliseconds))
    }
}
