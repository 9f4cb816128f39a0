import DataTree
import SyncProtocol

// While the disk takes nothing: what was accepted waits, nothing new is, and clients are told why.

/// Why the disk takes nothing, and what somebody can do about it.
struct StorageFailure: Equatable, Sendable {
    var problem: String
    var fix: String
}

extension Replica {
    mutating func noteStorage(_ failure: StorageFailure?) {
        storageFailure = failure
        if failure == nil { return }
        // What waits here would never be stored in order; peers have it.
        reorderBuffer.removeAll { _ in true }
    }

    /// Whether a request can be answered while the disk takes nothing: what reads might show is not
    /// durable, unless the mode of durability lets them.
    func canAnswer(_ message: ClientMessage) -> Bool {
        switch message.request {
        case .get, .children, .listen, .unlisten, .ping, .hello: configuration.durability != .commit
        default: false
        }
    }

    /// Answers with what is no data, without waiting.
    mutating func tell(_ value: Value, at id: UInt64, _ session: SessionID) {
        turn.immediate.append(.reply(session, NodeMessage.value(id: id, value: value).frame))
    }

    /// Refuses a request without waiting for what was stored before.
    mutating func refuseAtOnce(_ failure: StorageFailure, _ id: UInt64, _ session: SessionID) {
        counters.refused += 1
        // Of a client that stamps nothing, nothing can overtake what it asked for before.
        if clientSessions.told(session) != nil { clientSessions.halt(session) }
        let refusal = NodeMessage.error(
            id: id, code: .unavailable, problem: failure.problem, fix: failure.fix)
        turn.immediate.append(.reply(session, refusal.frame))
    }
}
