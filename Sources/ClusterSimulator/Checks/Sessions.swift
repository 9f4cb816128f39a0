import ReplicaCore
import SyncProtocol

extension Check {
    package static let causalOrder: Check = Check(
        "causal-order", judges: .nodes, guarantees: "S5",
        claim: "no node shows an operation without its causes",
        criterion: """
            a node that shows an operation shows everything that its origin held when it \
            accepted it
            """,
        evaluate: { Sessions($0).causalOrder() })

    package static let readYourWrites: Check = Check(
        "read-your-writes", judges: .library, guarantees: "S1",
        claim: "a read shows its client's earlier writes",
        criterion: "a read shows its client's earlier writes",
        evaluate: { Sessions($0).readYourWrites() })

    package static let monotonicReads: Check = Check(
        "monotonic-reads", judges: .library, guarantees: "S2",
        claim: "a read shows everything that an earlier one has shown",
        criterion: "a read shows everything that an earlier read of its client has shown",
        evaluate: { Sessions($0).monotonicReads() })

    package static let monotonicWrites: Check = Check(
        "monotonic-writes", judges: .library, guarantees: "S3",
        claim: "no node shows a later write without the earlier one",
        criterion: """
            a client's later write has a later stamp, and no node shows it without the earlier \
            one; no write of a dense program is done after a write with a refused stamp
            """,
        evaluate: {
            MirrorChecks.failure(of: .monotonicWrites, $0) ?? Sessions($0).monotonicWrites()
        })

    package static let writesFollowReads: Check = Check(
        "writes-follow-reads", judges: .library, guarantees: "S4",
        claim: "no node shows a write without its client's reads",
        criterion: """
            a write has a later stamp than everything that its client had read, and no node \
            shows it without that
            """,
        evaluate: { Sessions($0).writesFollowReads() })
}

/// The guarantees to a client from one request to the next, at any nodes.
///
/// The four guarantees of Terry et al., *Session Guarantees for Weakly Consistent Replicated Data*,
/// by vectors: a state shows an operation if its vector covers it.
struct Sessions {
    private let evidence: Evidence
    private let processes: [Recording.Life]
    private let stamps: StampIndex

    init(_ evidence: Evidence) {
        self.evidence = evidence
        processes = evidence.recording.processes
        stamps = StampIndex(evidence.recording)
    }

    /// The acknowledged operations of one client, in order; each was requested after the answer to the one
    /// before.
    private var sessions: [[ClientOperation]] {
        var sessions: [[ClientOperation]] = []
        var last = [Int?](repeating: nil, count: evidence.clientCount)
        for operation in evidence.acknowledged {
            guard let serving = operation.acknowledged, !wasLost(serving) else { continue }
            if let index = last[operation.client],
                sessions[index][0].session == operation.session,
                isLibrary(operation.client) || goesOn(from: sessions[index], with: operation)
            {
                sessions[index].append(operation)
            } else {
                last[operation.client] = sessions.count
                sessions.append([operation])
            }
        }
        return sessions
    }

    /// Whether a protocol client's session goes on: it does not say hello, and so is promised nothing across connections, and
    /// across an eviction of its node.
    private func goesOn(
        from session: [ClientOperation], with operation: ClientOperation
    ) -> Bool {
        guard let last = session.last, last.connection == operation.connection,
            let before = last.acknowledged, let serving = operation.acknowledged
        else { return false }
        return !evidence.recording.rejoins.contains { rejoin in
            rejoin.node == serving.node && (before.time...serving.time).contains(rejoin.time)
        }
    }

    /// Whether a client keeps its session from one connection to the next: protocol clients do not say what they have seen.
    private func isLibrary(_ client: Int) -> Bool {
        client < evidence.clientCount - evidence.scenario.clients.protocolCount
    }

    private func wasLost(_ serving: ClientOperation.Serving) -> Bool {
        serving.dot.map { evidence.recording.lost.contains($0) } ?? false
    }

    // MARK: Reads

