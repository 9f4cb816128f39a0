import DataTree
import SyncProtocol

// While the disk takes nothing: what was accepted waits, nothing new is, and clients are told why.

/// Why the disk takes nothing, and what somebody can do about it.
struct StorageFailure: Equatable, Sendable {
    var problem: String
    var fix: String
}

extension Sessions {
    /// Whether a request can be answered while the disk takes nothing: what reads might show is not durable,
    /// unless the mode of durability lets them.
    func canAnswer(_ message: ClientMessage) -> Bool {
        message.request.kind == .read && durability != .commit
    }

    /// Refuses a request without waiting for what was stored before.
    mutating func refuseAtOnce(_ failure: StorageFailure, _ id: UInt64, _ session: SessionID) {
        countRefusal()
        // Of a client that stamps nothing, nothing can overtake what it asked for before.
        if clients.told(session) != nil { clients.halt(session) }
        let refusal = NodeMessage.error(
            id: id, code: .unavailable, problem: failure.problem, fix: failure.fix)
        sendAtOnce(refusal.frame, to: session)
    }
}
