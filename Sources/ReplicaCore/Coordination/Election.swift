import Marks
import SyncProtocol

/// Elects the coordinator, the one member that decides transactions.
///
/// A candidate votes for itself in a new term, and requests votes in its heartbeats. A majority of all configured
/// members gives it the lease, until some time after the renewals that these votes answer. It decides once it holds
/// everything that its voters held when they voted.
///
/// Monotonic clocks ensure that there is mostly one coordinator, and that another one follows in time. The votes
/// alone ensure that no decision is lost. A member never votes again in an earlier term. Two majorities therefore
/// share a member that voted first for one coordinator and then for the other:
/// - A transaction is acknowledged once a majority holds it *and still votes for the coordinator that decided it*.
///   One of these members reports it to the next coordinator, which decides nothing before it holds the
///   transaction.
/// - The coordinator stamps nothing above the ceiling that a majority knows. A decision that an earlier coordinator
///   did not acknowledge therefore has an earlier stamp than all decisions of the next one. It replaces none of
///   them, whenever it arrives.
struct Election: Sendable {
    /// The state from becoming a candidate to the end of the last lease.
    private struct Candidacy: Sendable {
        let beganMilliseconds: UInt64
        /// The operations to hold before the first decision; nil until a majority has voted.
        var required: Requirement?
    }

    /// The knowledge of its predecessors that a new coordinator needs.
    private struct Requirement: Sendable {
        var vector: VersionVector
        /// The latest stamp that they may have used.
        var floor: HybridTime
        /// The last of their terms.
        var formerTerm: UInt64
        /// When the clock of the last predecessor, which may be ahead of this one's, has passed the floor.
        var floorPassedMilliseconds: UInt64
        var isMet = false
    }

    /// How many terms other members may be ahead: more than elections take place in years.
    private static let termsAheadLimit: UInt64 = 1 << 32

    /// The duration of a lease, counted from its renewal.
    let leaseMilliseconds: UInt64
    private(set) var own: WriterID
    /// The last vote of this member.
    private(set) var vote: Lease?
    private var highestTerm: UInt64 = 0
    /// No vote for another candidate before this time; nil after a start, until the wait is counted.
    private var voteEndsMilliseconds: UInt64? = 0
    private var candidacy: Candidacy?
    /// When a member last announced itself as the coordinator.
    private var decidingMilliseconds: UInt64?
    /// Since when there has been no coordinator.
    private var vacantSince: UInt64?
    /// The last vote on disk, with a ceiling ahead of those announced.
    private var stored: Lease?
    /// Whether no later ceiling will be announced, so that it is stored as it is.
    private var isCeilingFinal = false

    init(own: WriterID, leaseMilliseconds: UInt64) {
        self.own = own
        self.leaseMilliseconds = leaseMilliseconds
    }

    /// A member keeps its vote longer than the holder relies on it, as monotonic clocks differ.
    private var voteMilliseconds: UInt64 { leaseMilliseconds + leaseMilliseconds / 4 }

    /// Restores the vote of the previous incarnation, which binds for a whole lease after the start.
    mutating func restore(_ lease: Lease) {
        vote = lease
        stored = lease
        highestTerm = lease.term
        voteEndsMilliseconds = nil
    }

    /// Continues as another writer: this member is no longer a candidate, and keeps its vote.
    mutating func change(own writer: WriterID) {
        own = writer
        candidacy = nil
    }

    /// Returns the lease to store, if the vote has changed or its ceiling has passed the stored one.
    mutating func takeChange() -> Lease? {
        guard var kept = vote else { return nil }
        kept.stage = .given
        if isCeilingFinal {
            if kept == stored { return nil }
        } else {
            guard !kept.isSameVote(as: stored) || kept.ceiling > stored?.ceiling ?? .zero
            else { return nil }
            kept.ceiling = HybridTime(
                milliseconds: kept.ceiling.milliseconds + leaseMilliseconds + 1_000)
        }
        stored = kept
        return kept
    }

    /// This member's vote, as heartbeats announce it.
    var told: Lease? {
        var vote = vote
        vote?.stage = candidacy == nil ? .given : isCaughtUp ? .deciding : .asking
        return vote
    }
}

