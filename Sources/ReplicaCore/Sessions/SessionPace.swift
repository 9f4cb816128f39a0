import SyncProtocol

/// The expensive work that was done for each session of late: rules and large answers. A session that is ahead of what it
/// may spend waits, so that its requests delay no others.
///
/// Work is counted in the units of rules, which are the same on every machine; the clock only says when a session may
/// go on.
struct SessionPace: Sendable {
    /// Cheaper requests cost no more than all others, and do not count.
    static let countedUnits = 4_000
    /// What a session may spend in a millisecond: some sixty milliseconds of a processor in a second.
    static let unitsPerMillisecond = 8_000
    /// How far a session may be ahead before its requests wait: some fifteen milliseconds.
    static let sessionUnits = 2_000_000
    /// What all counted requests of one turn may spend before further ones wait for the next turn.
    static let turnUnits = 2_000_000
    /// So many bytes of an answer take as long as a unit.
    static let bytesPerUnit = 16
    /// An answer with more bytes waits for the next turn if this one has spent what it may.
    static let largeAnswerBytes = 64 << 10

    private struct Account {
        var units: Int
        var milliseconds: UInt64

        /// What is left to wait for.
        func units(at now: UInt64) -> Int {
            let passed = Int(clamping: now - min(now, milliseconds))
            return max(0, units - min(units, passed * SessionPace.unitsPerMillisecond))
        }
    }

    private var accounts: [SessionID: Account] = [:]
    private var turn = 0
    /// The session whose requests have waited and are being served.
    private var served: SessionID?
    /// The sessions whose requests wait; with a time if their clients are gone, after which the requests are dropped.
    private var waiting: [SessionID: UInt64] = [:]

    /// Begins a turn: forgets sessions that have nothing to wait for.
    mutating func beginTurn(at milliseconds: UInt64) {
        turn = 0
        guard !accounts.isEmpty else { return }
        accounts = accounts.filter { $0.value.units(at: milliseconds) > 0 }
    }

    /// Adds the work of a request: units of rules, and bytes of its answer.
    mutating func spend(
        _ units: Int, bytes: Int = 0, of session: SessionID, at milliseconds: UInt64
    ) {
        let units = units + bytes / SessionPace.bytesPerUnit
        guard units >= SessionPace.countedUnits else { return }
        let before = accounts[session]?.units(at: milliseconds) ?? 0
        accounts[session] = Account(units: before + units, milliseconds: milliseconds)
        turn += units
    }

    /// Whether the requests of a session have to wait.
    func delays(_ session: SessionID, at milliseconds: UInt64) -> Bool {
        if accounts.isEmpty, waiting.isEmpty { return false }
        return waiting[session] != nil || isAhead(session, at: milliseconds)
    }

    private func isAhead(_ session: SessionID, at milliseconds: UInt64) -> Bool {
        guard let account = accounts[session] else { return false }
        return isTurnSpent
            || account.units(at: milliseconds) > SessionPace.sessionUnits
    }

    /// Records that requests of a session wait.
    mutating func wait(_ session: SessionID) {
        if waiting[session] == nil { waiting[session] = .max }
    }

    /// Has the requests of a session wait at most until this time, as its client is gone.
    mutating func limit(_ session: SessionID, until milliseconds: UInt64) {
        if waiting[session] != nil { waiting[session] = milliseconds }
    }

    /// Whether requests of a session wait.
    func contains(_ session: SessionID) -> Bool { !waiting.isEmpty && waiting[session] != nil }

    /// The sessions whose requests wait and may go on, those first that have spent least.
    func due(at milliseconds: UInt64) -> [SessionID] {
        if waiting.isEmpty { return [] }
        let sessions = waiting.keys.map { session in
            (units: accounts[session]?.units(at: milliseconds) ?? 0, session: session)
        }
        return sessions.filter { $0.units <= SessionPace.sessionUnits }
            .sorted { ($0.units, $0.session) < ($1.units, $1.session) }.map(\.session)
    }

    /// Ends the waiting of a session.
    ///
    /// - Returns: Whether its requests are to be dropped.
    mutating func release(_ session: SessionID, at milliseconds: UInt64) -> Bool {
        served = session
        guard let limit = waiting.removeValue(forKey: session) else { return false }
        return milliseconds >= limit
    }

    /// Whether requests of a session are being served that have waited.
    func isServing(_ session: SessionID) -> Bool { served == session }

    /// Ends the serving of requests that have waited.
    mutating func endServing() { served = nil }

    /// Whether the turn has spent what it may.
    var isTurnSpent: Bool { turn >= SessionPace.turnUnits }

    mutating func remove(_ session: SessionID) {
        if !waiting.isEmpty { waiting[session] = nil }
        if !accounts.isEmpty { accounts[session] = nil }
    }
}
