import DataTree
import SyncProtocol

// What a node does with the transactions of its clients: it sends them to the coordinator, and tells each
// client of the decision once it holds what that rests on.

extension Replica {
    /// Takes a conditional put of a client: for the coordinator, unless the client or the lack of other nodes
    /// says that this one decides.
    mutating func transact(
        _ write: Write, if condition: Condition, _ id: UInt64, _ session: SessionID,
        _ concern: WriteConcern?, named name: Stamp?
    ) {
        if rejoin != nil {
            clientSessions.halt(session)
            return refuseWhileRejoining(id, session)
        }
        if clientSessions.isHalted(session) {
            return refuse(
                .late, Replica.haltedFailure, fix: "send \"hello\", then the write again", id,
                session)
        }
        if let name, !isClient(name.writer) { return refuseWriter(name.writer, id, session) }
        if condition.isLocal || peers.all.isEmpty {
            decideHere(write, if: condition.hash, id, session, concern, named: name)
        } else {
            propose(write, if: condition, id, session, concern, named: name)
        }
    }

    /// Decides a conditional put by what is here.
    private mutating func decideHere(
        _ write: Write, if condition: DataHash, _ id: UInt64, _ session: SessionID,
        _ concern: WriteConcern?, named name: Stamp?
    ) {
        switch name.map({ deduplicationTable.answer(for: $0) }) {
        case .done?:
            counters.repeated += 1
            return confirm(id, concern, for: session)
        case .forgotten?: return refuseForgotten(id, session)
        case .notDone?, nil: break
        }
        guard condition.matches(tree.value[write.path]) else {
            return refuseChanged(at: write.path, id, session)
        }
        do throws(DataError) {
            let resolved = try Acceptance.resolveServerValues(
                [write], in: tree.value, wallMilliseconds: now.wallMilliseconds)
            if !resolved.isEmpty { accept(resolved, alias: name) }
            confirm(id, concern, for: session)
        } catch {
            refuse(.invalid, error.problem, fix: error.fix, id, session)
        }
    }

    private mutating func confirm(
        _ id: UInt64, _ concern: WriteConcern?, for session: SessionID
    ) {
        if let concern {
            answer(id, once: concern, for: session)
        } else {
            outbox.append(.ok(id: id), to: session)
        }
    }

    private mutating func propose(
        _ write: Write, if condition: Condition, _ id: UInt64, _ session: SessionID,
        _ concern: WriteConcern?, named name: Stamp?
    ) {
        guard coordination.forwarded.hasRoom else {
            return refuse(
                .tooBig,
                "\(ForwardedTransactions.countLimit) transactions, or "
                    + "\(ForwardedTransactions.byteLimit >> 20) MB of them, wait at "
                    + "\(configuration.member) already",
                fix: "try again later, or at another node", id, session)
        }
        let proposal = Proposal(
            id: name
                ?? Stamp(time: clock.next(wallMilliseconds: now.wallMilliseconds), writer: writer),
            path: write.path, value: write.value, condition: condition.hash,
            concern: max(concern ?? .majority, .majority))
        var entry = ForwardedTransactions.Entry(proposal, of: session, id)
        entry.concern = concern
        if let patience = condition.patienceMilliseconds {
            let longest = UInt64(86_400_000)
            entry.untilMilliseconds = now.elapsedMilliseconds + min(patience, longest)
        }
        coordination.forwarded.add(entry)
    }

    /// The coordinator, as far as this node has heard of one.
    var coordinator: (member: String, writer: WriterID)? {
        if coordination.election.isCaughtUp || peers.all.isEmpty {
            return (configuration.member, writer)
        }
        let deciding = peers.all.filter { peer in
            peers.isLive(peer, at: now.elapsedMilliseconds)
                && peer.heartbeat?.lease?.stage == .deciding
        }
        return deciding.max { ($0.heartbeat?.lease?.term ?? 0) < ($1.heartbeat?.lease?.term ?? 0) }
            .flatMap { peer in peer.heartbeat.map { (peer.member, $0.writer) } }
    }

    /// The name of the member that decides transactions, as far as this one has heard of one.
    public var coordinatorMember: String? { coordinator?.member }

