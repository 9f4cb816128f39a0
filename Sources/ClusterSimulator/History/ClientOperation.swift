import DataTree
import ReplicaCore
import SyncProtocol

/// One request of a client, and its outcome.
struct ClientOperation {
    enum Outcome {
        /// Sent, and not answered yet.
        case open
        case acknowledged
        /// Refused: nothing was done.
        case failed
        /// Whether it was executed is unknown; it is never repeated.
        case unknown
    }

    enum Kind {
        /// A put at a key that the client made.
        case push(list: Path, key: Key, value: Value)
        /// A push whose key the node makes, and answers.
        case append(list: Path, key: Key?, value: Value)
        case increment(counter: Path, delta: Int64)
        /// Any other write.
        case write(Path)
        case get(Path)
    }

    /// A node executed the request: the vectors of its replica before and after.
    struct Serving {
        var connection: Int
        var node: Int
        var time: Microseconds
        var before: VersionVector
        var vector: VersionVector
        /// The operation that it made of a write.
        var made: Dot?
        /// The operation of the write, even if another node made it earlier.
        var dot: Dot?
    }

    /// Tells an operation from all others of a run, and of further runs with the same seed.
    struct Name: Hashable {
        var client: Int
        var invoked: Microseconds
    }

    let client: Int
    var kind: Kind
    /// Finds the operation in a log; nil for a read, and for a write that a node may resolve to nothing.
    var fingerprint: Fingerprint?
    let invoked: Microseconds
    /// Which of its client's sessions it belongs to.
    var session = 0
    var completed: Microseconds?
    var outcome = Outcome.open
    /// The node that acknowledged it.
    var node: Int?
    /// The connection over which it was acknowledged.
    var connection: Int?
    /// The value that a read returned.
    var answer: Value?
    /// The write concern at which a write was acknowledged, if it had one.
    var acknowledgedAt: WriteConcern?
    /// The concern that was not reached, as its client learned.
    var missedConcern: WriteConcern?
    /// Each execution by a node; recorded where `Recording` is on.
    var servings: [Serving] = []

    /// The execution that was acknowledged.
    var acknowledged: Serving? {
        outcome == .acknowledged ? servings.last { $0.connection == connection } : nil
    }

    var operationName: Name { Name(client: client, invoked: invoked) }

    var isRead: Bool {
        if case .get = kind { true } else { false }
    }

    /// Whether it writes nothing but a priority, which its node drops where there is no value.
    var isOfPriorityAlone: Bool {
        if case .write(let path) = kind { path.last == .priority } else { false }
    }
}

/// The form of a write in the log: a hash of its paths and values. Separate priorities are left
/// out, because the accepting node may drop some or add others.
struct Fingerprint: Hashable, Comparable {
    let bits: UInt64

    /// Nil for writes of nothing but priorities.
    init?(of writes: [Write]) {
        var encoded = MessagePackWriter()
        for write in writes where write.path.last != .priority {
            encoded.append(write.path)
            encoded.append(write.value)
        }
        guard !encoded.bytes.isEmpty else { return nil }
        var hash = TraceHash()
        hash.combine(encoded.bytes)
        bits = hash.bits
    }

    static func < (a: Fingerprint, b: Fingerprint) -> Bool { a.bits < b.bits }
}

extension ClientOperation: CustomStringConvertible {
    /// A line such as `c3 push /lists/1/-Nx… invoked 0.120000 s, acknowledged 0.140000 s by n2`.
    var description: String {
        let what =
            switch kind {
            case .push(let list, let key, _): "push \(list)/\(key)"
            case .append(let list, let key, _): "append \(list)/\(key.map(\.text) ?? "?")"
            case .increment(let counter, let delta): "increment \(counter) by \(delta)"
            case .write(let path): "write \(path)"
            case .get(let path): "get \(path)"
            }
        var line = "c\(client + 1) \(what) invoked \(invoked.description), \(outcome)"
        if let completed { line += " \(completed.description)" }
        if let node { line += " by n\(node + 1)" }
        return line
    }
}