// MARK: - Voting

extension Election {
    /// Processes a member's vote. Returns whether this member has given its own vote to the sender, which
    /// waits for it.
    mutating func receive(_ heartbeat: Heartbeat, at milliseconds: UInt64, mayVote: Bool) -> Bool {
        guard let asked = heartbeat.lease, isCredible(asked) else { return false }
        highestTerm = max(highestTerm, asked.term)
        if asked.stage == .deciding { decidingMilliseconds = milliseconds }
        guard asked.stage != .given, asked.holder == heartbeat.writer, mayVote else { return false }
        if asked.isSameVote(as: vote) {
            vote?.renew(at: asked.renewedMilliseconds, allowing: asked.ceiling)
            voteEndsMilliseconds = milliseconds + voteMilliseconds
            return false
        }
        // A candidate with too few votes stands again in the next term. Its voters follow, or each would be bound to another
        // term whenever it stands.
        let isFollowing = asked.holder == vote?.holder
        guard isFollowing || isFree(at: milliseconds), asked.term > vote?.term ?? 0
        else { return false }
        if isFollowing { sometimes(.voteFollowsItsHolder) }
        give(asked, until: milliseconds + voteMilliseconds)
        return true
    }

    /// Whether a vote's term can be the result of elections. One message with the last term would otherwise end
    /// all elections, permanently.
    private func isCredible(_ lease: Lease) -> Bool {
        lease.term <= highestTerm || lease.term - highestTerm <= Election.termsAheadLimit
    }

    /// Whether the last vote no longer binds this member.
    private mutating func isFree(at milliseconds: UInt64) -> Bool {
        guard let ends = voteEndsMilliseconds else {
            voteEndsMilliseconds = milliseconds + voteMilliseconds
            return false
        }
        return milliseconds >= ends
    }

    private mutating func give(_ asked: Lease, until milliseconds: UInt64) {
        vote = Lease(
            term: asked.term, holder: asked.holder,
            renewedMilliseconds: asked.renewedMilliseconds, ceiling: asked.ceiling,
            formerCeiling: max(vote?.formerCeiling ?? .zero, vote?.ceiling ?? .zero),
            formerTerm: max(vote?.formerTerm ?? 0, vote?.term ?? 0))
        if candidacy != nil { sometimes(.candidateVotesForAnother) }
        voteEndsMilliseconds = milliseconds
        candidacy = nil
        vacantSince = nil
        isCeilingFinal = false
    }

    /// Learns that the holder of a lease has ended, so that no member needs to wait for it.
    ///
    /// - Parameter time: The latest stamp that it may have used, if it said so.
    mutating func release(_ writer: WriterID, after time: HybridTime? = nil) {
        guard vote?.holder == writer, writer != own else { return }
        sometimes(.leaseOfEndedHolderIsReleased)
        voteEndsMilliseconds = 0
        decidingMilliseconds = nil
        if let time { close(at: time) }
    }

    /// Ends this member's part: it renews no vote, decides nothing, and stamps nothing after this time.
    mutating func resign(after time: HybridTime) {
        candidacy = nil
        isCeilingFinal = true
        if vote?.holder == own { close(at: time) }
    }

    private mutating func close(at time: HybridTime) {
        guard let ceiling = vote?.ceiling else { return }
        vote?.ceiling = min(ceiling, time)
        isCeilingFinal = true
    }

    /// Lets a member that lost its disk learn which votes it may have given. It voted in no later term than the
    /// others, so the latest of their votes can replace its own.
    mutating func learn(from heartbeats: [Heartbeat]) {
        for lease in heartbeats.compactMap(\.lease)
        where lease.term > vote?.term ?? 0 && isCredible(lease) {
            sometimes(.voteIsLearntFromPeers)
            highestTerm = max(highestTerm, lease.term)
            give(lease, until: 0)
        }
    }
}

// MARK: - Standing

