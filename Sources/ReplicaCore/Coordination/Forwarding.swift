import DataTree
import SyncProtocol

// The transactions of a node's clients. The node sends them to the coordinator, and answers each client once it
// holds the operations on which the decision depends.

extension Coordination {
    /// Keeps a client's transaction until the coordinator has decided it.
    ///
    /// - Parameters:
    ///   - name: The client's, or one that the node made.
    ///   - attribution: The user whose transaction it is.
    mutating func forward(
        _ write: Write, if condition: Condition, named name: Stamp, for submission: Submission,
        of attribution: Attribution?, at now: Moment
    ) throws(RequestFailure) {
        guard forwarded.hasRoom(for: name) else {
            throw RequestFailure(
                .tooBig,
                "\(limits.forwardedTransactions) transactions, or "
                    + "\(limits.forwardedBytes >> 20) MB of them, wait at "
                    + "this node already", fix: "try again later, or at another node")
        }
        let proposal = Proposal(
            id: name, path: write.path, value: write.value, condition: condition.hash,
            concern: max(submission.concern ?? .majority, .majority), attribution: attribution)
        var entry = ForwardedTransactions.Entry(proposal, of: submission.session, submission.id)
        entry.concern = submission.concern
        if let patience = condition.patienceMilliseconds {
            let longest = UInt64(86_400_000)
            entry.untilMilliseconds = now.elapsedMilliseconds + min(patience, longest)
        }
        entry.waitsOnceSent = condition.waitsOnceSent
        forwarded.add(entry)
    }

    /// The coordinator, as far as this node knows.
    func coordinator(of peers: Peers, at milliseconds: UInt64) -> Coordinator? {
        if election.isCaughtUp || peers.all.isEmpty {
            return Coordinator(
                member: member, writer: election.own, term: election.vote?.term ?? 0)
        }
        let deciding = peers.all.filter { peer in
            peers.isLive(peer, at: milliseconds) && peer.heartbeat?.lease?.stage == .deciding
        }
        return deciding.compactMap { peer in
            peer.heartbeat.map { heartbeat in
                Coordinator(
                    member: peer.member, writer: heartbeat.writer, term: heartbeat.lease?.term ?? 0)
            }
        }.max { $0.term < $1.term }
    }

    /// Sends the coordinator the transactions that are new to it, or that it has not answered for a
    /// while.
    mutating func forwardTransactions(seeing replica: ReplicationView, _ peers: Peers) {
        if forwarded.isEmpty { return }
        let milliseconds = replica.now.elapsedMilliseconds
        let coordinator = coordinator(of: peers, at: milliseconds)
        if let coordinator {
            forwarded.forgetVerdicts(before: coordinator, holding: replica.vector)
        }
        let due = forwarded.due(for: coordinator, at: milliseconds)
        guard let coordinator, !due.isEmpty else { return }
        if coordinator.member == member {
            let own = Proposals(
                member: member, coordinator: election.own, seen: VersionVector(), all: due)
            return propose(own, at: milliseconds)
        }
        for part in due.parts(ofBytes: 1 << 20) {
            let proposals = Proposals(
                member: member, coordinator: coordinator.writer, seen: replica.vector, all: part)
            send(.ask(coordinator.member, PeerMessage.propose(proposals).frame))
        }
    }

    /// Removes and returns the transactions whose clients can be answered, each with the reason if it was
    /// not done.
    mutating func takeAnswered(
        seeing replica: ReplicationView, _ peers: Peers
    ) -> [(entry: ForwardedTransactions.Entry, failure: RequestFailure?)] {
        if forwarded.isEmpty { return [] }
        let milliseconds = replica.now.elapsedMilliseconds
        let answered = forwarded.takeAnswered(holding: replica.vector)
        let expired = forwarded.takeExpired(at: milliseconds)
        return answered.map { (entry: $0, failure: $0.failure) }
            + expired.map { entry in
                let reason = reasonAgainstDecisions(seeing: peers, at: milliseconds)
                return (entry: entry, failure: entry.expiry(because: reason))
            }
    }

    /// Why there is no decision, as far as this node knows.
    private func reasonAgainstDecisions(
        seeing peers: Peers, at milliseconds: UInt64
    ) -> (problem: String, fix: String) {
        let alone =
            "or let this node decide alone (--local, in the protocol \"local\"): an update made elsewhere "
            + "may then be lost"
        let reached = peers.liveCount(at: milliseconds) + 1
        let total = peers.all.count + 1
        guard 2 * reached <= total else {
            return (
                "the nodes have elected no coordinator yet",
                "try again in some seconds; a node that lost its data votes once it has contact with all "
                    + "other nodes, so start the nodes that do not run, \(alone)"
            )
        }
        return (
            "\(member) has contact with \(reached - 1) of the \(total - 1) other nodes, and "
                + "transactions need more than half of all nodes",
            "start nodes until more than half are connected (`hearth cluster status`), \(alone)"
        )
    }
}

extension ForwardedTransactions.Entry {
    /// The answer to a client whose transaction was done.
    var confirmation: NodeMessage {
        guard let concern, case .done(let reached)? = verdict?.outcome else {
            return .ok(id: requestID)
        }
        return .acknowledged(id: requestID, concern: min(reached, max(concern, .majority)))
    }

    /// Why the transaction was not done; nil if it was.
    fileprivate var failure: RequestFailure? {
        switch verdict?.outcome {
        case .done?: nil
        case .changed?, nil: .changed(at: proposal.path)
        case .invalid(let problem, let fix)?: RequestFailure(.invalid, problem, fix: fix)
        case .forgotten?: .forgottenTransaction
        }
    }

    /// The failure for a client that has waited long enough without a decision.
    fileprivate func expiry(because reason: (problem: String, fix: String)) -> RequestFailure {
        if sentTo == nil { return RequestFailure(.noMajority, reason.problem, fix: reason.fix) }
        return RequestFailure(
            .undecided,
            "the coordinator has not answered in time; \(reason.problem)",
            fix: "repeat it with the same stamp, or read the location to see whether it was done")
    }
}

extension RequestFailure {
    /// The failure of an undecided transaction without the names and the number of nodes, for users.
    var asUsersSeeIt: RequestFailure {
        switch code {
        case .noMajority:
            RequestFailure(
                code, "transactions cannot be decided at present", fix: "try again later")
        case .undecided:
            RequestFailure(code, "the transaction was not decided in time", fix: fix)
        default: self
        }
    }

    /// The failure of a transaction whose location holds another value than the client read.
    static func changed(at path: Path) -> RequestFailure {
        RequestFailure(
            .changed, "the value at \(path) does not meet the condition",
            fix: "read the value again, and base the write on it")
    }

    static let forgottenTransaction = RequestFailure(
        .undecided, "the transaction is so old that no node knows its outcome",
        fix: "read the location to see whether it was done")
}

extension [Proposal] {
    /// The proposals in order, in parts of about this many bytes, with at least one each.
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
