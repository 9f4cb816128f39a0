import Convergence
import DataTree
import Marks
import Store
import SyncProtocol

// Elections at a member, and decisions at the coordinator. The coordinator decides proposals on its tree, and
// answers once a majority holds the decision.

extension Coordination {
    // MARK: Voting

    /// Lets a member that has lost its disk vote once it has received heartbeats of all others, and holds what
    /// they do.
    mutating func learnVotes(from peers: Peers, holding vector: VersionVector, at now: Moment) {
        guard !isInformed else { return }
        let members = peers.remaining
        guard members.allSatisfy({ peers.isLive($0, at: now.elapsedMilliseconds) }),
            members.allSatisfy({ vector.covers($0.heartbeat?.vector ?? VersionVector()) })
        else { return }
        isInformed = true
        election.learn(from: members.compactMap(\.heartbeat))
    }

    /// Drops a vote for an incarnation that has ended, so that another coordinator can follow at once after a
    /// restart of all nodes.
    ///
    /// Once heartbeats of all members have arrived, an incarnation that is current at none of them has ended.
    /// Safety does not depend on the duration of the vote. Members never vote in an earlier term, and acknowledged
    /// operations are held by members that still vote for the coordinator that decided them. The next coordinator
    /// stamps above the ceiling.
    ///
    /// A killed node leaves a ceiling some seconds ahead. It stays until the clock has passed it, or until all
    /// members have closed the holder and this one holds all its operations that they hold. No unknown operation of
    /// the holder can then arrive, and the clock has followed all known stamps.
    mutating func releaseEndedHolder(
        seeing peers: Peers, holding vector: VersionVector, at time: HybridTime
    ) {
        guard let vote = election.vote, !peers.writers.contains(vote.holder),
            peers.all.allSatisfy({ $0.heartbeat != nil })
        else { return }
        if vote.ceiling <= time {
            election.release(vote.holder)
        } else if peers.remaining.count == peers.all.count, peers.isComplete(holding: vector) {
            election.release(vote.holder, after: time)
        }
    }

    /// Stands for election, renews the lease, or gives up. Returns whether to inform the other members at once.
    mutating func stand(in situation: Election.Situation) -> Bool {
        guard election.update(situation) else { return false }
        if election.isCaughtUp { terms.begin() }
        return true
    }

    /// The vote to be stored, if it has changed.
    mutating func takeVoteToStore() -> Property? {
        guard let vote = election.takeChange() else { return nil }
        var writer = MessagePackWriter()
        writer.append(vote)
        return Property(.vote, bytes: writer.bytes)
    }

    /// Learns of an operation that the tree has applied.
    mutating func record(_ operation: Operation, of origin: WriterID) {
        guard operation.term != nil else { return }
        terms.record(operation, isLate: origin != election.own && election.isCaughtUp)
    }

    // MARK: Deciding

    /// Decides a proposal by this replica's tree: returns the writes of its transaction, or nil if it writes
    /// nothing, of which the requesting member is informed.
    ///
    /// - Parameter known: The deduplication table's answer about the transaction.
    mutating func decide(
        _ one: Proposed, known: DeduplicationTable.Answer, seeing replica: ReplicationView,
        _ peers: Peers
    ) -> [Write]? {
        let proposal = one.proposal
        switch known {
        case .done:
            if isDone(proposal.id) {
                sometimes(.transactionIsAskedAgain)
                // Done here, but this coordinator has not checked which other members hold it.
                answer(one, onceHeld: replica.vector, at: replica.now)
            } else {
                sometimes(.transactionOfFormerTermComesAgain)
                reject(one, .forgotten, holding: replica.vector)
            }
            return nil
        case .forgotten:
            sometimes(.transactionIsForgotten)
            reject(one, .forgotten, holding: replica.vector)
            return nil
        case .notDone: break
        }
        guard !refused.contains(proposal.id),
            one.check?.isMet(by: replica.tree[proposal.path]) ?? false
        else {
            refused.insert(proposal.id)
            let mayBeDone = mayHaveBeenDecided(proposal.id, seeing: peers, replica)
            if mayBeDone, postpone(one, at: replica.now.elapsedMilliseconds) { return nil }
            reject(one, mayBeDone ? .forgotten : .changed, holding: replica.vector)
            return nil
        }
        do throws(DataError) {
            return try Acceptance.resolveServerValues(
                [Write(path: proposal.path, value: proposal.value)], seeing: replica)
        } catch {
            let outcome = TransactionDecision.Outcome.invalid(
                problem: error.problem, fix: error.fix)
            reject(one, outcome, holding: replica.vector)
            return nil
        }
    }

    /// Whether an earlier coordinator may have decided a transaction that is not held here: it was named before this one
    /// began, and an earlier writer may return with operations that no other member has.
    private func mayHaveBeenDecided(
        _ name: Stamp, seeing peers: Peers, _ replica: ReplicationView
    ) -> Bool {
        guard name.time <= election.floor else { return false }
        // A heartbeat shows everything that its sender had stamped by then.
        let isComplete = peers.all.allSatisfy { peer in
            guard let heartbeat = peer.heartbeat else { return false }
            return heartbeat.time > election.floor && replica.vector.covers(heartbeat.vector)
        }
        if isComplete { return false }
        sometimes(.transactionOfFormerTermComesAgain)
        return true
    }

    /// Whether everything that this coordinator decides depends on a transaction.
    private func isDone(_ name: Stamp) -> Bool {
        terms.isDone(name, in: election.vote?.term ?? 0, after: election.formerTerm)
    }

    private mutating func reject(
        _ one: Proposed, _ outcome: TransactionDecision.Outcome, holding vector: VersionVector
    ) {
        if case .changed = outcome { sometimes(.transactionConflicts) }
        answer(TransactionDecision(one.proposal.id, outcome, basis: vector), to: one.member)
    }

    /// Answers once enough members hold this much.
    mutating func answer(_ one: Proposed, onceHeld basis: VersionVector, at now: Moment) {
        asksForHeartbeats = true
        wait(
            .init(
                id: one.proposal.id, member: one.member, basis: basis,
                concern: one.proposal.concern,
                untilMilliseconds: now.elapsedMilliseconds
                    + WriteConcern.patienceMilliseconds))
    }

    // MARK: Answering

    /// Answers the transactions that enough members hold.
    ///
    /// - Parameter durable: The operations that are durable here.
    mutating func answerDecided(
        within lease: Election.Term, holding durable: VersionVector, seeing peers: Peers,
        at now: Moment
    ) {
        if decided.isEmpty { return }
        let majority = (peers.all.count + 1) / 2 + 1
        let members = peers.remaining
        let done = takeHeld(at: now.elapsedMilliseconds) { basis in
            guard durable.covers(basis) else { return .local }
            if members.allSatisfy({ $0.heartbeat?.vector.covers(basis) == true }) { return .all }
            // Only members that have not voted for another coordinator since.
            let holders = lease.voters.count { $0.vector.covers(basis) } + 1
            return holders >= majority ? .majority : .local
        }
        for (one, concern) in done {
            answer(TransactionDecision(one.id, .done(concern), basis: one.basis), to: one.member)
        }
    }

    private mutating func answer(_ verdict: TransactionDecision, to member: String) {
        if member == self.member {
            forwarded.answer(verdict, from: member)
        } else {
            send(verdict, to: member)
        }
    }
}
