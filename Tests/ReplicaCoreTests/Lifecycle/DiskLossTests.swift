import DataTree
import Store
import SyncProtocol
import Testing

@testable import ReplicaCore

/// A node that lost its disk knows what it still has to recover, over any number of restarts.
@Suite struct DiskLossTests {
    private static let known = Property(.clockBound, 1)
    private let list = Universe.path("list")

    @Test(
        arguments: [
            ([], .everything),
            // Written by a version that did not store it.
            ([known], []),
            ([known, Property(.diskLoss, 0)], []),
            ([known, Property(.diskLoss, 1)], .votes),
            ([known, Property(.diskLoss, 2)], .data),
            ([known, Property(.diskLoss, bytes: [3])], .everything),
            ([known, .lossOfLatestDisk], .everything),
        ] as [([Property], DiskLoss)])
    func `a start finds it on the disk`(properties: [Property], loss: DiskLoss) {
        #expect(StoredProperties(properties).diskLoss == loss)
        #expect(Self.replica(["n1", "n2"], properties).diskLoss == loss)
    }

    private static func replica(_ members: [String], _ properties: [Property]) -> Replica {
        let configuration = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: members, durability: .commit, seed: 1)
        return Replica(configuration, properties: properties)
    }

    /// The loss that the first turn stores; nil if it stores none.
    private static func stored(
        _ members: [String], _ properties: [Property]
    ) -> (isFirst: Bool, loss: UInt64?) {
        var replica = replica(members, properties)
        let now = Moment(wallMilliseconds: 1_700_000_000_000, elapsedMilliseconds: 0)
        let outputs = replica.step(.turnBegan(now)) + replica.step(.turnEnded)
        let turns = outputs.compactMap { if case .store(let turn) = $0 { turn } else { nil } }
        let loss = turns.first?.properties.first { $0.name == .diskLoss }?.number
        return (turns.first?.properties.contains { $0.name == .members } == true, loss)
    }

    @Test func `the first turn stores it with everything else`() {
        #expect(Self.stored(["n1", "n2"], []) == (true, 3))
        #expect(Self.stored(["n1", "n2"], [Self.known]).loss == nil)
        #expect(Self.stored(["n1", "n2"], [Self.known, Property(.diskLoss, 1)]).loss == nil)
    }

    @Test func `a node without peers has nothing to recover`() {
        #expect(Self.stored(["n1"], []) == (true, nil))
        #expect(Self.stored(["n1"], [Self.known, Property(.diskLoss, 3)]).loss == 0)
    }

    // MARK: In a cluster

    private func loss(of name: String, in cluster: TestCluster) -> UInt64? {
        let bytes = cluster.disks[name]?.tables.property(Property.Name.diskLoss.rawValue)
        return bytes.flatMap { Property(.diskLoss, bytes: $0).number }
    }

    /// Nodes of which all have truncated their logs.
    private func cluster(of count: Int = 3) -> TestCluster {
        var cluster = TestCluster(count, checkpointBytes: 500)
        for number in 0..<UInt64(100) {
            cluster.send(.push(id: number, path: list, value: 1), to: "n1")
        }
        cluster.quiesce()
        return cluster
    }

    @Test func `the nodes of a new cluster recover at once`() {
        let cluster = TestCluster(3)
        #expect(cluster.names.map { loss(of: $0, in: cluster) } == [0, 0, 0])
    }

    @Test(arguments: 0..<40)
    func `a process that ends at any moment leaves it to the next one`(turns: Int) {
        var cluster = cluster()
        let all = cluster["n1"].vector
        cluster.wipe("n3")
        cluster.start("n3")
        for _ in 0..<turns { cluster.quiesce(milliseconds: 50) }
        cluster.crash("n3")
        let hadServed = loss(of: "n3", in: cluster).map { $0 & DiskLoss.data.rawValue == 0 }
        cluster.start("n3")
        for _ in 0..<100 where !cluster["n3"].lifecycle.isOpen {
            cluster.quiesce(milliseconds: 50)
            if cluster["n3"].lifecycle.isOpen { #expect(cluster["n3"].vector.covers(all)) }
        }
        #expect(cluster["n3"].lifecycle.isOpen)
        #expect(hadServed != true || loss(of: "n3", in: cluster) == 0)
        cluster.quiesce()
        #expect(loss(of: "n3", in: cluster) == 0)
    }

    @Test func `a checkpoint of a peer recovers the data and not the votes`() {
        // Of five nodes, three with their whole disks are enough.
        var cluster = cluster(of: 5)
        cluster.crash("n1")
        cluster.wipe("n3")
        cluster.start("n3")
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n3"].counters.installed == 1)
        #expect(cluster["n3"].lifecycle.isOpen)
        #expect(loss(of: "n3", in: cluster) == DiskLoss.votes.rawValue)
        cluster.stop("n3")
        cluster.start("n3")
        cluster.quiesce(milliseconds: 6_000)
        #expect(!cluster["n3"].mayVote)
        #expect(loss(of: "n3", in: cluster) == DiskLoss.votes.rawValue)
        cluster.start("n1")
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n3"].mayVote)
        #expect(loss(of: "n3", in: cluster) == 0)
    }

    @Test func `without peers it waits, also after a restart`() {
        var cluster = cluster()
        cluster.crash("n1")
        cluster.crash("n2")
        cluster.wipe("n3")
        for _ in 0..<3 {
            cluster.start("n3")
            cluster.quiesce(milliseconds: 10_000)
            #expect(!cluster["n3"].lifecycle.isOpen)
            cluster.stop("n3")
        }
    }
}
