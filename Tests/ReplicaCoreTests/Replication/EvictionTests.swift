import DataTree
import ReplicaCore
import SyncProtocol
import Testing

/// A member that the others go on without, and its way back.
@Suite struct EvictionTests {
    let list = Universe.path("list")
    let count = Universe.path("count")
    let conflicts = Universe.path("_conflicts/n3")

    func cluster(
        orphanPolicy: OrphanPolicy = .replay, stampsOfClient: Int = 1_024
    ) -> TestCluster {
        var cluster = TestCluster(3)
        cluster.limits.stampsOfClient = stampsOfClient
        cluster.checkpointBytes = 500
        cluster.orphanPolicy = orphanPolicy
        for name in cluster.names {
            cluster.crash(name)
            cluster.start(name)
        }
        cluster.quiesce()
        for number in 1...30 {
            cluster.send(.push(id: UInt64(number + 1), path: list, value: 1), to: "n1")
        }
        cluster.quiesce()
        _ = cluster.takeReplies()
        return cluster
    }

    func isolate(_ cluster: inout TestCluster) {
        cluster.cuts = [["n1", "n3"], ["n2", "n3"], ["n3", "n1"], ["n3", "n2"]]
    }

    func key(_ number: Int) -> Key { Key(unchecked: "-Oe30000000000000\(100 + number)") }

