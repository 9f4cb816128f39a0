internal import Rules
internal import SyncProtocol

/// The sessions whose clients poll.
///
/// A session is none of a connection, so the table gives it a number that no connection has.
struct LongPollTable {
    /// How many sessions there may be.
    let limit: Int
    /// The memory for what waits in all of them; a session that needs more ends.
    private let byteLimit: Int
    /// Connections have smaller numbers.
    private static let firstNumber: UInt64 = 1 << 62

    private var sessions: [SessionID: LongPollSession] = [:]
    private var ids: [String: SessionID] = [:]
    /// Those that no replica has, because there is no such database.
    private var unopened: Set<SessionID> = []
    private var lastNumber = LongPollTable.firstNumber
    /// The memory that all sessions take for what waits.
    private(set) var waitingBytes = 0

    init(limit: Int, byteLimit: Int) {
        (self.limit, self.byteLimit) = (limit, byteLimit)
    }

    /// Whether there can be another session.
    var hasRoom: Bool { sessions.count < limit }

    /// All sessions, in the order in which they began.
    var all: [SessionID] { sessions.keys.sorted() }

    /// Whether a session is one of these.
    func contains(_ id: SessionID) -> Bool { sessions[id] != nil }

    /// The database of a session; nil for a session that is gone.
    func database(of id: SessionID) -> DatabaseName? { sessions[id]?.realtime.database }

    /// The principal of a session's client; nil for a session that is gone.
    func principal(of id: SessionID) -> Principal? { sessions[id]?.realtime.identity.principal }

    /// Records that no replica has a session yet.
    mutating func setUnopened(_ id: SessionID) { unopened.insert(id) }

    /// Whether a replica has a session.
    func isOpened(_ id: SessionID) -> Bool { !unopened.contains(id) }

    /// Records that a replica has a session.
    mutating func setOpened(_ id: SessionID) { unopened.remove(id) }

    /// Adds a session; returns its number.
    mutating func add(_ session: LongPollSession) -> SessionID {
        lastNumber += 1
        let id = SessionID(number: lastNumber)
        sessions[id] = session
        ids[session.credential.id] = id
        return id
    }

    /// The session with a credential.
    func find(_ credential: LongPollCredential) -> SessionID? {
        guard let id = ids[credential.id],
            sessions[id]!.credential.hasPassword(of: credential)
        else { return nil }
        return id
    }

    /// Changes a session; returns the effects. A session that is gone has none.
    mutating func update(
        _ id: SessionID, _ body: (inout LongPollSession) -> [LongPollEffect]
    ) -> [LongPollEffect] {
        guard let index = sessions.index(forKey: id) else { return [] }
        let before = sessions.values[index].waitingBytes
        var effects = body(&sessions.values[index])
        waitingBytes += sessions.values[index].waitingBytes - before
        if waitingBytes > byteLimit, sessions.values[index].waitingBytes > before {
            let bytes = sessions.values[index].waitingBytes
            effects += sessions.values[index].endForWantOfMemory()
            waitingBytes += sessions.values[index].waitingBytes - bytes
        }
        return effects
    }

    /// Removes a session that is over, or goes on elsewhere.
    mutating func remove(_ id: SessionID) -> LongPollSession? {
        guard let session = sessions.removeValue(forKey: id) else { return nil }
        ids[session.credential.id] = nil
        unopened.remove(id)
        waitingBytes -= session.waitingBytes
        return session
    }
}