extension Election {
    /// A member's view of itself and the others when it considers its candidacy.
    struct Situation {
        var milliseconds: UInt64
        /// The time of its clock.
        var time: HybridTime
        /// The operations that it holds.
        var vector: VersionVector
        /// Its own vote, if that is durable.
        var durableVote: Lease?
        /// Whether it serves clients, can write, and holds everything that it has ever reported as held.
        var mayLead: Bool
        /// The last heartbeats of the other members; those of a candidate alone are looked at.
        var heartbeats: [Heartbeat]
        /// The number of configured members, this one included, and how many of them are live.
        var memberCount: Int
        var liveCount: Int
        /// How many live members have a name before this one's: they stand first.
        var rank: Int

        var majority: Int { memberCount / 2 + 1 }
    }

    /// Stands for election, renews the lease, or gives up. Returns whether to inform the other members at
    /// once.
    mutating func update(_ situation: Situation) -> Bool {
        if candidacy != nil { return goOn(situation) }
        guard situation.mayLead, isVacant(at: situation.milliseconds),
            situation.liveCount >= situation.majority, highestTerm < Lease.lastTerm
        else {
            vacantSince = nil
            return false
        }
        let since = vacantSince ?? situation.milliseconds
        vacantSince = since
        // Members that stand at the same moment split the votes.
        guard situation.milliseconds >= since + UInt64(situation.rank) * leaseMilliseconds / 4
        else { return false }
        stand(situation)
        return true
    }

    private mutating func isVacant(at milliseconds: UInt64) -> Bool {
        let isSilent = decidingMilliseconds.map { milliseconds >= $0 + voteMilliseconds } ?? true
        return isFree(at: milliseconds) && isSilent
    }

    private mutating func stand(_ situation: Situation) {
        highestTerm += 1
        let asked = Lease(
            term: highestTerm, holder: own, renewedMilliseconds: situation.milliseconds,
            ceiling: ceiling(at: situation.time), formerCeiling: .zero)
        give(asked, until: situation.milliseconds + voteMilliseconds)
        candidacy = Candidacy(beganMilliseconds: situation.milliseconds)
    }

    /// The latest stamp that a lease renewed now allows.
    private func ceiling(at time: HybridTime) -> HybridTime {
        HybridTime(milliseconds: time.milliseconds + leaseMilliseconds)
    }

    /// Returns whether this member has just become the coordinator.
    private mutating func goOn(_ situation: Situation) -> Bool {
        let wasCaughtUp = isCaughtUp
        let term = term(in: situation)
        if let term { catchUp(with: term.voters, in: situation) }
        guard situation.mayLead, !waitsForLostOperations(situation),
            isPending(situation) || isHeld(by: term, in: situation)
        else {
            if wasCaughtUp { sometimes(.termIsLostWhileDeciding) }
            sometimes(.termIsLost)
            candidacy = nil
            voteEndsMilliseconds = situation.milliseconds
            return false
        }
        let ceiling = ceiling(at: situation.time)
        vote?.renew(at: situation.milliseconds, allowing: ceiling)
        voteEndsMilliseconds = situation.milliseconds + voteMilliseconds
        return isCaughtUp && !wasCaughtUp
    }

    /// Whether answers of other members may still arrive.
    private func isPending(_ situation: Situation) -> Bool {
        guard let candidacy else { return false }
        return situation.milliseconds < candidacy.beganMilliseconds + leaseMilliseconds
    }

    private func isHeld(by term: Term?, in situation: Situation) -> Bool {
        term.map { situation.milliseconds < $0.endsMilliseconds } ?? false
    }

    private mutating func catchUp(with voters: [Heartbeat], in situation: Situation) {
        var required =
            candidacy?.required ?? requirement(of: voters, at: situation.milliseconds)
        let isOver =
            situation.time >= required.floor
            || situation.milliseconds >= required.floorPassedMilliseconds
        if isOver, situation.vector.covers(required.vector) { required.isMet = true }
        candidacy?.required = required
    }