    @Test func `the others no longer wait for it, and it returns with its own operations`() {
        var cluster = cluster()
        isolate(&cluster)
        for number in 1...3 {
            let path = list.appending(key(number))
            cluster.send(.put(id: 1, path: path, value: 3), to: "n3")
            cluster.send(.put(id: 2, path: count, value: Universe.increment(1)), to: "n3")
        }
        cluster.send(.put(id: 3, path: Universe.path("title"), value: .string("mine")), to: "n3")
        cluster.send(.put(id: 4, path: Universe.path("title"), value: .string("ours")), to: "n1")
        cluster.send(.put(id: 5, path: count, value: Universe.increment(10)), to: "n2")
        _ = cluster.takeReplies()
        cluster.quiesce()
        #expect(cluster.status(of: "n1").data.registers != 0)
        cluster.send(.evict(id: 6, member: "n3"), to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 6)])
        cluster.quiesce()
        #expect(cluster.status(of: "n1").data.registers == 0, "n3 is not waited for")

        let writer = cluster["n3"].writer
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n3"].writer != writer)
        #expect(cluster["n3"].counters.replayed == 6)
        #expect(cluster["n3"].counters.quarantined == 1)
        for name in cluster.names {
            let value = cluster[name].value
            #expect(value == cluster["n1"].value)
            #expect(value[list].children.count == 33)
            #expect(value[count] == 13)
            #expect(value[Universe.path("title")] == .string("ours"))
            #expect(cluster[name].vector == cluster["n1"].vector)
        }
        let kept = cluster["n1"].value[conflicts].children.first?.value ?? .null
        #expect(kept[Universe.path("writes/0/path")] == .string("/title"))
        #expect(kept[Universe.path("writes/0/value")] == .string("mine"))

        cluster.send(.put(id: 7, path: count, value: Universe.increment(1)), to: "n3")
        cluster.quiesce()
        #expect(cluster.takeReplies() == [.ok(id: 7)])
        for name in cluster.names {
            #expect(cluster[name].value[count] == 14)
            #expect(cluster.status(of: name).data.registers == 0)
        }
    }

    @Test
    func `a partitioned restart returns with the operations of both incarnations`() {
        var cluster = cluster()
        isolate(&cluster)
        cluster.send(.put(id: 1, path: list.appending(key(1)), value: 3), to: "n3")
        cluster.quiesce()
        cluster.crash("n3")
        cluster.start("n3")
        cluster.quiesce()
        cluster.send(.put(id: 2, path: list.appending(key(2)), value: 3), to: "n3")
        cluster.send(.evict(id: 6, member: "n3"), to: "n1")
        cluster.quiesce()
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n3"].counters.replayed == 2)
        for name in cluster.names {
            #expect(cluster[name].value[list].children.count == 32)
            #expect(cluster[name].vector == cluster["n1"].vector)
        }
    }

    @Test(arguments: [4, 5]) func `a dead one of many is out once most have voted`(count: Int) {
        var cluster = TestCluster(count)
        cluster.quiesce()
        let (dead, others) = (cluster.names[count - 1], cluster.names.dropLast())
        cluster.crash(dead)
        cluster.send(.evict(id: 6, member: dead), to: "n1")
        cluster.quiesce()
        #expect(cluster.takeReplies() == [.ok(id: 6)])
        for name in others {
            #expect(cluster[name].evictions.map(\.stage) == [.out], "\(name)")
        }
    }

    @Test func `clients that have seen discarded data are notified, and shown nothing`() {
        var cluster = cluster()
        isolate(&cluster)
        cluster.send(.hello(id: 1, seen: [:]), by: 5, to: "n3")
        cluster.send(.listen(id: 2, path: list), by: 5, to: "n3")
        cluster.send(.put(id: 3, path: Universe.path("title"), value: 1), by: 5, to: "n3")
        cluster.send(.put(id: 4, path: Universe.path("title"), value: 2), by: 6, to: "n3")
        cluster.send(.evict(id: 6, member: "n3"), to: "n1")
        cluster.quiesce()
        _ = cluster.takeReplies(of: 5)
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        let told = cluster.takeReplies(of: 5)
        guard case .error(0, .behind, _, _)? = told.last else {
            Issue.record("the client was told \(told)")
            return
        }
        cluster.send(.push(id: 7, path: list, value: 1), to: "n1")
        cluster.quiesce()
        #expect(cluster.takeReplies(of: 5).isEmpty, "its listens have ended")
        cluster.send(.get(id: 8, path: list), by: 5, to: "n3")
        guard case .error(8, .behind, _, _)? = cluster.takeReplies(of: 5).first else {
            Issue.record("a client was shown less than before")
            return
        }
        cluster.send(.hello(id: 9, seen: [:]), by: 5, to: "n3")
        cluster.send(.get(id: 10, path: Universe.path("title")), by: 5, to: "n3")
        let answers = cluster.takeReplies(of: 5)
        #expect(answers.contains(.value(id: 10, value: .null)), "\(answers)")
    }

    @Test func `a client without hello, refused on its way back, may write afterwards`() {
        var cluster = cluster()
        isolate(&cluster)
        cluster.send(.evict(id: 6, member: "n3"), to: "n1")
        cluster.quiesce()
        cluster.cuts = [["n3", "n1"], ["n3", "n2"]]
        cluster.quiesce()
        _ = cluster.takeReplies()
        cluster.send(.put(id: 7, path: count, value: 1), to: "n3")
        guard case .error(7, .unavailable, _, _)? = cluster.takeReplies().first else {
            Issue.record("the write was not refused")
            return
        }
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        cluster.send(.put(id: 8, path: count, value: 1), to: "n3")
        #expect(cluster.takeReplies() == [.ok(id: 8)])
    }

    @Test func `it accepts no writes while it rejoins`() {
        var cluster = cluster()
        isolate(&cluster)
        cluster.send(.evict(id: 6, member: "n3"), to: "n1")
        cluster.quiesce()
        // It hears the others, and they do not hear it.
        cluster.cuts = [["n3", "n1"], ["n3", "n2"]]
        cluster.quiesce()
        _ = cluster.takeReplies()
        cluster.send(.put(id: 7, path: count, value: 1), to: "n3")
        guard case .error(7, .unavailable, let problem, _)? = cluster.takeReplies().first else {
            Issue.record("the write was not refused")
            return
        }
        #expect(
            problem == "n3 was evicted from the cluster and has not rejoined yet: it is fetching "
                + "the data of the others")
        cluster.send(.evict(id: 8, member: "n1"), to: "n3")
        guard case .error(8, .unavailable, problem, _)? = cluster.takeReplies().first else {
            Issue.record("an evicted node voted")
            return
        }
        isolate(&cluster)
        cluster.quiesce()
        cluster.send(.put(id: 9, path: count, value: 1), to: "n3")
        guard case .error(9, .unavailable, let reason, _)? = cluster.takeReplies().first else {
            Issue.record("the write was not refused")
            return
        }
        #expect(reason.hasSuffix("it reaches no other node"))
    }

    @Test func `a client that says no hello writes again once its node has rejoined`() {
        var cluster = cluster()
        cluster.send(.evict(id: 1, member: "n3"), to: "n1")
        cluster.quiesce(milliseconds: 300)
        _ = cluster.takeReplies()
        cluster.send(.put(id: 2, path: count, value: 2), to: "n3")
        guard case .error(2, .unavailable, _, _)? = cluster.takeReplies().first else {
            Issue.record("the write was not refused")
            return
        }
        cluster.quiesce(milliseconds: 6_000)
        _ = cluster.takeReplies()
        cluster.send(.put(id: 3, path: count, value: 3), to: "n3")
        cluster.quiesce()
        #expect(cluster.takeReplies().contains(.ok(id: 3)))
    }

    @Test func `a running node is evicted at once, refuses writes with the reason, and rejoins`() {
        var cluster = cluster()
        cluster.send(.evict(id: 1, member: "n3"), to: "n1")
        cluster.send(.put(id: 2, path: count, value: 1), to: "n3")
        cluster.quiesce(milliseconds: 300)
        #expect(cluster["n3"].isOut)
        _ = cluster.takeReplies()
        cluster.send(.put(id: 3, path: count, value: 2), to: "n3")
        guard case .error(3, .unavailable, let problem, _)? = cluster.takeReplies().first else {
            Issue.record("the write was not refused at once")
            return
        }
        #expect(problem.hasPrefix("n3 was evicted from the cluster and has not rejoined yet"))
        cluster.quiesce(milliseconds: 6_000)
        cluster.send(.put(id: 4, path: count, value: 3), by: 2, to: "n3")
        cluster.quiesce()
        #expect(cluster.takeReplies(of: 2) == [.ok(id: 4)])
        for name in cluster.names {
            #expect(cluster[name].value[count] == 3)
            #expect(cluster[name].evictions.map(\.stage) == [.over], "\(name) knows all stages")
        }
    }

    @Test func `a vote that a majority cannot join now is refused, and is not found later`() {
        var cluster = cluster()
        isolate(&cluster)
        cluster.quiesce()
        cluster.send(.evict(id: 1, member: "n1"), to: "n3")
        #expect(
            cluster.takeReplies() == [
                .error(
                    id: 1, code: .unavailable,
                    problem: "n3 cannot evict n1: more than half of the 3 nodes must vote for it, "
                        + "and n3 reaches no other node",
                    fix: "start more nodes, or use a node that reaches more of them")
            ])
        let writer = cluster["n1"].writer
        cluster.cuts = []
        cluster.quiesce()
        #expect(cluster["n1"].writer == writer)
        #expect(cluster["n3"].evictions.isEmpty)
    }

    @Test func `the node that is to go is not counted as a voter`() {
        var cluster = TestCluster(4)
        cluster.crash("n2")
        cluster.quiesce()
        cluster.send(.evict(id: 1, member: "n4"), to: "n1")
        guard case .error(1, .unavailable, let problem, _)? = cluster.takeReplies().last else {
            Issue.record("expected a refusal")
            return
        }
        #expect(problem.hasSuffix("and n1 reaches only n3"))
    }

    @Test func `the status shows votes and evicted members`() {
        var cluster = cluster()
        isolate(&cluster)
        cluster.quiesce()
        // n2 does not hear the vote.
        cluster.cuts.insert(["n1", "n2"])
        cluster.send(.evict(id: 1, member: "n3"), to: "n1")
        cluster.quiesce(milliseconds: 1_000)
        #expect(cluster.status(of: "n1").membership.evictionVotes.keys.sorted() == ["n3"])
        #expect(cluster.status(of: "n1").membership.evicted.isEmpty)
        cluster.cuts.remove(["n1", "n2"])
        cluster.quiesce()
        for name in ["n1", "n2"] {
            #expect(cluster.status(of: name).membership.evictionVotes.isEmpty)
            #expect(cluster.status(of: name).membership.evicted.keys.sorted() == ["n3"])
        }
    }

    @Test func `a minority evicts no member`() {
        var cluster = cluster()
        isolate(&cluster)
        cluster.send(.evict(id: 1, member: "n1"), to: "n3")
        cluster.send(.put(id: 2, path: count, value: 1), to: "n1")
        cluster.send(.put(id: 3, path: count, value: 3), to: "n3")
        cluster.quiesce()
        #expect(cluster.status(of: "n3").data.registers > 0, "n3 still waits for the others")
        for name in cluster.names { #expect(cluster.status(of: name).membership.evicted.isEmpty) }
        #expect(cluster["n3"].livePeers.isEmpty)
        let writer = cluster["n1"].writer
        cluster.send(.put(id: 3, path: count, value: 2), to: "n1")
        cluster.quiesce()
        #expect(cluster["n1"].writer == writer)
        #expect(cluster["n1"].value[count] == 2)
    }

    @Test func `a replayed increment is not repeated on request of its client`() {
        var cluster = cluster()
        isolate(&cluster)
        let time = HybridTime(milliseconds: 1_700_000_009_000)
        let stamp = Stamp(time: time, writer: WriterID(bits: 77))
        let add = ClientMessage.put(
            id: 1, path: count, value: Universe.increment(1), stamp: stamp)
        cluster.send(add, to: "n3")
        cluster.send(.evict(id: 2, member: "n3"), to: "n1")
        cluster.quiesce(milliseconds: 6_000)
        _ = cluster.takeReplies()
        // It is not known yet whether the evicted node has executed it.
        cluster.send(add, by: 2, to: "n1")
        guard case .error(1, .undecided, _, _)? = cluster.takeReplies(of: 2).first else {
            Issue.record("expected that nobody knows")
            return
        }
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        for (client, name) in cluster.names.enumerated() {
            cluster.send(add, by: 10 + UInt64(client), to: name)
            #expect(cluster.takeReplies(of: 10 + UInt64(client)) == [.ok(id: 1)])
            #expect(cluster[name].value[count] == 1)
        }
    }

    @Test func `a waiting client learns that a write is not durable elsewhere`() {
        var cluster = cluster()
        isolate(&cluster)
        cluster.send(.evict(id: 6, member: "n3"), to: "n1")
        cluster.quiesce()
        cluster.send(.put(id: 7, path: count, value: 1, concern: .majority), to: "n3")
        cluster.cuts = []
        cluster.quiesce()
        #expect(cluster.takeReplies().last == .acknowledged(id: 7, concern: .local))
    }

    @Test func `operations only in its checkpoint are kept in a copy`() {
        for isLost in [false, true] {
            var cluster = cluster()
            cluster.tamper = { $0.head = [] }
            cluster.wipe("n2")
            cluster.start("n2")
            cluster.send(.evict(id: 6, member: "n3"), to: "n1")
            cluster.quiesce(milliseconds: 600)
            #expect(cluster["n3"].isOut)
            if isLost {
                cluster.wipe("n1")
                cluster.start("n1")
            }
            cluster.tamper = nil
            cluster.quiesce(milliseconds: 20_000)
            #expect(cluster.copied == (isLost ? ["n3"] : []))
            #expect(cluster.names.allSatisfy { cluster[$0].vector == cluster["n1"].vector })
        }
    }

    @Test func `most nodes stay in`() {
        var cluster = TestCluster(4)
        cluster.crash("n3")
        cluster.crash("n4")
        cluster.send(.evict(id: 1, member: "n3"), to: "n1")
        cluster.send(.evict(id: 2, member: "n4"), to: "n1")
        guard case .error(2, .unavailable, _, _)? = cluster.takeReplies().last else {
            Issue.record("expected a refusal")
            return
        }
    }

    @Test func `a vote survives a restart`() {
        var cluster = cluster()
        isolate(&cluster)
        cluster.send(.evict(id: 6, member: "n3"), to: "n1")
        cluster.quiesce()
        cluster.crash("n2")
        cluster.start("n2")
        cluster.quiesce()
        cluster.send(.put(id: 7, path: count, value: 1), to: "n2")
        cluster.quiesce()
        for name in ["n1", "n2"] { #expect(cluster.status(of: name).data.registers == 0) }
    }
}
