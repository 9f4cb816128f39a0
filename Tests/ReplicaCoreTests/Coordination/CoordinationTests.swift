import Convergence
import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

/// The coordination of transactions by itself: proposals in, decisions and verdicts out.
@Suite struct CoordinationTests {
    private let own: WriterID = 1

    private let peers = Peers(members: ["n2", "n3"], of: "n1", own: 1)

    private func coordination() -> Coordination {
        Coordination(
            ReplicaConfiguration(
                cluster: "test", member: "n1", peers: ["n1", "n2", "n3"], durability: .commit,
                seed: 1), own: own, vote: nil, isInformed: true)
    }

    private func view(_ tree: Value = .null, holding vector: VersionVector = [:]) -> ReplicationView
    {
        ReplicationView(
            now: .init(at: 1_000), tree: tree, registers: Registers(),
            vector: vector, time: 1_000, stableTime: .zero)
    }

    private func proposal(
        _ name: UInt64, put value: Value = 2, on old: Value = 1, at path: Path = "a"
    ) -> Proposal {
        Proposal(
            id: Stamp(time: HybridTime(milliseconds: name), writer: 70), path: path, value: value,
            condition: DataHash(of: old), concern: .majority)
    }

    private func proposals(
        _ all: [Proposal], of member: String = "n2", seen: VersionVector = [:]
    ) -> Proposals {
        Proposals(member: member, coordinator: own, seen: seen, all: all)
    }

    /// The outcomes that are sent to members, as `MEMBER OUTCOME`.
    private func verdicts(_ coordination: inout Coordination) -> [String] {
        coordination.takeOutputs().flatMap { output -> [String] in
            guard case .answer(let member, let frame) = output,
                case .message(.decided(let verdicts))? =
                    try? FrameReader<PeerMessage>.messages(in: frame).first
            else { return ["?"] }
            return verdicts.map { "\(member) \($0.outcome)" }
        }
    }

    /// The next proposal, whose condition is compared with a tree.
    private func next(
        of coordination: inout Coordination, holding vector: VersionVector = [:],
        seeing view: ReplicationView? = nil, at milliseconds: UInt64 = 0
    ) -> Coordination.Proposed? {
        var (units, hashes) = (1_000, SharedHashes())
        return coordination.nextProposal(
            holding: vector, in: (view ?? self.view()).tree, spending: &units, sharing: &hashes,
            at: milliseconds)
    }

    @Test func `turns without news and without transactions cost nothing`() {
        var coordination = coordination()
        #expect(coordination.isDue(at: 0))
        coordination.beginLook(at: 0)
        #expect([1, 24, 25].map { coordination.isDue(at: $0) } == [false, false, true])
        _ = coordination.receive(.of("n2", 2), at: 1, mayVote: true)
        #expect(coordination.isDue(at: 1))
        coordination.beginLook(at: 1)
        coordination.release(2)
        #expect(coordination.isDue(at: 1))
        coordination.beginLook(at: 1)
        coordination.propose(proposals([proposal(1)]), at: 1)
        #expect(coordination.isDue(at: 2))
    }

    @Test func `proposals wait for their dependencies, each once`() {
        var coordination = coordination()
        coordination.propose(proposals([proposal(1), proposal(2)], seen: [9: 5]), at: 0)
        coordination.propose(proposals([proposal(3)]), at: 0)
        coordination.propose(proposals([proposal(2)], seen: [9: 6]), at: 0)
        var taken: [UInt64] = []
        for vector in [[:], [9: 5], [9: 6]] as [VersionVector] {
            while let next = next(of: &coordination, holding: vector) {
                taken.append(next.proposal.id.time.milliseconds)
            }
        }
        #expect(taken == [3, 1, 2])
    }

    @Test func `proposals without a renewed request are dropped`() {
        var coordination = coordination()
        coordination.propose(proposals([proposal(1)], seen: [9: 5]), at: 100)
        coordination.dropExpired(at: 5_099)
        #expect(coordination.proposed.count == 1)
        coordination.dropExpired(at: 5_100)
        #expect(coordination.proposed.isEmpty)
    }

    @Test(
        arguments: [
            // What is at the place, and what is known of the name; whether it is written, and what is told at once.
            (1, .notDone, true, []), (5, .notDone, false, ["n2 changed"]),
            (1, .forgotten, false, ["n2 forgotten"]), (1, .done, false, ["n2 forgotten"]),
        ] as [(Value, DeduplicationTable.Answer, Bool, [String])])
    func `a proposal is decided by the tree`(
        old: Value, known: DeduplicationTable.Answer, isWritten: Bool, told: [String]
    ) {
        var coordination = coordination()
        coordination.propose(proposals([proposal(1)]), at: 0)
        let tree = view(Universe.object(["a": old]))
        let next = next(of: &coordination, seeing: tree)!
        let writes = coordination.decide(next, known: known, seeing: tree, peers)
        #expect(writes == (isWritten ? [Write(path: "a", value: 2)] : nil))
        #expect(verdicts(&coordination) == told)
    }

