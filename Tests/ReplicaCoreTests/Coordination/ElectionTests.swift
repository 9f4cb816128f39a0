import SyncProtocol
import Testing

@testable import ReplicaCore

/// Elections as tables: messages to a member, and its reactions.
@Suite struct ElectionTests {
    private let own = WriterID(bits: 1)

    private func situation(
        at milliseconds: UInt64, heartbeats: [Heartbeat] = [],
        holding vector: VersionVector = VersionVector(),
        durable: Lease?, rank: Int = 0, live: Int = 3, mayLead: Bool = true
    ) -> Election.Situation {
        .init(
            milliseconds: milliseconds, time: HybridTime(milliseconds: 50_000 + milliseconds),
            vector: vector, durableVote: durable, mayLead: mayLead, heartbeats: heartbeats,
            memberCount: 3,
            liveCount: live, rank: rank)
    }

    private func heartbeat(
        of writer: UInt64, _ lease: Lease?, holding vector: VersionVector = VersionVector()
    ) -> Heartbeat {
        Heartbeat(
            cluster: "c", member: "n\(writer)", writer: WriterID(bits: writer), vector: vector,
            time: .zero, closedTimestamp: .zero, writers: [], wallMilliseconds: 0, lease: lease)
    }

    private func asking(
        _ writer: UInt64, term: UInt64, at milliseconds: UInt64 = 0, ceiling: UInt64 = 60_000
    ) -> Heartbeat {
        heartbeat(
            of: writer,
            Lease(
                term: term, holder: WriterID(bits: writer), renewedMilliseconds: milliseconds,
                ceiling: HybridTime(milliseconds: ceiling), formerCeiling: .zero, stage: .asking))
    }

    /// The vote of another member for this one's last.
    private func answer(
        of writer: UInt64, to lease: Lease?, holding vector: VersionVector = VersionVector(),
        former: UInt64 = 0
    ) -> Heartbeat {
        var lease = lease
        lease?.stage = .given
        lease?.formerCeiling = HybridTime(milliseconds: former)
        return heartbeat(of: writer, lease, holding: vector)
    }

    private func vector(_ sequence: UInt64) -> VersionVector {
        var vector = VersionVector()
        vector[WriterID(bits: 9)] = sequence
        return vector
    }

    // MARK: Votes

    @Test func `a vote is given once in a term, and binds until it is over`() {
        let election = Elector(own)
        let told: [(Heartbeat, UInt64, mayVote: Bool, isNew: Bool, holder: UInt64?)] = [
            (asking(2, term: 1), 0, false, false, nil),
            (asking(2, term: 1), 0, true, true, 2),
            (asking(3, term: 2), 10, true, false, 2),
            (asking(2, term: 1, at: 500), 500, true, false, 2),
            // Renewed at 500, and kept for a quarter longer than the lease lasts.
            (asking(3, term: 2), 2_999, true, false, 2),
            (asking(3, term: 1), 3_000, true, false, 2),
            (asking(3, term: 2), 3_000, true, true, 3),
            // An earlier term never gets a vote again.
            (asking(2, term: 1, at: 9_000), 9_000, true, false, 3),
            // A candidate that asks again keeps its voters.
            (asking(3, term: 5, at: 9_000), 9_000, true, true, 3),
            (asking(2, term: 6, at: 9_000), 9_000, true, false, 3),
            (asking(3, term: 4, at: 9_000), 9_000, true, false, 3),
            (asking(3, term: 6, at: 9_010), 9_010, true, true, 3),
            (asking(2, term: 7, at: 9_010), 11_509, true, false, 3),
            (asking(2, term: 7, at: 9_010), 11_510, true, true, 2),
        ]
        for (heartbeat, time, mayVote, isNew, holder) in told {
            #expect(election.receive(heartbeat, at: time, mayVote: mayVote) == isNew)
            #expect(election.vote?.holder.bits == holder)
        }
        #expect(election.vote?.formerCeiling == HybridTime(milliseconds: 60_000))
    }

    @Test func `an unrequested heartbeat gets no vote`() {
        let election = Elector(own)
        var vote = asking(2, term: 1)
        vote.lease?.stage = .given
        #expect(!election.receive(vote, at: 0, mayVote: true))
        // Another one's vote for it is none of its own either.
        vote = asking(2, term: 1)
        vote.writer = WriterID(bits: 3)
        #expect(!election.receive(vote, at: 0, mayVote: true))
        #expect(election.vote == nil)
    }

