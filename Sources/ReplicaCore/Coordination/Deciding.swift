import Convergence
import DataTree
import Store
import SyncProtocol

// What a member does for elections, and what the coordinator does: it decides proposals on its tree, and answers
// once most members hold what it has decided.

extension Coordination {
    // MARK: Voting

    /// A member that has lost its disk may vote once it has heard all others, and holds what they do.
    mutating func learnVotes(from peers: Peers, holding vector: VersionVector, at now: Moment) {
        guard !isInformed else { return }
        let members = peers.members
        guard members.allSatisfy({ peers.isLive($0, at: now.elapsedMilliseconds) }),
            members.allSatisfy({ vector.covers($0.heartbeat?.vector ?? VersionVector()) })
        else { return }
        isInformed = true
        election.learn(from: members.compactMap(\.heartbeat))
    }

    /// Drops a vote that binds this member to an incarnation which has ended, so that another coordinator can
    /// follow at once after a restart of all nodes.
    ///
    /// Once all members were heard, an incarnation that none of them is any more has ended: its member was heard
    /// as a later one. Nothing rests on how long the vote would have bound: members never vote in an earlier term,
    /// what is acknowledged is held by members that still vote for who decided it, and the next coordinator stamps
    /// above the ceiling, which stays.
    mutating func releaseEndedHolder(seeing peers: Peers, at time: HybridTime) {
        guard peers.all.allSatisfy({ $0.heartbeat != nil }) else { return }
        election.release(unlessHeldBy: peers.writers, at: time)
    }

    /// Stands for election, renews the lease, or gives up. Returns whether the other members are to hear of it at
    /// once.
    mutating func stand(in situation: Election.Situation) -> Bool {
        guard election.update(situation) else { return false }
        if election.isCaughtUp { terms.begin() }
        return true
    }

    /// What is to be stored, if this member has voted otherwise than the last time.
    mutating func takeVoteToStore() -> Property? {
        guard let vote = election.takeChange() else { return nil }
        var writer = MessagePackWriter()
        writer.append(vote)
        return Property(.vote, bytes: writer.bytes)
    }

    /// Learns of an operation that the tree has taken.
    mutating func note(_ operation: Operation, of origin: WriterID) {
        guard operation.term != nil else { return }
        terms.note(operation, isLate: origin != election.own && election.isCaughtUp)
    }

    // MARK: Deciding

    /// Decides a proposal by the tree as it is here: returns what its transaction writes, or nil if the member
    /// that asked is told that it writes nothing.
    ///
    /// - Parameter known: What the deduplication table says of the transaction.
    mutating func decide(
        _ one: Proposed, known: DeduplicationTable.Answer, seeing replica: ReplicationView
    ) -> [Write]? {
        let proposal = one.proposal
        switch known {
        case .done:
            if isDone(proposal.id) {
                // It is here, but which other members hold it nobody has looked at.
                answer(one, onceHeld: replica.vector, at: replica.now)
            } else {
                reject(one, .forgotten, holding: replica.vector)
            }
            return nil
        case .forgotten:
            reject(one, .forgotten, holding: replica.vector)
            return nil
        case .notDone: break
        }
        guard proposal.condition.matches(replica.tree[proposal.path]) else {
            reject(one, .changed, holding: replica.vector)
            return nil
        }
        do throws(DataError) {
            return try Acceptance.resolveServerValues(
                [Write(path: proposal.path, value: proposal.value)], in: replica.tree,
                wallMilliseconds: replica.now.wallMilliseconds)
        } catch {
            let outcome = Verdict.Outcome.invalid(problem: error.problem, fix: error.fix)
            reject(one, outcome, holding: replica.vector)
            return nil
        }
    }

    /// Whether all that this coordinator decides rests on a transaction.
    private func isDone(_ name: Stamp) -> Bool {
        terms.isDone(name, in: election.vote?.term ?? 0, after: election.formerTerm)
    }

    private mutating func reject(
        _ one: Proposed, _ outcome: Verdict.Outcome, holding vector: VersionVector
    ) {
        answer(Verdict(one.proposal.id, outcome, basis: vector), to: one.member)
    }

    /// Answers once enough members hold so much.
    mutating func answer(_ one: Proposed, onceHeld basis: VersionVector, at now: Moment) {
        requestsHeartbeats = true
        wait(
            .init(
                id: one.proposal.id, member: one.member, basis: basis,
                concern: one.proposal.concern,
                untilMilliseconds: now.elapsedMilliseconds
                    + WriteConcernWaiters.patienceMilliseconds))
    }

    // MARK: Answering

    /// Answers the transactions that enough members hold.
    ///
    /// - Parameter durable: What is durable here.
    mutating func answerDecided(
        within lease: Election.Term, holding durable: VersionVector, seeing peers: Peers,
        at now: Moment
    ) {
        if decided.isEmpty { return }
        let majority = (peers.all.count + 1) / 2 + 1
        let members = peers.members
        let done = takeHeld(at: now.elapsedMilliseconds) { basis in
            guard durable.covers(basis) else { return .local }
            if members.allSatisfy({ $0.heartbeat?.vector.covers(basis) == true }) { return .all }
            // Only those that have not voted for another coordinator meanwhile.
            let holders = lease.voters.count { $0.vector.covers(basis) } + 1
            return holders >= majority ? .majority : .local
        }
        for (one, concern) in done {
            answer(Verdict(one.id, .done(concern), basis: one.basis), to: one.member)
        }
    }

    private mutating func answer(_ verdict: Verdict, to member: String) {
        if member == self.member {
            forwarded.answer(verdict)
        } else {
            tell(verdict, to: member)
        }
    }
}
