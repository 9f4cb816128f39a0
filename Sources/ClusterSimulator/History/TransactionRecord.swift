import DataTree
import SyncProtocol

/// One transaction of an application, and its outcome.
struct TransactionRecord {
    let client: Int
    let path: Path
    let invoked: Microseconds
    /// The last argument of its function, and the result.
    var old = Value.null
    var new = Value.null
    var completed: Microseconds?
    var outcome = ClientOperation.Outcome.open
    /// Its node at the outcome.
    var node: Int?
}

extension TransactionRecord: CustomStringConvertible {
    /// A line such as `c3 transaction /register: null -> "c3-1", invoked 0.12 s, acknowledged 0.14 s by n2`.
    var description: String {
        var line =
            "c\(client + 1) transaction \(path): \(old) -> \(new), invoked \(invoked.description), "
            + "\(outcome)"
        if let completed { line += " \(completed.description)" }
        if let node { line += " by n\(node + 1)" }
        return line
    }
}