    @Test func `a vote for an ended holder no longer binds`() {
        let election = Elector(own)
        _ = election.receive(asking(2, term: 1), at: 0, mayVote: true)
        election.release(WriterID(bits: 3))
        #expect(!election.receive(asking(3, term: 2), at: 10, mayVote: true))
        election.release(WriterID(bits: 2))
        #expect(election.receive(asking(3, term: 2), at: 10, mayVote: true))
    }

    @Test func `after a start the vote before binds for a whole lease, and its ceiling is known`() {
        let before = Elector(own)
        _ = before.receive(asking(2, term: 7), at: 0, mayVote: true)
        let kept = before.takeChange()
        // The ceiling on disk is ahead, so that it need not be written with each heartbeat.
        #expect(kept?.ceiling == HybridTime(milliseconds: 63_000))
        #expect(before.takeChange() == nil)
        _ = before.receive(asking(2, term: 7, at: 9, ceiling: 63_000), at: 9, mayVote: true)
        #expect(before.takeChange() == nil)
        _ = before.receive(asking(2, term: 7, at: 10, ceiling: 63_001), at: 10, mayVote: true)
        #expect(before.takeChange()?.ceiling == HybridTime(milliseconds: 66_001))

        let election = Elector(WriterID(bits: 4))
        election.restore(kept!)
        #expect(!election.receive(asking(3, term: 8), at: 100, mayVote: true))
        #expect(!election.receive(asking(3, term: 8), at: 2_599, mayVote: true))
        #expect(!election.receive(asking(3, term: 7), at: 2_600, mayVote: true))
        #expect(election.receive(asking(3, term: 8), at: 2_600, mayVote: true))
        #expect(election.vote?.formerCeiling == HybridTime(milliseconds: 63_000))
    }

    @Test func `an orderly stop of the coordinator leaves a ceiling that has passed`() {
        let election = Elector(own)
        _ = election.update(situation(at: 100, durable: nil))
        #expect(election.takeChange()?.ceiling == HybridTime(milliseconds: 55_100))
        election.resign(after: HybridTime(milliseconds: 50_200))
        #expect(election.takeChange()?.ceiling == HybridTime(milliseconds: 50_200))
        #expect(election.takeChange() == nil)

        // A voter that stops at the same time tells no later ceiling either.
        let stopped = Elector(WriterID(bits: 4))
        _ = stopped.receive(asking(2, term: 7), at: 0, mayVote: true)
        _ = stopped.takeChange()
        stopped.resign(after: HybridTime(milliseconds: 90_000))
        #expect(stopped.takeChange()?.ceiling == HybridTime(milliseconds: 60_000))

        let voter = Elector(WriterID(bits: 4))
        _ = voter.receive(asking(2, term: 7), at: 0, mayVote: true)
        _ = voter.takeChange()
        voter.release(WriterID(bits: 2), after: HybridTime(milliseconds: 50_300))
        #expect(voter.takeChange()?.ceiling == HybridTime(milliseconds: 50_300))
        _ = voter.receive(asking(3, term: 8, ceiling: 70_000), at: 1, mayVote: true)
        #expect(voter.vote?.formerCeiling == HybridTime(milliseconds: 50_300))
        #expect(voter.takeChange()?.ceiling == HybridTime(milliseconds: 73_000))
    }

    @Test func `a member without data adopts the latest vote of the others`() {
        let election = Elector(own)
        let others = [asking(2, term: 3), asking(3, term: 5), heartbeat(of: 4, nil)]
        election.learn(from: others)
        #expect(election.vote?.term == 5)
        #expect(election.told?.stage == .given)
        #expect(!election.receive(asking(2, term: 4), at: 0, mayVote: true))
        #expect(election.receive(asking(2, term: 6), at: 0, mayVote: true))
    }

    // MARK: Standing

