import SyncProtocol

/// The stamped writes that a client has sent, and their answers.
///
/// A node executes a prefix of the writes on a connection. After it has refused one because of its
/// stamp, it executes no later one, and no later transaction, until the next hello.
struct StampedWrites {
    /// Stamps that were sent, at any time: what an earlier node may have done may be confirmed at any time.
    private var known: Set<Stamp> = []
    /// Writes in flight that the client has stamped, by their numbers.
    private var writes: Set<UInt64> = []
    /// Transactions in flight, and writes that only this node can have done.
    private var judged: Set<UInt64> = []
    /// The first write that the node has refused because of its stamp.
    private var refused: UInt64?
    /// Whether the node has answered since the last hello that the outcome of a write is unknown.
    private(set) var isUndecided = false

    /// Records a message to the node.
    mutating func record(_ message: ClientMessage) {
        if case .hello = message.request { isUndecided = false }
        guard let stamp = message.stamp else { return }
        let isNew = known.insert(stamp).inserted
        if case .put(let put) = message.request, put.condition != nil {
            judged.insert(message.id)
        } else {
            writes.insert(message.id)
            if isNew { judged.insert(message.id) }
        }
    }

    /// Judges a message of the node; returns what is wrong with it.
    mutating func check(_ message: NodeMessage) -> String? {
        switch message {
        case .ready: refused = nil
        case .error(let id, .late, _, _): refuse(id)
        case .error(let id, .undecided, _, _):
            isUndecided = true
            refuse(id)
        case .error(let id, _, _, _): _ = finish(id)
        case .ok(let id), .acknowledged(let id, _):
            guard finish(id).isJudged, let refused, refused < id else { return nil }
            return
                "was told that its write \(id) is done, by a node that had refused \(refused) before it"
        default: break
        }
        return nil
    }

    private mutating func refuse(_ id: UInt64) {
        if finish(id).isWrite { refused = min(refused ?? id, id) }
    }

    private mutating func finish(_ id: UInt64) -> (isWrite: Bool, isJudged: Bool) {
        (writes.remove(id) != nil, judged.remove(id) != nil)
    }

    mutating func loseConnection() { (writes, judged, refused) = ([], [], nil) }
}
