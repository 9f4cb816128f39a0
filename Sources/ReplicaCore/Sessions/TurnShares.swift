import SyncProtocol

/// The units of work of the open turn, and each session's share of them.
///
/// A unit takes about a microsecond. Units are counted and not timed, so that equal replicas do equal work in a turn.
struct TurnShares: Sendable {
    /// The units of each request, besides those of the data that it reads or changes.
    static let requestUnits = 4
    /// The further units of each listen, besides those of what it shows.
    static let listenUnits = 12
    /// The further units of a read whose answer is too large for the database: its size is estimated.
    static let refusedAnswerUnits = 200
    /// The units of rules that take as long as one unit: rules do 8,000,000 units in about sixty milliseconds.
    private static let ruleUnits = 128
    /// The units of a write of a large operation in the tree; those of its decoding and its checks are one more.
    private static let appliedWriteUnits = 4
    /// The bytes of a frame whose decoding or encoding takes as long as one unit.
    private static let frameBytes = 256
    /// The bytes of on-disconnect writes that take as long as one unit: they are judged, applied, stored and published.
    private static let leftBytes = 80

    private let limits: ReplicaLimits
    /// When the turn began, on the monotonic clock.
    private(set) var milliseconds: UInt64 = 0
    /// The units of this turn so far.
    private(set) var spent = 0
    /// The session that is being served, and its units in this turn.
    private var session: SessionID?
    private var spentBySession = 0
    /// The units of other sessions that have used more than the smallest share; never iterated.
    private var others: [SessionID: Int] = [:]

    init(within limits: ReplicaLimits) { self.limits = limits }

    mutating func beginTurn(at milliseconds: UInt64) {
        self.milliseconds = milliseconds
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
        if let session, spentBySession >= limits.smallestUnits { others[session] = spentBySession }
        spentBySession = 0
    }

    mutating func spend(_ units: Int) {
        spent += units
        spentBySession += units
    }

    /// Adds the work of rules, in their units.
    mutating func spend(ruleUnits: Int) { spend(ruleUnits / Self.ruleUnits) }

    /// Adds writes of a large operation that the tree has applied.
    mutating func spend(appliedWrites: Int) { spend(appliedWrites * Self.appliedWriteUnits) }

    /// Adds the decoding of requests.
    mutating func spend(requestBytes: Int) { spend(requestBytes / Self.frameBytes) }

    /// Adds the encoding of an answer.
    mutating func spend(answerBytes: Int) { spend(answerBytes / Self.frameBytes) }

    /// Adds the on-disconnect writes of a session that ends.
    mutating func spend(leftWrites count: Int, bytes: Int) {
        spend(count * 2 * Self.requestUnits + bytes / Self.leftBytes)
    }

    /// Whether the session may have another request served as it arrives. Each session may have some small ones served in
    /// every turn, whatever the others have used.
    var permitsRequest: Bool {
        spentBySession < (isTurnSpent ? limits.smallestUnits : limits.turnUnits / 4)
    }

    /// Whether a frame of requests that arrives is served in this turn: not if the frame is large, and the turn has spent
    /// its units.
    func permitsFrame(of byteCount: Int) -> Bool {
        !isTurnSpent || byteCount <= Self.largeFrameBytes
    }

    private static let largeFrameBytes = 16 << 10

    /// An answer with more bytes waits for the next turn if this one has spent its units.
    static let largeAnswerBytes = 64 << 10

    /// Whether this turn has spent its units: requests that arrive now and are known to cost much wait for the next one.
    var isTurnSpent: Bool { spent >= limits.turnUnits }

    /// The units of work that need not wait for a later turn.
    var firstUnits: Int { limits.firstUnits }

    /// The units that this turn has for requests that wait.
    var unitsForWaiting: Int { max(limits.turnUnits - spent, limits.turnUnits / 4) }

    /// The share of each of so many sessions with requests that wait.
    func share(of count: Int) -> Int {
        max(limits.firstUnits, limits.turnUnits / max(1, count))
    }
}
