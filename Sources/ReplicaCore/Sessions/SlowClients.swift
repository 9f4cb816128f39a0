import SyncProtocol

/// The sessions whose clients read more slowly than changes occur.
///
/// No changes are queued for their listens. Once there is room again, each listen that has missed
/// changes gets everything that it shows by then.
struct SlowClients: Sendable {
    private struct Session: Sendable {
        var isBackpressured = true
        /// The listens that have missed changes.
        var missed: Set<UInt64> = []
    }

    private var sessions: [SessionID: Session] = [:]
    /// Changes not sent, because the whole value will be.
    private(set) var heldBack: UInt64 = 0

    var isEmpty: Bool { sessions.isEmpty }
    var count: Int { sessions.count }

    /// Whether a session may have missed changes that were not sent yet.
    func contains(_ session: SessionID) -> Bool { sessions[session] != nil }

    /// The sessions that have room and have missed changes, ascending.
    var catchingUp: [SessionID] {
        if sessions.isEmpty { return [] }
        return sessions.filter { !$0.value.isBackpressured }.keys.sorted()
    }

    mutating func hold(_ session: SessionID) {
        sessions[session, default: Session()].isBackpressured = true
    }

    mutating func release(_ session: SessionID) { sessions[session]?.isBackpressured = false }

    /// Whether to hold a change back from a listener, which will get the whole value later.
    mutating func holdsBack(_ listener: Listens.Listener) -> Bool {
        guard let session = sessions[listener.session],
            session.isBackpressured || session.missed.contains(listener.id)
        else { return false }
        sessions[listener.session]?.missed.insert(listener.id)
        heldBack += 1
        return true
    }

    /// Removes and returns the next listen of a session that has missed changes; after the last one
    /// the session no longer counts as slow.
    mutating func takeMissed(of session: SessionID) -> UInt64? {
        guard let next = sessions[session]?.missed.min() else {
            sessions[session] = nil
            return nil
        }
        sessions[session]?.missed.remove(next)
        return next
    }

    mutating func remove(_ listener: Listens.Listener) {
        sessions[listener.session]?.missed.remove(listener.id)
    }

    mutating func remove(_ session: SessionID) { sessions[session] = nil }
}
