import SyncProtocol

// How the coordination of transactions takes its turn: what it decides becomes an operation of this replica, and
// what it answers goes to clients.

extension Replica {
    /// Whether this member holds all that it has ever promised to hold, and can vote.
    ///
    /// One that lost its disk knows neither what it held nor whom it had voted for, before it has heard all
    /// others; one that was evicted has to replay its orphaned operations first.
    var mayVote: Bool {
        coordination.isInformed && storageFailure == nil && isWhole
            && replication.peers.evictions.own(at: .back).isEmpty
    }

    /// Sees to elections, and decides what is to be decided.
    mutating func coordinate() {
        // A node without peers decides at once.
        guard !replication.peers.all.isEmpty, coordination.isDue(at: now.elapsedMilliseconds)
        else { return }
        coordination.beginLook(at: now.elapsedMilliseconds)
        coordination.learnVotes(from: replication.peers, holding: vector, at: now)
        coordination.releaseEndedHolder(seeing: replication.peers, at: replication.clock.last)
        let situation = electionSituation
        if coordination.stand(in: situation) {
            // The others hear of it as soon as the vote is durable, and not with the next regular heartbeat:
            // until then they would stand themselves.
            replication.turn.isHeartbeatRequested = true
            if coordination.election.isCaughtUp {
                replication.clock.observe(coordination.election.floor)
            }
        }
        coordination.forwardTransactions(seeing: replication.view, replication.peers)
        if let lease = coordination.election.lease(in: situation) {
            decide(within: lease)
            coordination.answerDecided(
                within: lease, holding: turns.durable.vector, seeing: replication.peers, at: now)
        } else if !coordination.election.isCaughtUp {
            coordination.dropAll()
        }
        coordination.dropExpired(at: now.elapsedMilliseconds)
        if coordination.takeHeartbeatRequest() { replication.turn.requestsHeartbeats = true }
        replication.turn.immediate += coordination.takeOutputs()
        answerTransactions()
    }

    /// What the election needs to know of this moment.
    private var electionSituation: Election.Situation {
        let peers = replication.peers
        let live = peers.all.filter { peers.isLive($0, at: now.elapsedMilliseconds) }
        return Election.Situation(
            milliseconds: now.elapsedMilliseconds, time: replication.clock.last, vector: vector,
            durableVote: turns.durable.lease, mayLead: mayVote && lifecycle.isOpen,
            heartbeats: peers.all.compactMap(\.heartbeat), memberCount: peers.all.count + 1,
            liveCount: live.count + 1,
            rank: live.count { $0.member < configuration.member })
    }

    private mutating func decide(within lease: Election.Term) {
        while mayStamp(within: lease), let next = coordination.nextProposal(holding: vector) {
            let id = next.proposal.id
            let known = replication.deduplicationTable.answer(for: id)
            guard let writes = coordination.decide(next, known: known, seeing: replication.view)
            else { continue }
            if !writes.isEmpty {
                accept(writes, alias: id, term: coordination.election.vote?.term)
            }
            replication.counters.decided += 1
            var basis = VersionVector()
            basis[writer] = vector[writer]
            coordination.answer(next, onceHeld: basis, at: now)
        }
    }

    /// Whether the next stamp is one that most members allow for.
    private func mayStamp(within lease: Election.Term) -> Bool {
        let next = max(
            replication.clock.last.successor, HybridTime(milliseconds: now.wallMilliseconds))
        return next <= lease.ceiling
    }

    /// Tells clients what was decided, and those that have waited long enough that it was not.
    private mutating func answerTransactions() {
        let answered = coordination.takeAnswered(seeing: replication.view, replication.peers)
        for (entry, failure) in answered {
            if let failure {
                sessions.refuse(failure, entry.requestID, entry.session)
            } else {
                sessions.send(entry.confirmation, to: entry.session)
            }
        }
    }
}
