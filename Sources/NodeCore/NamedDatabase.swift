internal import ReplicaCore
internal import SyncProtocol

/// A named database of a node: its replica, and the inputs of clients that wait until the replica serves.
struct NamedDatabase {
    /// How often a database gets a turn without input: seldom if no client has used it for some seconds.
    private static let tickMilliseconds: UInt64 = 50
    private static let idleTickMilliseconds: UInt64 = 200
    private static let idleMilliseconds: UInt64 = 10_000
    /// How long requests wait for the replica of a database to serve.
    private static let patienceMilliseconds: UInt64 = 15_000
    /// The most inputs of clients that wait for it, and their bytes.
    private static let waitingLimit = 10_000
    private static let waitingBytesLimit = 64 << 20

    let name: DatabaseName
    /// The replica; nil until the driver has opened the database.
    var replica: Replica?
    /// Whether there is a replica.
    private(set) var isOpen = false
    /// Whether the replica had work for another turn at the end of its last one.
    var hasDueWork = false
    /// Whether the replica has begun to serve.
    var isServing = false
    /// Whether the gateway knows that the replica has rules.
    var hasRules = false
    var isInTurn = false
    /// Whether the driver opens the database.
    var isOpening = false
    /// When the replica gets its next turn, even without input.
    private var dueMilliseconds: UInt64 = 0
    /// When a client used the database last.
    var usedMilliseconds: UInt64 = 0
    private var waiting: [Input] = []
    private var waitingBytes = 0
    private var waitingSince: UInt64 = 0

    init(_ name: DatabaseName) { self.name = name }

    /// Goes on with a replica.
    mutating func open(_ replica: consuming Replica) {
        (isOpen, isOpening) = (true, false)
        self.replica = replica
    }

    /// Whether the replica gets a turn at this time, without any input.
    func isDue(at milliseconds: UInt64) -> Bool {
        isOpen && (milliseconds >= dueMilliseconds || hasServableInputs || hasDueWork)
    }

    /// Records the end of a turn.
    mutating func endTurn(at milliseconds: UInt64) {
        isInTurn = false
        let isIdle = isServing && milliseconds >= usedMilliseconds + Self.idleMilliseconds
        dueMilliseconds =
            milliseconds + (isIdle ? Self.idleTickMilliseconds : Self.tickMilliseconds)
    }

    /// Whether inputs of clients wait although the replica serves.
    var hasServableInputs: Bool { isServing && !waiting.isEmpty }

    /// Whether an input of a client has to wait for the replica.
    func mustWait(_ input: Input) -> Bool {
        input.session != nil && (!isServing || !waiting.isEmpty)
    }

    /// Keeps an input of a client until the replica serves; false if too many wait.
    mutating func wait(_ input: Input, at milliseconds: UInt64) -> Bool {
        if waiting.isEmpty {
            // Nothing of the session waits that could be ended.
            if case .closed = input { return true }
            waitingSince = milliseconds
        }
        waitingBytes += input.byteCount
        waiting.append(input)
        return waiting.count <= Self.waitingLimit && waitingBytes <= Self.waitingBytesLimit
    }

    /// Whether inputs have waited for too long.
    func isOverdue(at milliseconds: UInt64) -> Bool {
        !waiting.isEmpty && !isServing && milliseconds >= waitingSince + Self.patienceMilliseconds
    }

    /// Removes and returns the inputs that wait.
    mutating func removeWaiting() -> [Input] {
        defer { (waiting, waitingBytes) = ([], 0) }
        return waiting
    }
}

extension Input {
    /// The session of a client that the input concerns; nil for other inputs.
    var session: SessionID? {
        switch self {
        case .requested(_, let session), .opened(let session), .identified(let session, _),
            .requestedMessages(_, let session), .closed(let session), .backpressured(let session),
            .writable(let session):
            session
        case .turnBegan, .published, .asked, .answered, .stored, .storeReplied, .backedUp,
            .storageFailed, .storageWorks, .turnEnded:
            nil
        }
    }

    /// About how many bytes the input keeps while it waits.
    fileprivate var byteCount: Int {
        switch self {
        case .requested(let frame, _): frame.count
        case .requestedMessages(let messages, _): messages.reduce(64) { $0 + $1.estimatedSize }
        default: 64
        }
    }
}