    /// A read shows what its client has written before.
    func readYourWrites() -> Finding {
        var count = 0
        for session in sessions {
            var written: [ClientOperation] = []
            for operation in session {
                guard let serving = operation.acknowledged else { continue }
                guard operation.isRead else {
                    if !operation.isOfPriorityAlone { written.append(operation) }
                    continue
                }
                for write in written {
                    count += 1
                    if let dot = write.acknowledged?.dot, serving.vector.covers(dot) { continue }
                    return .invalid(
                        "a read does not show what its client has written", write.line,
                        operation.line
                    ).about(write, comparedWith: operation)
                }
            }
        }
        return .valid(count, "pairs of a write and a read")
    }

    /// A read shows all that an earlier one has shown.
    func monotonicReads() -> Finding {
        var count = 0
        for session in sessions {
            let reads = session.filter(\.isRead)
            for (first, second) in zip(reads, reads.dropFirst()) {
                guard let a = first.acknowledged, let b = second.acknowledged else { continue }
                count += 1
                guard !b.vector.covers(a.vector) else { continue }
                return .invalid(
                    "a read shows less than the one before it", first.line, second.line
                ).about(second, comparedWith: first)
            }
        }
        return .valid(count, "pairs of reads")
    }

    // MARK: Writes

    /// A client's later write has a later stamp, and no node shows it without the earlier one.
    func monotonicWrites() -> Finding {
        var count = 0
        for session in sessions {
            let writes = session.filter { $0.acknowledged?.dot != nil }
            for (first, second) in zip(writes, writes.dropFirst()) {
                guard let a = first.acknowledged?.dot, let b = second.acknowledged?.dot
                else { continue }
                count += 1
                guard let older = stamps[a], let newer = stamps[b] else { continue }
                if newer <= older {
                    return .invalid(
                        "a later write has an earlier stamp: \(newer) after \(older)", first.line,
                        second.line
                    ).about(second, comparedWith: first)
                }
                if let state = firstState(covering: b, where: { !$0.vector.covers(a) }) {
                    return .invalid(
                        "a node shows a write without the one before it", first.line, second.line,
                        state.line
                    ).about(first, comparedWith: second)
                }
            }
        }
        return .valid(count, "pairs of writes")
    }

    /// A write has a later stamp than all that its client had read, and no node shows it without that.
    func writesFollowReads() -> Finding {
        var count = 0
        for session in sessions {
            var read: ClientOperation?
            for operation in session {
                if operation.isRead { read = operation }
                guard let read, let seen = read.acknowledged?.vector,
                    let dot = operation.acknowledged?.dot, let stamp = stamps[dot]
                else { continue }
                count += 1
                if let newest = stamps.newest(in: seen), stamp <= newest {
                    return .invalid(
                        "a write has an earlier stamp than what its client had read: \(stamp), "
                            + "not after \(newest)", read.line, operation.line
                    ).about(operation, comparedWith: read)
                }
                if let state = firstState(covering: dot, where: { !$0.vector.covers(seen) }) {
                    return .invalid(
                        "a node shows a write without what its client had read", read.line,
                        operation.line, state.line
                    ).about(operation, comparedWith: read)
                }
            }
        }
        return .valid(count, "pairs of a read and a write")
    }

    /// A node that shows an operation shows all that its origin held when it accepted the operation.
    func causalOrder() -> Finding {
        var count = 0
        for operation in evidence.history.operations {
            for serving in operation.servings {
                guard let dot = serving.made, !wasLost(serving) else { continue }
                count += 1
                let state = firstState(covering: dot) { !$0.vector.covers(serving.before) }
                if let state {
                    return .invalid(
                        "a node shows a write without what its origin held", operation.line,
                        state.line
                    ).about(operation)
                }
            }
        }
        return .valid(count, "operations on \(processes.count) processes")
    }

    private func firstState(
        covering dot: Dot, where isWrong: (Recording.State) -> Bool
    ) -> Recording.State? {
        for process in processes {
            if let state = process.first(covering: dot), isWrong(state) { return state }
        }
        return nil
    }
}