    /// Whether this candidate waits for operations that a voter held and no member holds, because of lost disks or
    /// older copies. In its next term it waits for the operations that voters then hold.
    private func waitsForLostOperations(_ situation: Situation) -> Bool {
        guard let required = candidacy?.required, !required.isMet else { return false }
        let missing = required.vector.advanced(beyond: situation.vector).entries
        let isLost = missing.contains { origin, sequence in
            !situation.heartbeats.contains { $0.vector[origin] >= sequence }
        }
        if isLost { sometimes(.candidateWaitsForLostOperations) }
        return isLost
    }

    /// Returns the operations that these voters held when they voted, and the latest stamp that they had allowed.
    private func requirement(of voters: [Heartbeat], at milliseconds: UInt64) -> Requirement {
        var required = Requirement(
            vector: VersionVector(),
            floor: vote?.formerCeiling ?? .zero,
            formerTerm: vote?.formerTerm ?? 0,
            floorPassedMilliseconds: milliseconds + voteMilliseconds)
        for heartbeat in voters {
            required.vector.raise(to: heartbeat.vector)
            required.floor = max(required.floor, heartbeat.lease?.formerCeiling ?? .zero)
            required.formerTerm = max(required.formerTerm, heartbeat.lease?.formerTerm ?? 0)
        }
        return required
    }
}

// MARK: - The lease

extension Election {
    /// The votes for this member in its term, which are enough.
    struct Term {
        /// The heartbeats of the other members that vote for this one.
        var voters: [Heartbeat]
        /// When the lease ends, by this member's monotonic clock.
        var endsMilliseconds: UInt64
        /// The latest stamp that most members allow.
        var ceiling: HybridTime
    }

    var isCandidate: Bool { candidacy != nil }

    /// Whether this member waits for votes, or for operations that its voters hold.
    var isStanding: Bool { candidacy != nil && !isCaughtUp }

    /// Whether this member is elected and holds everything that its voters held.
    var isCaughtUp: Bool { candidacy?.required?.isMet == true }

    /// The latest stamp that earlier coordinators may have used; this one's stamps are later.
    var floor: HybridTime { candidacy?.required?.floor ?? .zero }

    /// The last term before this member's own in which another coordinator may have decided.
    var formerTerm: UInt64 { candidacy?.required?.formerTerm ?? 0 }

    /// The lease under which this member may decide now; nil if it must not decide.
    func lease(in situation: Situation) -> Term? {
        guard isCaughtUp, let term = term(in: situation), isHeld(by: term, in: situation)
        else { return nil }
        return term
    }

    private func term(in situation: Situation) -> Term? {
        guard candidacy != nil, let vote, vote.holder == own,
            vote.isSameVote(as: situation.durableVote)
        else { return nil }
        let voters = situation.heartbeats.filter { vote.isSameVote(as: $0.lease) }
        guard voters.count + 1 >= situation.majority else { return nil }
        // The renewal that a majority knows, by the member that knows least. No member knows more than was
        // requested.
        let now = situation.milliseconds
        let renewal = voters.value(reachedBy: situation.majority, with: now) {
            $0.lease?.renewedMilliseconds ?? 0
        }
        let ceiling = voters.value(reachedBy: situation.majority, with: vote.ceiling) {
            $0.lease?.ceiling ?? .zero
        }
        return Term(
            voters: voters, endsMilliseconds: renewal + leaseMilliseconds, ceiling: ceiling)
    }
}

extension [Heartbeat] {
    /// The greatest value that so many members reach: this one, whose own value is the greatest of all, and the senders.
    ///
    /// - Complexity: O(members²), without memory: they are few, and this is asked several times a turn.
    fileprivate func value<Number: Comparable>(
        reachedBy count: Int, with own: Number, _ value: (Heartbeat) -> Number
    ) -> Number {
        if count <= 1 { return own }
        var greatest: Number?
        for index in indices {
            let reached = Swift.min(value(self[index]), own)
            let others = indices.count { value(self[$0]) >= reached }
            if others + 1 >= count { greatest = Swift.max(greatest ?? reached, reached) }
        }
        return greatest ?? own
    }
}

extension Lease {
    fileprivate mutating func renew(at milliseconds: UInt64, allowing time: HybridTime) {
        renewedMilliseconds = milliseconds
        ceiling = max(ceiling, time)
    }
}