    /// Sends the coordinator what it has not got, or has not answered for a while.
    mutating func forwardTransactions() {
        if coordination.forwarded.isEmpty { return }
        let coordinator = coordinator
        let due = coordination.forwarded.due(
            for: coordinator?.writer, at: now.elapsedMilliseconds)
        guard let coordinator, !due.isEmpty else { return }
        if coordinator.member == configuration.member {
            let own = Proposals(
                member: configuration.member, coordinator: writer, seen: VersionVector(), all: due)
            return take(own)
        }
        for part in due.parts(ofBytes: 1 << 20) {
            let proposals = Proposals(
                member: configuration.member, coordinator: coordinator.writer, seen: vector,
                all: part)
            turn.immediate.append(
                .ask(coordinator.member, PeerMessage.propose(proposals).frame))
        }
    }

    /// Tells clients what was decided, and those that have waited long enough that it was not.
    mutating func answerTransactions() {
        if coordination.forwarded.isEmpty { return }
        for entry in coordination.forwarded.takeAnswered(holding: vector) { answer(entry) }
        for entry in coordination.forwarded.takeExpired(at: now.elapsedMilliseconds) {
            giveUp(entry)
        }
    }

    private mutating func answer(_ entry: ForwardedTransactions.Entry) {
        let (id, session) = (entry.requestID, entry.session)
        switch entry.verdict?.outcome {
        case .done(let reached)?:
            outbox.append(
                entry.concern.map {
                    .acknowledged(id: id, concern: min(reached, max($0, .majority)))
                }
                    ?? .ok(id: id), to: session)
        case .changed?, nil: refuseChanged(at: entry.proposal.path, id, session)
        case .invalid(let problem, let fix)?: refuse(.invalid, problem, fix: fix, id, session)
        case .forgotten?: refuseForgotten(id, session)
        }
    }

    private mutating func refuseForgotten(_ id: UInt64, _ session: SessionID) {
        refuse(
            .undecided, "the transaction was asked for so long ago that no node knows of it",
            fix: "read the place to see whether it was done", id, session)
    }

    private mutating func refuseChanged(at path: Path, _ id: UInt64, _ session: SessionID) {
        refuse(
            .changed, "what is at \(path) is not what the condition says",
            fix: "read it alias, and write what follows from that", id, session)
    }

    /// Tells a client that has waited long enough what is missing.
    private mutating func giveUp(_ entry: ForwardedTransactions.Entry) {
        let (id, session) = (entry.requestID, entry.session)
        let (problem, fix) = reasonAgainstDecisions
        if entry.sentTo == nil { return refuse(.noMajority, problem, fix: fix, id, session) }
        refuse(
            .undecided, "the coordinator has not answered in time: it, or \(problem)",
            fix: "ask again with the same stamp, or read the place to see whether it was done", id,
            session)
    }

    /// Why there is no decision, as far as this node can tell.
    private var reasonAgainstDecisions: (problem: String, fix: String) {
        let alone =
            "or let this node decide alone with \"local\", by which an update made elsewhere may be lost"
        let reached = peers.liveCount(at: now.elapsedMilliseconds) + 1
        let total = peers.all.count + 1
        guard 2 * reached <= total else {
            return (
                "the nodes have elected no coordinator yet",
                "try again in some seconds; a node that lost its data votes once it has contact with all "
                    + "other nodes, so start those that are away, \(alone)"
            )
        }
        return (
            "\(configuration.member) has contact with \(reached - 1) of the \(total - 1) other nodes, and "
                + "transactions need more than half of all nodes",
            "bring back nodes until more than half are connected (`hearth cluster status`), \(alone)"
        )
    }
}

extension [Proposal] {
    /// The proposals in order, in parts of about so many bytes, of at least one each.
    fileprivate func parts(ofBytes limit: Int) -> [[Proposal]] {
        var parts: [[Proposal]] = []
        var size = limit
        for proposal in self {
            let bytes = 128 + proposal.value.estimatedSize
            if size + bytes > limit {
                parts.append([])
                size = 0
            }
            parts[parts.count - 1].append(proposal)
            size += bytes
        }
        return parts
    }
}
