import DataTree
import ReplicaCore
import SyncProtocol

/// The attributions that the operations of one node must have, by the requests of its clients.
struct AttributionWatch {
    /// The user of a request, and the digest of the rules that decided it.
    private struct Wanted: Hashable {
        let uid: String?
        let rules: String

        /// Nil for an administrator.
        init?(_ identity: UserIdentity, by rules: String) {
            if identity == .administrator { return nil }
            (uid, self.rules) = (identity.uid, rules)
        }

        /// The content of an attribution; nil for an administrator.
        init?(_ attribution: Attribution?) {
            guard let rules = attribution?.rules else { return nil }
            (uid, self.rules) = (attribution?.user, rules)
        }
    }

    /// A transaction, which names neither its client nor when it is decided.
    private struct Transaction: Hashable {
        let path: String
        let value: String

        init(_ path: Path, _ value: Value) { (self.path, self.value) = ("\(path)", "\(value)") }
    }

    /// By the sequence of the operation, of one incarnation.
    private var due: [UInt64: Wanted?] = [:]
    private var writer: WriterID?
    private var transactions: [Transaction: Set<Wanted?>] = [:]

    /// Learns of a step that has made one operation for a client, and of a transaction that may be decided later.
    mutating func record(_ event: AccessEvent, for identity: UserIdentity?, by rules: String) {
        let wanted = Wanted(identity ?? .administrator, by: rules)
        if case .requested(_, let message) = event.kind, case .put(let put) = message.request,
            put.condition != nil
        {
            transactions[Transaction(put.path, put.value), default: []].insert(wanted)
        }
        guard event.made == 1 else { return }
        if writer != event.writer { (writer, due) = (event.writer, [:]) }
        due[event.after.vector[event.writer]] = .some(wanted)
    }

    /// Forgets what a process has made that has ended; transactions are decided elsewhere.
    mutating func restart() { (writer, due) = (nil, [:]) }

    /// Compares the attributions of a stored batch of the node.
    ///
    /// - Parameter others: The requests of other nodes' clients.
    /// - Returns: The number of users' operations, and the problem of the first wrong one.
    mutating func check(
        _ batch: Batch, wantedBy others: [AttributionWatch]
    ) -> (count: Int, problem: String?) {
        var count = 0
        for (index, operation) in batch.operations.enumerated() {
            let sequence = batch.first + UInt64(index)
            let found = Wanted(operation.attribution)
            if found != nil { count += 1 }
            let place = operation.writes.first.map { "\($0.path)" } ?? "nothing"
            if operation.term != nil, let write = operation.writes.first {
                let transaction = Transaction(write.path, write.value)
                let wanted = others.reduce(into: transactions[transaction] ?? []) {
                    $0.formUnion($1.transactions[transaction] ?? [])
                }
                if !wanted.isEmpty, !wanted.contains(found) {
                    return (count, "the transaction on \(place) is noted as one of \(text(found))")
                }
            } else if batch.origin == writer, let wanted = due.removeValue(forKey: sequence),
                wanted != found
            {
                return (
                    count,
                    "the write of \(place) is noted as one of \(text(found)), and is one of \(text(wanted))"
                )
            }
        }
        return (count, nil)
    }

    private func text(_ wanted: Wanted?) -> String {
        wanted.map { "\($0.uid ?? "nobody") by \($0.rules)" } ?? "an administrator"
    }
}

extension AccessWatch {
    /// Records the user for whom a step has made an operation.
    mutating func noteAttribution(_ event: AccessEvent, _ history: RulesHistory) {
        switch event.kind {
        case .requested(let session, _), .closed(let session):
            attributions.record(
                event, for: sessions[session]?.identity,
                by: history.digest(in: event.before.vector))
        case .identified, .other: break
        }
    }

    /// Checks the users in the log of the operations that the node has made.
    mutating func check(_ batch: Batch, wantedBy others: [AttributionWatch]) {
        let (count, problem) = attributions.check(batch, wantedBy: others)
        for _ in 0..<count { tally.count(.writesAreAttributed) }
        if let problem { tally.report(.writesAreAttributed, "\(name): \(problem)") }
    }
}
