internal import DataTree
internal import ReplicaCore
internal import SyncProtocol

/// A named database of a node: its replica while it is awake, and the inputs that wait for it.
struct NamedDatabase {
    /// The state of a database.
    enum State {
        /// It has no replica, and the driver has no file open.
        case asleep
        /// The driver opens it.
        case opening
        case awake
        /// The last turn of its replica is on its way to the disk.
        case stopping
        /// The driver closes it.
        case closing
    }

    /// How often a database gets a turn without input: seldom if no client has used it for some seconds.
    private static let tickMilliseconds: UInt64 = 50
    private static let idleTickMilliseconds: UInt64 = 200
    private static let idleMilliseconds: UInt64 = 10_000
    /// How long a database counts as used after the last input of a client: longer than a few heartbeats, which announce the use.
    private static let useMilliseconds: UInt64 = 1_000
    /// How long requests wait for the replica of a database to serve.
    private static let patienceMilliseconds: UInt64 = 15_000

    let name: DatabaseName
    var state = State.asleep
    /// The replica of an awake or stopping database, and no other element. An array, because a sleeping database should not
    /// occupy the memory of a replica.
    private var replicas: [Replica] = []
    /// Whether the replica had work for another turn at the end of its last one.
    var hasDueWork = false
    /// Whether the replica has begun to serve.
    var isServing = false
    /// Whether the gateway knows that the replica has rules.
    var hasRules = false
    var isInTurn = false
    /// Whether the replica has had inputs since the node removed its records of requests.
    var isStepped = false
    /// Whether the database was removed: then its next turn is its last one.
    var isRemoved = false
    /// The epoch of the replica.
    private(set) var epoch: UInt32 = 0
    /// Whether the driver was opening the files when the disk was found to be old: the driver marks the closed ones. A database
    /// that has met the others since is not old when it wakes again.
    var distrustsDisk = false
    /// The epoch in which the driver began to open the files.
    var openingEpoch: UInt32 = 0
    /// Whether the database has moved to other nodes.
    var isElsewhere = false
    /// Whether it counts among the databases that the node holds.
    var isListed: Bool { !isRemoved && !isElsewhere && !name.isCatalog }
    /// Whether the database moves, and this node holds it meanwhile.
    var isMoving = false
    /// Whether two placements were decided for the same epoch. Then the replica ends, and the files stay as they are.
    var isContested = false
    /// The placement in which the node used the files last; nil while there are no files.
    var files: PlacementRecord?
    /// Whether nodes that hold the database have announced all operations of the files as durable, as far as the last replica
    /// knew. Then the files can be deleted.
    var isShown = false
    /// Whether the gateway knows that all nodes of this epoch hold the same operations.
    var isCopied = false
    /// The digest of the operations that the files of a sleeping database hold; nil if it is unknown.
    var digest: UInt64?
    /// The digest of the tree in these files; nil if it is unknown.
    var treeDigest: TreeDigest?
    /// The nodes whose trees differed at the last comparison with each, and when that was found first.
    var differences: [String: UInt64] = [:]
    /// Whether the database is among those that will wake because a peer may hold other operations.
    var awaitsVisit = false
    /// Whether it has to wake once the driver has closed it.
    var wakesAgain = false
    /// Whether all reachable nodes held the same operations at the end of the last turn.
    var isSynchronized = false
    /// When the replica lacked no operations last.
    var completeMilliseconds: UInt64 = 0
    /// The sessions of clients.
    var sessionCount = 0
    /// When the replica gets its next turn, even without input.
    private(set) var dueMilliseconds: UInt64 = 0
    /// When a client used the database last.
    private var usedMilliseconds: UInt64?
    /// The database does not sleep before this time.
    private(set) var awakeUntilMilliseconds: UInt64 = 0
    var waiting = WaitingInputs()
    /// The use of the database before its present replica.
    var past = PastUse()

    init(_ name: DatabaseName) { self.name = name }

    /// The replica. There must be one.
    var replica: Replica {
        _read { yield replicas[0] }
        _modify { yield &replicas[0] }
    }

    /// A copy of the replica; nil while the database is asleep.
    var copyOfReplica: Replica? { replicas.first }

    /// Whether there is a replica.
    var hasReplica: Bool { !replicas.isEmpty }

    /// Goes on with a replica.
    mutating func open(_ replica: consuming Replica, in epoch: UInt32) {
        replicas = [replica]
        (self.epoch, isCopied) = (epoch, false)
        (state, dueMilliseconds, digest, treeDigest) = (.awake, 0, nil, nil)
        isShown = false
        completeMilliseconds = 0
    }

    /// Frees the replica, whose turns are durable.
    mutating func removeReplica() {
        past.add(replica.use())
        (digest, treeDigest) = (replica.vector.digest, replica.treeDigest)
        rememberDifferences()
        replicas = []
        (isServing, isSynchronized, hasDueWork) = (false, false, false)
    }

    /// Whether the replica gets a turn at this time, without any input.
    func isDue(at milliseconds: UInt64) -> Bool {
        state == .awake && (milliseconds >= dueMilliseconds || hasDueWork)
    }

    /// Records the end of a turn.
    mutating func endTurn(at milliseconds: UInt64) {
        isInTurn = false
        let isIdle = isServing && milliseconds >= (usedMilliseconds ?? 0) + Self.idleMilliseconds
        dueMilliseconds =
            milliseconds + (isIdle ? Self.idleTickMilliseconds : Self.tickMilliseconds)
    }

    /// Records the use by a client.
    mutating func recordUse(at milliseconds: UInt64, sleepingAfter patience: UInt64?) {
        usedMilliseconds = milliseconds
        stayAwake(for: patience ?? 0, from: milliseconds)
    }

    /// Postpones the sleep of the database.
    mutating func stayAwake(for duration: UInt64, from milliseconds: UInt64) {
        awakeUntilMilliseconds = max(awakeUntilMilliseconds, milliseconds + duration)
    }

    /// The use of the database as frames to other nodes announce it.
    func use(at milliseconds: UInt64) -> DatabaseEnvelope.Use {
        let isUsed = usedMilliseconds.map { milliseconds < $0 + Self.useMilliseconds } ?? false
        if isUsed || sessionCount > 0 || !waiting.isEmpty { return .used }
        return isSynchronized ? .idle : .synchronizing
    }

    /// Whether an input of a client has to wait for the replica.
    func mustWait(_ input: Input) -> Bool {
        input.session != nil && (state != .awake || !isServing || !waiting.isEmpty)
    }

    /// Whether inputs have waited for too long.
    func isOverdue(at milliseconds: UInt64) -> Bool {
        guard let since = waiting.sinceMilliseconds, !isServing else { return false }
        return milliseconds >= since + Self.patienceMilliseconds
    }
}