    @Test func `the member with the first name is candidate at once, the others after a pause`() {
        for (rank, moment) in [(0, UInt64(100)), (1, 600), (2, 1_100)] {
            let election = Elector(own)
            for time in stride(from: UInt64(100), through: moment, by: 50) {
                let hasStood = election.update(situation(at: time, durable: nil, rank: rank))
                #expect(hasStood == (time == moment))
            }
            #expect(election.told?.stage == .asking)
            #expect(election.told?.term == 1)
        }
    }

    @Test func `no member is candidate without a majority, permission, or beside a coordinator`() {
        let election = Elector(own)
        #expect(!election.update(situation(at: 0, durable: nil, live: 1)))
        #expect(!election.update(situation(at: 0, durable: nil, mayLead: false)))
        var deciding = asking(2, term: 4)
        deciding.lease?.stage = .deciding
        _ = election.receive(deciding, at: 0, mayVote: false)
        #expect(!election.update(situation(at: 2_499, durable: nil)))
        #expect(election.update(situation(at: 2_500, durable: nil)))
        // Later than every term that it has heard of.
        #expect(election.told?.term == 5)
    }

    /// A member that has stood at 100, whose vote is durable.
    private func candidate() -> Elector {
        let election = Elector(own)
        _ = election.update(situation(at: 100, durable: nil))
        _ = election.update(situation(at: 100, durable: election.told))
        return election
    }

    @Test func `it decides once a majority has voted and it holds their operations`() {
        let election = candidate()
        let vote = election.told
        #expect(election.lease(in: situation(at: 150, durable: vote)) == nil)
        let voter = answer(of: 2, to: vote, holding: vector(5), former: 50_150)
        let behind = situation(at: 150, heartbeats: [voter], holding: vector(4), durable: vote)
        #expect(!election.update(behind))
        #expect(election.lease(in: behind) == nil)
        let caughtUp = situation(at: 160, heartbeats: [voter], holding: vector(5), durable: vote)
        #expect(election.update(caughtUp))
        #expect(election.told?.stage == .deciding)
        #expect(election.floor == HybridTime(milliseconds: 50_150))
        let lease = election.lease(in: caughtUp)
        // The voter answers the renewal at 100.
        #expect(lease?.endsMilliseconds == 2_100)
        #expect(lease?.ceiling == HybridTime(milliseconds: 52_100))
        #expect(lease?.voters == [voter])
    }

    @Test func `it is candidate again if no member holds the operations of a voter`() {
        let election = candidate()
        let vote = election.told
        let voter = answer(of: 2, to: vote, holding: vector(5))
        let other = heartbeat(of: 3, nil, holding: vector(5))
        // The disk of n2 is lost, and then that of n3.
        let lost = answer(of: 2, to: vote, holding: vector(4))
        let rows: [([Heartbeat], stage: Lease.Stage)] = [
            ([voter], .asking), ([lost, other], .asking), ([lost], .given),
        ]
        for (heartbeats, stage) in rows {
            let situation = situation(
                at: 150, heartbeats: heartbeats, holding: vector(3), durable: vote)
            #expect(!election.update(situation))
            #expect(election.told?.stage == stage)
        }
        #expect(election.update(situation(at: 200, heartbeats: [lost], durable: vote)))
        #expect(election.told?.term == 2)
        let again = answer(of: 2, to: election.told, holding: vector(4))
        // It stamps above what it might have used in the term before.
        for time in stride(from: UInt64(250), through: 2_150, by: 50) {
            let hasBegun = election.update(
                situation(
                    at: time, heartbeats: [renewed(again, at: time)], holding: vector(4),
                    durable: election.told))
            #expect(hasBegun == (time == 2_150))
        }
        #expect(election.told?.stage == .deciding)
    }

