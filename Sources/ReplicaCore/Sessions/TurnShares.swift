import SyncProtocol

/// The units of work of the open turn, and each session's share of them.
///
/// A unit takes about a microsecond. Units are counted and not timed, so that equal replicas do equal work in a turn.
struct TurnShares: Sendable {
    /// The units of each request, besides those of the data that it reads or changes.
    static let requestUnits = 4
    /// The units of rules that take as long as one unit: rules do 8,000,000 units in about sixty milliseconds.
    private static let ruleUnits = 128
    /// The bytes of an answer whose encoding takes as long as one unit.
    private static let answerBytes = 256

    private let limits: ReplicaLimits
    /// The units of this turn so far.
    private(set) var spent = 0
    /// The session that is being served, and its units in this turn.
    private var session: SessionID?
    private var spentBySession = 0
    /// The units of other sessions that have used more than their first share; never iterated.
    private var others: [SessionID: Int] = [:]

    init(within limits: ReplicaLimits) { self.limits = limits }

    mutating func beginTurn() {
        if spent == 0 { return }
        (spent, session, spentBySession) = (0, nil, 0)
        if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    }

    /// Charges a session with what is spent from here on.
    mutating func enter(_ session: SessionID) {
        if session == self.session { return }
        leave()
        self.session = session
        if !others.isEmpty { spentBySession = others[session] ?? 0 }
    }

    private mutating func leave() {
        if let session, spentBySession >= limits.firstUnits { others[session] = spentBySession }
        spentBySession = 0
    }

    mutating func spend(_ units: Int) {
        spent += units
        spentBySession += units
    }

    /// Adds the work of rules, in their units.
    mutating func spend(ruleUnits: Int) { spend(ruleUnits / Self.ruleUnits) }

    /// Adds the encoding of an answer.
    mutating func spend(answerBytes: Int) { spend(answerBytes / Self.answerBytes) }

    /// Whether the session may have another request served as it arrives. Each session has a first share in every turn,
    /// whatever the others have used.
    var permitsRequest: Bool {
        spentBySession < limits.firstUnits
            || spent < limits.turnUnits && spentBySession < limits.turnUnits / 4
    }

    /// An answer with more bytes waits for the next turn if this one has spent its units.
    static let largeAnswerBytes = 64 << 10

    /// Whether this turn has spent its units: requests that arrive now and are known to cost much wait for the next one.
    var isTurnSpent: Bool { spent >= limits.turnUnits }

    /// The units that a session may use whatever the others have used.
    var firstUnits: Int { limits.firstUnits }

    /// The units that this turn has for requests that wait.
    var unitsForWaiting: Int { max(limits.turnUnits - spent, limits.turnUnits / 4) }

    /// The share of each of so many sessions with requests that wait.
    func share(of count: Int) -> Int {
        max(limits.firstUnits, limits.turnUnits / max(1, count))
    }
}