    @Test func `a proposal that may be decided already waits for a second at most`() {
        var coordination = coordination()
        coordination.propose(proposals([proposal(1)]), at: 0)
        let first = next(of: &coordination)!
        let waits = coordination.postpone(first, at: 100)
        let early = next(of: &coordination, at: 124)
        #expect(waits)
        #expect(early?.member == nil)
        // Its node asks again, which does not extend the wait.
        coordination.propose(proposals([proposal(1)]), at: 124)
        let again = next(of: &coordination, at: 125)!
        let (waitsOn, ends) = (
            coordination.postpone(again, at: 1_099), !coordination.postpone(again, at: 1_100)
        )
        #expect(waitsOn && ends)
    }

    @Test func `a refused proposal is refused again, even if its condition holds then`() {
        var coordination = coordination()
        // The client has asked at two nodes.
        coordination.propose(proposals([proposal(1)], of: "n2"), at: 0)
        let first = next(of: &coordination)!
        #expect(coordination.decide(first, known: .notDone, seeing: view(), peers) == nil)
        #expect(verdicts(&coordination) == ["n2 changed"])
        coordination.propose(proposals([proposal(1), proposal(2)], of: "n3"), at: 1)
        let tree = view(Universe.object(["a": 1]))
        let second = next(of: &coordination, seeing: tree)!
        #expect(coordination.decide(second, known: .notDone, seeing: tree, peers) == nil)
        #expect(verdicts(&coordination) == ["n3 changed"])
        let other = next(of: &coordination, seeing: tree)!
        #expect(coordination.decide(other, known: .notDone, seeing: tree, peers) != nil)
    }

    @Test func `a coordinator remembers the last names that it has refused`() {
        var refused = RefusedTransactions()
        let names = (0...UInt64(RefusedTransactions.limit)).map { number in
            Stamp(time: HybridTime(milliseconds: number), writer: 70)
        }
        for name in names + [names[2]] { refused.insert(name) }
        #expect(!refused.contains(names[0]))
        #expect(names.dropFirst().allSatisfy { refused.contains($0) })
    }

