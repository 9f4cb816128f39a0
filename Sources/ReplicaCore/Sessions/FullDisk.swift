import DataTree
import SyncProtocol

// The behaviour while the disk accepts no writes: accepted operations wait, new ones are refused with the reason.

/// Why the disk accepts no writes, and what the operator can do.
struct StorageFailure: Equatable, Sendable {
    /// How long requests wait for the disk before they are answered.
    static let patienceMilliseconds: UInt64 = 2_000

    var problem: String
    var fix: String
    /// When the replica learned of it, on the monotonic clock.
    var sinceMilliseconds: UInt64 = 0

    /// The same failure without path and size, for users.
    static let asUsersSeeIt = StorageFailure(
        problem: "this node accepts no requests at present",
        fix: "use another node, or try again later")

    /// Whether requests have waited for the disk long enough.
    func isOverdue(at now: Moment) -> Bool {
        now.elapsedMilliseconds >= sinceMilliseconds + StorageFailure.patienceMilliseconds
    }
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
