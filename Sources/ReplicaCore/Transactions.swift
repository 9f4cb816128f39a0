import SyncProtocol

// How transactions take part in a turn: the coordinator's decisions become operations of this replica, and
// answers go to clients.

extension Replica {
    /// Whether this member holds everything that it has ever reported as held, and can vote.
    ///
    /// A member that lost its disk knows neither what it held nor its votes before it has heartbeats of all
    /// others; an evicted one must first replay its orphaned operations.
    var mayVote: Bool {
        coordination.isInformed && storageFailure == nil && isFullMember
            && replication.peers.evictions.own(at: .back).isEmpty
    }

    /// Advances elections, and decides proposals.
    mutating func coordinate() {
        // A node without peers decides at once.
        guard !replication.peers.all.isEmpty, coordination.isDue(at: now.elapsedMilliseconds)
        else { return }
        coordination.beginLook(at: now.elapsedMilliseconds)
        coordination.learnVotes(from: replication.peers, holding: vector, at: now)
        coordination.releaseEndedHolder(
            seeing: replication.peers, holding: vector, at: replication.clock.last)
        let situation = electionSituation
        if coordination.stand(in: situation) {
            // The others learn it as soon as the vote is durable, not with the next regular heartbeat: otherwise
            // they would stand as well.
            replication.turn.owesHeartbeat = true
            if coordination.election.isCaughtUp {
                replication.clock.observe(coordination.election.floor)
            }
        }
        // A decision releases requests that waited for it, and these may be transactions as well.
        repeat {
            advanceTransactions(in: situation)
            answerTransactions()
        } while serveReleased()
        coordination.dropExpired(at: now.elapsedMilliseconds)
        if coordination.takeHeartbeatRequest() { replication.turn.asksForHeartbeats = true }
        replication.turn.immediate.append(all: coordination.takeOutputs())
    }

    /// Sends the coordinator the transactions of this node's clients and, if this member is the coordinator, decides.
    private mutating func advanceTransactions(in situation: Election.Situation) {
        coordination.forwardTransactions(seeing: replication.view, replication.peers)
        if let lease = coordination.election.lease(in: situation) {
            decide(within: lease)
            settleEndedNodes()
            coordination.answerDecided(
                within: lease, holding: turns.durable.vector, seeing: replication.peers, at: now)
        } else if !coordination.election.isCaughtUp {
            coordination.dropAll()
        }
    }

    /// The facts of this moment on which the election depends.
    private var electionSituation: Election.Situation {
        let peers = replication.peers
        let milliseconds = now.elapsedMilliseconds
        return Election.Situation(
            milliseconds: milliseconds, time: replication.clock.last, vector: vector,
            durableVote: turns.durable.lease, mayLead: mayVote && lifecycle.isOpen,
            heartbeats: coordination.election.isCandidate ? peers.all.compactMap(\.heartbeat) : [],
            memberCount: peers.all.count + 1,
            liveCount: peers.liveCount(at: milliseconds) + 1,
            rank: peers.liveCount(before: configuration.member, at: milliseconds))
    }

    private mutating func decide(within lease: Election.Term) {
        var units = configuration.limits.turnUnits / 4
        coordination.compare(
            spending: &units, sharing: &sessions.hashes, at: now.elapsedMilliseconds)
        while mayStamp(within: lease), let next = nextProposal(spending: &units) {
            let id = next.proposal.id
            let known = replication.deduplicationTable.answer(for: id)
            let writes = coordination.decide(
                next, known: known, seeing: replication.view, replication.peers)
            guard let writes else { continue }
            if !writes.isEmpty {
                accept(
                    writes, alias: id, term: coordination.election.vote?.term,
                    for: next.proposal.attribution)
            }
            replication.counters.decided += 1
            var basis = VersionVector()
            basis[writer] = vector[writer]
            coordination.answer(next, onceHeld: basis, at: now)
        }
    }

    private mutating func nextProposal(spending units: inout Int) -> Coordination.Proposed? {
        coordination.nextProposal(
            holding: shownVector, in: value, spending: &units, sharing: &sessions.hashes,
            at: now.elapsedMilliseconds)
    }

    /// Whether most members allow the next stamp.
    private func mayStamp(within lease: Election.Term) -> Bool {
        let next = max(
            replication.clock.last.successor, HybridTime(milliseconds: now.wallMilliseconds))
        return next <= lease.ceiling
    }

    /// Answers clients whose transactions are decided, and those that have waited long enough without a
    /// decision.
    private mutating func answerTransactions() {
        let answered = coordination.takeAnswered(seeing: replication.view, replication.peers)
        for (entry, failure) in answered {
            // The transaction may still be done: what the client sent after it would come before it.
            if entry.verdict == nil { sessions.dropWaiting(ofLeaving: entry.session) }
            if let failure {
                let isUser = sessions.access.isUser(entry.session)
                sessions.refuse(
                    isUser ? failure.asUsersSeeIt : failure, entry.requestID, entry.session)
            } else {
                sessions.send(entry.confirmation, to: entry.session)
                sessions.disconnects.noteWrite(of: entry.session, at: replication.clock.last)
                sessions.waiting.record(decidedAt: replication.clock.last, of: entry.session)
            }
        }
    }
}
