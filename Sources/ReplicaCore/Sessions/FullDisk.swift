import DataTree
import SyncProtocol

// While the disk accepts no writes: accepted operations wait, no new ones are accepted, and clients are told
// why.

/// Why the disk accepts no writes, and what the operator can do.
struct StorageFailure: Equatable, Sendable {
    var problem: String
    var fix: String

    /// What users learn of it: no path, and no size.
    static let asUsersSeeIt = StorageFailure(
        problem: "this node takes no requests now", fix: "use another node, or try again later")
}

extension Sessions {
    /// Whether a request can be answered while the disk accepts no writes: what reads might show is not
    /// durable, unless the durability mode permits that.
    func canAnswer(_ message: ClientMessage) -> Bool {
        message.request.kind == .read && durability != .commit
    }

    /// Refuses a request without waiting for earlier turns to be stored.
    mutating func refuseAtOnce(_ failure: StorageFailure, _ id: UInt64, _ session: SessionID) {
        countRefusal()
        clients.haltIfGreeted(session)
        let refusal = NodeMessage.error(
            id: id, code: .unavailable, problem: failure.problem, fix: failure.fix)
        sendAtOnce(refusal, to: session)
    }
}
