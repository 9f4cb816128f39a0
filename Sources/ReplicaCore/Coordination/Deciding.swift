import DataTree
import SyncProtocol

// What the coordinator does: it stands for election, decides proposals on its tree, and answers once most
// members hold what it has decided.

extension Replica {
    /// What the election needs to know of this moment.
    func electionSituation(at time: HybridTime) -> Election.Situation {
        let live = peers.all.filter { peers.isLive($0, at: now.elapsedMilliseconds) }
        return Election.Situation(
            milliseconds: now.elapsedMilliseconds, time: time, vector: vector,
            durableVote: turns.durable.lease, mayLead: mayVote && startup.isServing,
            heartbeats: peers.all.compactMap(\.heartbeat), memberCount: peers.all.count + 1,
            liveCount: live.count + 1,
            rank: live.count { $0.member < configuration.member })
    }

    /// Whether this member holds all that it has ever promised to hold, and can vote.
    ///
    /// One that lost its disk knows neither what it held nor whom it had voted for, before it has heard
    /// all others; one that was evicted has to do again first what it alone had.
    var mayVote: Bool {
        coordination.isInformed && storageFailure == nil && isWhole
            && peers.evictions.own(at: .back).isEmpty
    }

    /// Sees to elections, and decides what is to be decided; before the batch of this turn is closed.
    mutating func coordinate() {
        // A node without peers decides at once.
        if peers.all.isEmpty { return }
        informVoter()
        let situation = electionSituation(at: clock.last)
        if coordination.election.update(situation) {
            nextHeartbeatMilliseconds = now.elapsedMilliseconds
            if coordination.election.isCaughtUp { beginDeciding() }
        }
        forwardTransactions()
        if let lease = coordination.election.lease(in: situation) {
            decide(within: lease)
            answerDecided(within: lease)
        } else if !coordination.election.isCaughtUp {
            coordination.dropAll()
        }
        coordination.dropExpired(at: now.elapsedMilliseconds)
        for (member, verdicts) in coordination.takeVerdicts() {
            turn.immediate.append(.answer(member, PeerMessage.decided(verdicts).frame))
        }
        answerTransactions()
    }

    private mutating func beginDeciding() {
        clock.observe(coordination.election.floor)
        coordination.terms.begin()
    }

    /// An incarnation without a past may vote once it has heard all others, and holds what they do.
    private mutating func informVoter() {
        guard !coordination.isInformed else { return }
        let members = peers.members
        guard members.allSatisfy({ peers.isLive($0, at: now.elapsedMilliseconds) }),
            members.allSatisfy({ vector.covers($0.heartbeat?.vector ?? VersionVector()) })
        else { return }
        coordination.isInformed = true
        coordination.election.learn(from: members.compactMap(\.heartbeat))
    }

    /// Takes proposals of a member, if they are meant for this one as it is now.
    mutating func take(_ proposals: Proposals) {
        guard proposals.coordinator == writer else { return }
        coordination.propose(proposals, at: now.elapsedMilliseconds)
    }

    // MARK: Deciding

    private mutating func decide(within lease: Election.Term) {
        while mayStamp(within: lease), let next = coordination.nextProposal(holding: vector) {
            decide(next)
        }
    }

    /// Whether the next stamp is one that most members allow for.
    private func mayStamp(within lease: Election.Term) -> Bool {
        let next = max(
            clock.last.successor, HybridTime(milliseconds: now.wallMilliseconds))
        return next <= lease.ceiling
    }

    private mutating func decide(_ one: Coordination.Proposed) {
        let proposal = one.proposal
        switch deduplicationTable.answer(for: proposal.id) {
        case .done:
            guard isDone(proposal.id) else { return tell(.forgotten, for: one) }
            // It is here, but who else holds it nobody has looked at.
            return answer(one, onceHeld: vector)
        case .forgotten: return tell(.forgotten, for: one)
        case .notDone: break
        }
        guard proposal.condition.matches(tree.value[proposal.path]) else {
            return tell(.changed, for: one)
        }
        do throws(DataError) {
            let writes = try Acceptance.resolveServerValues(
                [Write(path: proposal.path, value: proposal.value)], in: tree.value,
                wallMilliseconds: now.wallMilliseconds)
            if !writes.isEmpty {
                accept(writes, alias: proposal.id, term: coordination.election.vote?.term)
            }
            counters.decided += 1
            var basis = VersionVector()
            basis[writer] = vector[writer]
            answer(one, onceHeld: basis)
        } catch {
            tell(.invalid(problem: error.problem, fix: error.fix), for: one)
        }
    }

    /// Whether all that this coordinator decides rests on a transaction.
    private func isDone(_ name: Stamp) -> Bool {
        let election = coordination.election
        return coordination.terms.isDone(
            name, in: election.vote?.term ?? 0, after: election.formerTerm)
    }

    private mutating func tell(_ outcome: Verdict.Outcome, for one: Coordination.Proposed) {
        answer(Verdict(one.proposal.id, outcome, basis: vector), to: one.member)
    }

    /// Answers once enough members hold so much.
    private mutating func answer(
        _ one: Coordination.Proposed, onceHeld basis: VersionVector
    ) {
        turn.requestsHeartbeats = true
        coordination.wait(
            .init(
                id: one.proposal.id, member: one.member, basis: basis,
                concern: one.proposal.concern,
                untilMilliseconds: now.elapsedMilliseconds
                    + WriteConcernWaiters.patienceMilliseconds))
    }

    // MARK: Answering

    private mutating func answerDecided(within lease: Election.Term) {
        if coordination.decided.isEmpty { return }
        let durable = turns.durable.vector
        let majority = (peers.all.count + 1) / 2 + 1
        let members = peers.members
        let done = coordination.takeHeld(at: now.elapsedMilliseconds) { basis in
            guard durable.covers(basis) else { return .local }
            if members.allSatisfy({ $0.heartbeat?.vector.covers(basis) == true }) { return .all }
            // Those alone that have not voted for another coordinator meanwhile.
            let holders = lease.voters.count { $0.vector.covers(basis) } + 1
            return holders >= majority ? .majority : .local
        }
        for (one, concern) in done {
            answer(Verdict(one.id, .done(concern), basis: one.basis), to: one.member)
        }
    }

    private mutating func answer(_ verdict: Verdict, to member: String) {
        if member == configuration.member {
            coordination.forwarded.answer(verdict)
        } else {
            coordination.tell(verdict, to: member)
        }
    }
}
