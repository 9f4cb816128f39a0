import DataTree
import Marks
import SyncProtocol

/// The sessions whose clients read more slowly than changes occur.
///
/// No changes are queued for their listens. Once there is room again, each listen that has missed changes receives
/// the difference. After a while it receives everything, because the tree that it last showed is no longer kept. In
/// a session of values, answers wait behind missed data: a client of Firebase treats the answer to its write as a
/// sign that it has the data.
struct SlowClients: Sendable {
    /// A message that waits in a session of values until the client has the missed data.
    enum Postponed: Sendable {
        case answer(NodeMessage)
        /// Answered from the tree of that time: older data must not follow newer.
        case read(ClientMessage)

        var isAnswer: Bool { if case .answer = self { true } else { false } }
    }

    private struct Session: Sendable {
        var isBackpressured = true
        /// The tree of the moment since which changes are held back; nil once it is too old.
        var tree: Value?
        var sinceMilliseconds: UInt64 = 0
        /// The listens that have missed changes, each with the tree of which the client has been sent everything.
        var missed: [UInt64: Value?] = [:]
        var postponed: [Postponed] = []
        /// The listens that have been sent what they missed.
        var caughtUp: Set<UInt64> = []
    }

    /// How long trees are kept: they take memory for all that has changed since.
    private let keptMilliseconds: UInt64

    /// With so many waiting answers, a session's further requests are refused.
    let postponedLimit: Int

    private var sessions: [SessionID: Session] = [:]
    /// Changes not sent, because what differs in the end will be.
    private(set) var heldBack: UInt64 = 0

    init(keptMilliseconds: UInt64, within limits: ReplicaLimits = ReplicaLimits()) {
        self.keptMilliseconds = keptMilliseconds
        postponedLimit = limits.postponedAnswers
    }

    var isEmpty: Bool { sessions.isEmpty }
    var count: Int { sessions.count }

    /// Whether a session may have missed changes that were not sent yet.
    func contains(_ session: SessionID) -> Bool { sessions[session] != nil }

    /// The sessions that have room and have missed changes, ascending.
    var catchingUp: [SessionID] {
        if sessions.isEmpty { return [] }
        return sessions.filter { !$0.value.isBackpressured }.keys.sorted()
    }

    /// Holds changes to the tree back from a session, which has been sent all earlier ones.
    mutating func hold(_ session: SessionID, from tree: Value, at milliseconds: UInt64) {
        sometimes(.clientIsSlow)
        var held = sessions[session] ?? Session()
        (held.isBackpressured, held.tree, held.sinceMilliseconds) = (true, tree, milliseconds)
        sessions[session] = held
    }

    mutating func release(_ session: SessionID) { sessions[session]?.isBackpressured = false }

    /// Whether to hold a change back from a listener, which will get what differs later.
    mutating func holdsBack(_ listener: Listens.Listener) -> Bool {
        guard let session = sessions[listener.session] else { return false }
        if session.missed[listener.id] == nil {
            guard session.isBackpressured else { return false }
            sessions[listener.session]?.missed[listener.id] = .some(session.tree)
        }
        heldBack += 1
        return true
    }

    /// Whether to hold back what a new listener shows first, all of which it will get later.
    mutating func holdsBackFirst(of listener: Listens.Listener) -> Bool {
        guard sessions[listener.session]?.isBackpressured ?? false else { return false }
        sessions[listener.session]?.missed[listener.id] = .some(nil)
        heldBack += 1
        return true
    }

    /// Drops trees that have been kept for long: their listens will get everything.
    mutating func forgetTrees(at milliseconds: UInt64) {
        for (session, held) in sessions
        where milliseconds >= held.sinceMilliseconds + keptMilliseconds {
            sometimes(.slowClientLosesItsTree)
            sessions[session]?.tree = nil
            sessions[session]?.missed = held.missed.mapValues { _ in nil }
        }
    }

    /// Whether a session has missed changes that were not sent yet.
    func hasMissed(_ session: SessionID) -> Bool {
        sessions[session].map { !$0.missed.isEmpty } ?? false
    }

    /// Removes and returns the next listen of a session that has missed changes. The tree is the one that the
    /// client has; nil if the client must receive everything.
    mutating func takeMissed(of session: SessionID) -> (listen: UInt64, tree: Value?)? {
        guard let next = sessions[session]?.missed.keys.min(),
            let tree = sessions[session]?.missed.removeValue(forKey: next)
        else { return nil }
        sessions[session]?.caughtUp.insert(next)
        return (next, tree)
    }

    mutating func remove(_ listener: Listens.Listener) {
        sessions[listener.session]?.missed.removeValue(forKey: listener.id)
        sessions[listener.session]?.caughtUp.remove(listener.id)
    }

    /// Ends the slowness of a session; returns what was postponed in it, in order, and the listens that have been sent what they
    /// missed, ascending.
    @discardableResult
    mutating func remove(_ session: SessionID) -> (postponed: [Postponed], caughtUp: [UInt64]) {
        guard let session = sessions.removeValue(forKey: session) else { return ([], []) }
        return (session.postponed, session.caughtUp.sorted())
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
