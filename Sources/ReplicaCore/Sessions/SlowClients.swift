import SyncProtocol

/// The sessions whose clients read more slowly than changes occur.
///
/// No changes are queued for their listens. Once there is room again, each listen that has missed
/// changes gets everything that it shows by then. Of a session of values the answers wait with what it has missed:
/// a program of Firebase's takes the answer to its write as a sign that it has the data.
struct SlowClients: Sendable {
    /// What waits in a session of values until it has the missed data.
    enum Postponed: Sendable {
        case answer(NodeMessage)
        /// Answered from the tree of that time: older data must not follow newer.
        case read(ClientMessage)
    }

    private struct Session: Sendable {
        var isBackpressured = true
        /// The listens that have missed changes.
        var missed: Set<UInt64> = []
        var postponed: [Postponed] = []
    }

    /// With so many waiting answers, a session's further requests are refused.
    static let postponedLimit = 10_000

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

    /// Whether a session has missed changes that were not sent yet.
    func hasMissed(_ session: SessionID) -> Bool {
        sessions[session].map { !$0.missed.isEmpty } ?? false
    }

    /// Removes and returns the next listen of a session that has missed changes.
    mutating func takeMissed(of session: SessionID) -> UInt64? {
        guard let next = sessions[session]?.missed.min() else { return nil }
        sessions[session]?.missed.remove(next)
        return next
    }

    mutating func remove(_ listener: Listens.Listener) {
        sessions[listener.session]?.missed.remove(listener.id)
    }

    /// Ends the slowness of a session; returns what was postponed in it, in order.
    mutating func remove(_ session: SessionID) -> [Postponed] {
        sessions.removeValue(forKey: session)?.postponed ?? []
    }
}

// MARK: - Answers that wait

extension SlowClients {
    /// Whether answers must wait in a session of values, behind missed data or earlier answers.
    func withholdsAnswers(of session: SessionID) -> Bool {
        sessions[session].map { !$0.missed.isEmpty || !$0.postponed.isEmpty } ?? false
    }

    /// The number of answers that wait in a session.
    func postponedCount(of session: SessionID) -> Int {
        sessions[session]?.postponed.count ?? 0
    }

    mutating func postpone(_ one: Postponed, of session: SessionID) {
        sessions[session]?.postponed.append(one)
    }
}