    @Test func `it decides once the lease before is over`() {
        let election = candidate()
        // The holder of the previous lease may stamp up to here, because its clock may be ahead.
        let voter = answer(of: 2, to: election.told, former: 70_000)
        for time in stride(from: UInt64(150), to: 2_650, by: 50) {
            #expect(
                !election.update(
                    situation(
                        at: time, heartbeats: [renewed(voter, at: time)], durable: election.told)))
        }
        let over = situation(
            at: 2_650, heartbeats: [renewed(voter, at: 2_650)], durable: election.told)
        #expect(election.update(over))
        #expect(election.floor == HybridTime(milliseconds: 70_000))
    }

    private func renewed(_ voter: Heartbeat, at milliseconds: UInt64) -> Heartbeat {
        var voter = voter
        voter.lease?.renewedMilliseconds = milliseconds
        return voter
    }

    @Test func `votes for others, in other terms, or not durable here do not count`() {
        let election = candidate()
        let vote = election.told
        var other = answer(of: 2, to: vote)
        other.lease?.term += 1
        var unknownPeer = answer(of: 3, to: vote)
        unknownPeer.lease?.holder = WriterID(bits: 3)
        _ = election.update(situation(at: 150, heartbeats: [other, unknownPeer], durable: vote))
        #expect(!election.isCaughtUp)
        let voter = answer(of: 2, to: vote)
        _ = election.update(situation(at: 150, heartbeats: [voter], durable: nil))
        #expect(!election.isCaughtUp)
        _ = election.update(situation(at: 150, heartbeats: [voter], durable: vote))
        #expect(election.isCaughtUp)
    }

    @Test func `a lease ends some time after the renewal by a majority`() {
        let election = candidate()
        let voter = answer(of: 2, to: election.told)
        func at(_ time: UInt64, _ heartbeats: [Heartbeat]) -> Election.Situation {
            situation(at: time, heartbeats: heartbeats, durable: election.told)
        }
        _ = election.update(at(150, [voter]))
        #expect(election.lease(in: at(2_099, [voter])) != nil)
        #expect(election.lease(in: at(2_100, [voter])) == nil)
        // The third member's renewal does as well.
        _ = election.update(at(2_000, [voter]))
        let renewed = answer(of: 3, to: election.told)
        #expect(election.lease(in: at(3_999, [voter, renewed])) != nil)
        #expect(election.lease(in: at(4_000, [voter, renewed])) == nil)
        _ = election.update(at(4_000, [voter, renewed]))
        #expect(election.told?.stage == .given)
        // It is free to vote for another one, in a later term.
        #expect(!election.receive(asking(3, term: 1), at: 4_000, mayVote: true))
        #expect(election.receive(asking(3, term: 2), at: 4_000, mayVote: true))
    }

    @Test func `a candidate without votes ends after a lease, and tries again`() {
        let election = candidate()
        _ = election.update(situation(at: 2_099, durable: election.told))
        #expect(election.told?.stage == .asking)
        _ = election.update(situation(at: 2_100, durable: election.told))
        #expect(election.told?.stage == .given)
        #expect(election.update(situation(at: 2_150, durable: election.told)))
        #expect(election.told?.term == 2)
    }

    @Test func `a coordinator votes for no other member while it has the lease`() {
        let election = candidate()
        let voter = answer(of: 2, to: election.told)
        _ = election.update(situation(at: 150, heartbeats: [voter], durable: election.told))
        #expect(!election.receive(asking(3, term: 9), at: 200, mayVote: true))
        #expect(election.isCaughtUp)
        // It gives up at once when it may lead no more, as on a full disk.
        let full = situation(at: 210, heartbeats: [voter], durable: election.told, mayLead: false)
        _ = election.update(full)
        #expect(!election.isCaughtUp)
        #expect(election.receive(asking(3, term: 9), at: 220, mayVote: true))
    }
}

/// An election whose questions change it, as expectations ask them.
@dynamicMemberLookup
private final class Elector {
    private var election: Election

    init(_ own: WriterID) { election = Election(own: own, leaseMilliseconds: 2_000) }

    subscript<Answer>(dynamicMember path: KeyPath<Election, Answer>) -> Answer {
        election[keyPath: path]
    }

    func receive(_ heartbeat: Heartbeat, at milliseconds: UInt64, mayVote: Bool) -> Bool {
        election.receive(heartbeat, at: milliseconds, mayVote: mayVote)
    }

    func update(_ situation: Election.Situation) -> Bool { election.update(situation) }
    func lease(in situation: Election.Situation) -> Election.Term? { election.lease(in: situation) }
    func release(_ writer: WriterID, after time: HybridTime? = nil) {
        election.release(writer, after: time)
    }
    func resign(after time: HybridTime) { election.resign(after: time) }
    func restore(_ lease: Lease) { election.restore(lease) }
    func learn(from heartbeats: [Heartbeat]) { election.learn(from: heartbeats) }
    func takeChange() -> Lease? { election.takeChange() }
}