    @Test
    func `a decision is reported once a majority holds it and still votes for its coordinator`() {
        var coordination = coordination()
        coordination.propose(proposals([proposal(1)]), at: 0)
        let next = next(of: &coordination)!
        coordination.answer(next, onceHeld: [1: 4], at: .init(at: 0))
        #expect(coordination.takeHeartbeatRequest() == true)
        #expect(coordination.takeHeartbeatRequest() == false)
        let peers = Peers(members: ["n2", "n3"], of: "n1", own: own)
        // The durable positions here and at a voter; whether the outcome is sent.
        let table: [(VersionVector, Heartbeat?, Bool)] = [
            ([1: 3], .of("n2", 2, holding: [1: 4]), false), ([1: 4], nil, false),
            ([1: 4], .of("n2", 2, holding: [1: 3]), false),
            ([1: 4], .of("n2", 2, holding: [1: 4]), true),
        ]
        for (durable, voter, isTold) in table {
            let term = Election.Term(
                voters: voter.map { [$0] } ?? [], endsMilliseconds: 9_999, ceiling: 9_999)
            coordination.answerDecided(
                within: term, holding: durable, seeing: peers, at: .init(at: 10))
            #expect(
                verdicts(&coordination)
                    == (isTold ? ["n2 \(TransactionDecision.Outcome.done(.majority))"] : [])
            )
        }
    }

    /// What the others announce when all nodes have started again, what this member's clock shows, and the ceiling that
    /// the next coordinator has to exceed; nil if the vote binds.
    struct Restart: Sendable {
        var others: [Heartbeat]
        var time: HybridTime
        var ceiling: HybridTime?
    }

    private static func after(
        _ second: Heartbeat?, _ third: Heartbeat?, at time: HybridTime, ceiling: HybridTime?
    ) -> Restart {
        Restart(others: [second, third].compactMap { $0 }, time: time, ceiling: ceiling)
    }

    private static let second = Heartbeat.of("n2", 5, holding: [9: 4], writers: [1, 3, 5])
    private static let third = Heartbeat.of("n3", 3, holding: [9: 4], writers: [1, 3, 5])

    @Test(arguments: [
        // The clock has passed the ceiling: 60 s.
        after(second, third, at: 60_000, ceiling: 60_000),
        after(.of("n2", 5), .of("n3", 3), at: 60_001, ceiling: 60_000),
        after(second, nil, at: 60_000, ceiling: nil),
        after(second, .of("n3", 9), at: 60_000, ceiling: nil),
        // The clock has not reached it, but all have closed the holder, and no member has more of its operations.
        after(second, third, at: 50_000, ceiling: 50_000),
        after(second, nil, at: 50_000, ceiling: nil),
        after(second, .of("n3", 9, writers: [1, 5, 9]), at: 50_000, ceiling: nil),
        after(second, .of("n3", 3, writers: [1, 3, 9]), at: 50_000, ceiling: nil),
        after(
            second, .of("n3", 3, holding: [9: 5], writers: [1, 3, 5]), at: 50_000, ceiling: nil),
        after(
            second,
            .of(
                "n3", 3, writers: [1, 3, 5],
                evictions: [Eviction(member: "n2", writer: 8, stage: .out)]),
            at: 50_000, ceiling: nil),
    ])
    func `after a restart of all nodes no vote binds to an incarnation that has ended`(
        restart: Restart
    ) {
        let configuration = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: ["n1", "n2", "n3"], durability: .commit, seed: 1)
        let vote = Lease(
            term: 7, holder: 9, renewedMilliseconds: 0, ceiling: 60_000, formerCeiling: .zero)
        var coordination = Coordination(configuration, own: own, vote: vote, isInformed: true)
        var peers = Peers(members: ["n2", "n3"], of: "n1", own: own)
        for heartbeat in restart.others { _ = peers.receive(heartbeat, at: 1) }
        coordination.releaseEndedHolder(seeing: peers, holding: [9: 4], at: restart.time)
        var asking = Heartbeat.of("n2", 5)
        asking.lease = Lease(
            term: 8, holder: 5, renewedMilliseconds: 1, ceiling: 90_000, formerCeiling: .zero)
        asking.lease?.stage = .asking
        #expect(
            coordination.receive(asking, at: 100, mayVote: true) == (restart.ceiling != nil))
        // The next coordinator stamps above all that the one that ended may have stamped.
        #expect(
            restart.ceiling == nil || coordination.election.vote?.formerCeiling == restart.ceiling)
    }

    @Test func `while a member is evicted the vote binds until the clock has passed the ceiling`() {
        let eviction = Eviction(member: "n3", writer: 3, stage: .out)
        let vote = Lease(
            term: 7, holder: 9, renewedMilliseconds: 0, ceiling: 60_000, formerCeiling: .zero)
        let configuration = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: ["n1", "n2", "n3"], durability: .commit, seed: 1)
        var coordination = Coordination(configuration, own: own, vote: vote, isInformed: true)
        var peers = Peers(members: ["n2", "n3"], of: "n1", own: own)
        _ = peers.receive(.of("n3", 3, writers: [1, 3, 5]), at: 1)
        _ = peers.receive(
            .of("n2", 5, writers: [1, 3, 5], evictions: [eviction]), at: 1)
        peers.evictions.restore([eviction])
        coordination.releaseEndedHolder(seeing: peers, holding: [:], at: 50_000)
        #expect(coordination.election.vote?.ceiling == 60_000)
    }

    @Test func `transactions are sent to the coordinator, and decided here if that is this node`()
        throws
    {
        var coordination = coordination()
        let submission = Submission(3, .ping(id: 8))
        let condition = Condition(DataHash(of: 1))
        try coordination.forward(
            Write(path: "a", value: 2), if: condition, named: proposal(1).id, for: submission,
            of: nil, at: .init(at: 1_000))
        var peers = Peers(members: ["n2", "n3"], of: "n1", own: own)
        coordination.forwardTransactions(seeing: view(), peers)
        #expect(coordination.takeOutputs() == [], "nobody is known to decide")
        var heartbeat = Heartbeat.of("n2", 2)
        heartbeat.lease = Lease(
            term: 1, holder: 2, renewedMilliseconds: 0, ceiling: 9_000, formerCeiling: .zero,
            stage: .deciding)
        _ = peers.receive(heartbeat, at: 1_000)
        coordination.forwardTransactions(seeing: view(), peers)
        #expect(coordination.takeOutputs().count == 1)
        coordination.forwardTransactions(seeing: view(), peers)
        #expect(coordination.takeOutputs() == [], "not again so soon")
        coordination.forwarded.answer(
            TransactionDecision(proposal(1).id, .done(.majority), basis: [2: 3]), from: "n2")
        #expect(coordination.takeAnswered(seeing: view(), peers).isEmpty, "its basis is missing")
        let answered = coordination.takeAnswered(seeing: view(holding: [2: 3]), peers)
        #expect(answered.map(\.entry.confirmation) == [.ok(id: 8)])
        #expect(answered.allSatisfy { $0.failure == nil })
    }
}
