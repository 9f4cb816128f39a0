import SyncProtocol

/// The writes that a client has sent under stamps, and what its node has said of them.
///
/// Of the writes on one connection, a node does a prefix: once it has refused one because of its stamp, it does no later one, and
/// no later transaction, before the client says hello again.
struct StampedWrites {
    /// Stamps that were sent, at any time: what an earlier node may have done may be confirmed at any time.
    private var known: Set<Stamp> = []
    /// Writes in flight that the client has stamped, by their numbers.
    private var writes: Set<UInt64> = []
    /// Transactions in flight, and writes that only this node can have done.
    private var judged: Set<UInt64> = []
    /// The first write that the node has refused because of its stamp.
    private var refused: UInt64?
    /// Whether the node has said of one since the last hello that nobody can tell whether it is done.
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
