import DataTree
import ReplicaCore
import SyncProtocol
import Testing

/// Writes that wait until they are durable on more than one node, and a disk that takes none.
@Suite struct WriteConcernTests {
    private let place = Universe.path("a")

    private func put(_ concern: WriteConcern?) -> ClientMessage {
        .put(id: 1, path: place, value: 1, concern: concern)
    }

    @Test(arguments: WriteConcern.allCases)
    func `a write is acknowledged once it is as durable as was asked`(concern: WriteConcern) {
        var cluster = TestCluster(3)
        cluster.send(put(concern), to: "n1")
        #expect(cluster.takeReplies() == [.acknowledged(id: 1, concern: concern)])
    }

    @Test func `without a concern nothing is said of it`() {
        var cluster = TestCluster(3)
        cluster.send(put(nil), to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 1)])
    }

    @Test(arguments: [(nil, 3...5), (.majority, 18...24)] as [(WriteConcern?, ClosedRange<Int>)])
    func `in the mode interval a write costs a sync only if its client waits for that`(
        concern: WriteConcern?, syncs: ClosedRange<Int>
    ) {
        var cluster = TestCluster(3, durability: .interval)
        let before = cluster.syncCounts["n1"]!
        for _ in 0..<20 {
            cluster.send(put(concern), to: "n1")
            cluster.quiesce(milliseconds: 50)
            #expect(cluster.takeReplies().count == 1)
        }
        #expect(syncs ~= cluster.syncCounts["n1"]! - before)
    }

    @Test func `it waits for disks, not for memory`() {
        var cluster = TestCluster(3)
        cluster.stuckDisks = ["n2", "n3"]
        cluster.send(put(.majority), to: "n1")
        cluster.quiesce(milliseconds: 1_000)
        #expect(cluster.takeReplies().isEmpty)
        cluster.stuckDisks = ["n3"]
        cluster.syncDisks()
        cluster.quiesce(milliseconds: 500)
        #expect(cluster.takeReplies() == [.acknowledged(id: 1, concern: .majority)])
    }

    @Test func `what is not reached is said before a client stops waiting for the answer`() {
        var cluster = TestCluster(3)
        cluster.crash("n3")
        cluster.send(put(.all), to: "n1")
        #expect(cluster.takeReplies().isEmpty)
        cluster.quiesce(milliseconds: 4_500)
        #expect(cluster.takeReplies() == [.acknowledged(id: 1, concern: .majority)])
        cluster.crash("n2")
        cluster.send(put(.majority), to: "n1")
        cluster.quiesce(milliseconds: 4_500)
        #expect(cluster.takeReplies() == [.acknowledged(id: 1, concern: .local)])
    }

    @Test func `a full disk refuses requests at once, and what waited is done later`() {
        var cluster = TestCluster(2)
        cluster.stuckDisks = ["n1"]
        cluster.send(put(nil), to: "n1")
        cluster.turn("n1", [.storageFailed(problem: "the disk is full", fix: "make room")])
        cluster.send(.put(id: 2, path: place, value: 2), to: "n1")
        cluster.send(.get(id: 3, path: place), to: "n1")
        #expect(
            cluster.takeReplies()
                == [2, 3].map {
                    .error(
                        id: $0, code: .unavailable, problem: "the disk is full", fix: "make room")
                })
        cluster.send(.put(id: 4, path: Universe.path("b"), value: 4), by: 2, to: "n2")
        #expect(cluster.takeReplies(of: 2) == [.ok(id: 4)])

        cluster.stuckDisks = []
        cluster.turn("n1", [.storageWorks])
        cluster.syncDisks()
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        cluster.quiesce()
        #expect(cluster["n1"].value == ["a": 1, "b": 4])
        #expect(cluster["n2"].value == ["a": 1, "b": 4])
        cluster.send(.put(id: 5, path: place, value: 5), to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 5)])
    }
}
