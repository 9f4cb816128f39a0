public import DataTree

/// The answer to `status`: the state of a node, at one moment.
///
/// In a message it is an object; `StatusFields.swift` has the names of its members. Counts start with the node
/// unless their comment says otherwise.
public struct NodeStatus: Equatable, Sendable {
    /// Which node it is, and whether it takes writes.
    public var identity = Identity()
    /// What it holds.
    public var data = Data()
    /// Traffic with peers.
    public var exchange = Exchange()
    /// A process whose key no node of the configuration has.
    public struct RefusedKey: Equatable, Sendable {
        /// The key, as `publicKey` of a node has it.
        public var key = ""
        /// The address of its machine.
        public var address = ""
        /// How often its connections were refused.
        public var count = 0
        /// How long ago it was refused last.
        public var agoMilliseconds = 0

        /// One of which nothing is known yet.
        public init() {}
    }

    /// Evictions, and what this node did after its own.
    public var membership = Membership()
    /// The coordinator of transactions.
    public var coordination = Coordination()
    /// Waiting work and its limits.
    public var queues = Queues()
    /// Its clients.
    public var clients = Clients()
    /// The rules that it enforces; nil without.
    public var rules: Rules?
    /// Nil where no process runs the replica, as in the simulator.
    public var process: Process?

    /// The most databases in `databaseProblems`, and in `emptyDatabases`.
    public static let databaseProblemsShown = 20
    /// The most databases in `largestDatabases`.
    public static let largestDatabasesShown = 10

    /// The status of a node that has done nothing yet.
    public init() {}

    /// Reads what a node answers to `status`.
    ///
    /// - Throws: `DataError` that names the member that is missing or is something else.
    public init(_ answer: Value) throws(DataError) { try self.init(told: answer, under: "") }

    /// The value that answers `status`.
    public var value: Value { told }
}

extension NodeStatus {
    /// Which node it is, and whether it takes writes.
    public struct Identity: Equatable, Sendable {
        /// The name of the node in its configuration.
        public var member = ""
        /// The name of its cluster.
        public var cluster = ""
        /// The writer of its incarnation, as text.
        public var writer = ""
        /// Its wall clock, since 1970.
        public var wallMilliseconds = 0
        /// `commit`, `interval` or `memory`.
        public var durability = ""
        /// `works`, or why the disk takes nothing.
        public var storage = NodeStatus.storageWorks
        /// The remedy for the operator; nil while the disk works.
        public var storageFix: String?
    }

    /// The value of `storage` while the disk accepts writes.
    public static let storageWorks = "works"

    /// The data of the node.
    public struct Data: Equatable, Sendable {
        /// The operations applied, by the member that made them, or by the writer of a closed incarnation.
        public var held: [String: Int] = [:]
        /// The writers of the members' current incarnations, by member.
        public var writers: [String: String] = [:]
        /// All operations applied.
        public var operations = 0
        /// How many operations the peer that holds most has and this node lacks.
        public var lag = 0
        /// The places for which the node remembers what a late write could still change.
        public var registers = 0
        /// Up to when all earlier writes of all nodes have arrived, since 1970.
        public var stableMilliseconds = 0
        /// Writers of closed incarnations of which there are operations.
        public var closedIncarnations = 0
        /// The operations in the log.
        public var loggedOperations = 0
        /// How many the log may hold before it stops waiting for members that are away.
        public var loggedOperationsLimit = 0
    }

    /// Traffic with peers.
    public struct Exchange: Equatable, Sendable {
        /// How many milliseconds ago each peer was heard that was heard of late.
        public var connectedPeers: [String: Int] = [:]
        /// The members that are waited for and were not heard of late.
        public var silentPeers: [String: Bool] = [:]
        /// Operations that clients gave to this node.
        public var accepted = 0
        /// Operations of peers that were applied.
        public var received = 0
        /// Operations requested from peers.
        public var repaired = 0
        /// The bytes of all that came by repair, held already or not.
        public var repairedBytes = 0
        /// Operations that came although they were held already.
        public var duplicates = 0
        /// Writes that had lost against a concurrent, later write of another writer when this node applied them.
        public var overwritten = 0
        /// Operations for which there was no room to wait.
        public var dropped = 0
        /// Checkpoints of peers that took the place of the node's own data.
        public var installedCheckpoints = 0
        /// The member whose checkpoint is being received; nil if none is.
        public var receivingCheckpointFrom: String?
        /// The members whose checkpoints the node refused and of which it still misses operations, each with the
        /// number of operations that installing its checkpoint would lose.
        public var refusedCheckpoints: [String: Int] = [:]
        /// How many milliseconds ago the tree was last compared with that of each peer.
        public var comparedTrees: [String: Int] = [:]
        /// The peers whose trees differed then, and how many milliseconds ago that was found first.
        public var differingTrees: [String: Int] = [:]
        /// Frames of peers that could not be read.
        public var malformedFrames = 0
        /// Frames from other clusters and from unknown members, and operations that no member can have made.
        public var unknownPeers = 0
        /// The processes that were not taken for the members that they said they were, by the reasons.
        public var refusedNodes: [String: RefusedNode] = [:]
    }

    /// A process that was not taken for the member that it said it was.
    public struct RefusedNode: Equatable, Sendable {
        /// The member that it said it was.
        public var member = ""
        /// Where it listens.
        public var endpoint = ""
        /// Why it was refused.
        public var problem = ""
        /// The remedy.
        public var fix = ""
        /// How often in a row.
        public var count = 0
        /// How long ago it was refused last.
        public var agoMilliseconds = 0

        /// One of which nothing is known yet.
        public init() {}
    }

    /// Evictions, and what this node did after its own.
    public struct Membership: Equatable, Sendable {
        /// The evicted members, with the writers that they were then.
        public var evicted: [String: String] = [:]
        /// The members that this node votes to evict, while no majority is known.
        public var evictionVotes: [String: String] = [:]
        /// Whether this node was evicted and has not rejoined yet.
        public var isEvicted = false
        /// The members that this node waits for, because its disk is not its latest one, such as `n2, n3`. It accepts no writes
        /// before.
        public var awaited: String?
        /// Orphaned batches: operations that this node alone had when it was evicted, not replayed yet.
        public var orphanedBatches = 0
        /// How often the node rejoined.
        public var rejoins = 0
        /// Orphaned operations that were replayed.
        public var replayed = 0
        /// Orphaned operations in quarantine, for the user to decide.
        public var quarantined = 0
    }

    /// Who decides transactions.
    public struct Coordination: Equatable, Sendable {
        /// The coordinator; nil while this node knows none.
        public var coordinator: String?
        /// The number of its lease.
        public var term = 0
        /// Transactions that this node decided.
        public var decided = 0
    }

    /// Waiting work and its limits.
    public struct Queues: Equatable, Sendable {
        /// The writers with missing operations.
        public var gaps = 0
        /// Batches that wait for earlier ones.
        public var waitingBatches = 0
        /// How many may wait.
        public var waitingBatchesLimit = 0
        /// The bytes of these batches.
        public var waitingBytes = 0
        /// How many bytes may wait.
        public var waitingBytesLimit = 0
        /// Turns that are not durable yet.
        public var pendingTurns = 0
        /// Writes that wait until they are durable on enough members.
        public var waitingForConcern = 0
        /// Transactions that wait for the coordinator.
        public var waitingTransactions = 0
        /// How many may wait.
        public var waitingTransactionsLimit = 0
        /// Clients that wait until all earlier writes are stable.
        public var waitingForStable = 0
        /// How many may wait.
        public var waitingForStableLimit = 0
        /// Sessions whose requests wait for their share of a turn.
        public var sessionsAwaitingShare = 0
        /// The bytes of these requests.
        public var bytesAwaitingShare = 0
        /// How many bytes may wait.
        public var bytesAwaitingShareLimit = 0
    }

    /// The clients of the node.
    public struct Clients: Equatable, Sendable {
        /// Clients with a session.
        public var sessions = 0
        /// Sessions that wait until the node holds what the client has seen.
        public var waitingClients = 0
        /// Open listens.
        public var listens = 0
        /// Requests that were refused.
        public var refused = 0
        /// The writes of clients that the node remembers, so that each is done once.
        public var deduplicationEntries = 0
        /// How many are remembered at most.
        public var deduplicationEntriesLimit = 0
        /// Writes that clients repeated although they were done.
        public var repeated = 0
        /// Clients that read so slowly that their listens wait.
        public var clientsBehind = 0
        /// Changes that were held back from such clients.
        public var changesHeldBack = 0
        /// The memory that their queries occupy.
        public var queries = Queries()
        /// The bytes of writes for the ends of connections.
        public var disconnectBytes = 0
        /// How often each limit has refused or delayed a request.
        public var limited: [String: Int] = [:]
    }

    /// What queries keep.
    public struct Queries: Equatable, Sendable {
        /// Locations that are queried.
        public var lists = 0
        /// Different windows on them.
        public var views = 0
        /// The memory of the indexes.
        public var indexBytes = 0
        /// The limit of the memory of indexes.
        public var indexByteLimit = 0
        /// The memory of all declared indexes together, as far as the node knows their lists: those without a wildcard, and
        /// those of lists that were queried.
        public var declaredIndexBytes = 0
        /// Indexes that are being built.
        public var builds = 0
        /// Different listened windows without an index, because there is no room for one.
        public var unindexedListens = 0
        /// Reads and listens that were served with a temporary index, because there was no room for one that stays.
        public var unindexedQueries = 0
        /// Some of the locations that have indexes.
        public var indexes: [IndexedList] = []
    }

    /// A location with indexes.
    public struct IndexedList: Equatable, Sendable {
        /// Where.
        public var path = ""
        /// The orders of the indexes, each with the number of its children.
        public var orders = ""
        /// Open listens.
        public var listens = 0

        /// One of which nothing is known yet.
        public init() {}
    }

    /// Figures of the process.
    public struct Process: Equatable, Sendable {
        /// Where clients connect.
        public var address = ""
        /// The number of the process.
        public var pid = 0
        /// Since when it runs.
        public var uptimeMilliseconds = 0
        /// The processor time that it has used, of all its threads.
        public var cpuMilliseconds: Int?
        /// Resident memory.
        public var residentBytes: Int?
        /// The database with its write-ahead log; nil in memory.
        public var databaseBytes: Int?
        /// The databases of the node, with the default one; nil from a node of a version without this number.
        public var databases: Int?
        /// Those that do not sleep.
        public var awakeDatabases: Int?
        /// The named databases that are not in order at this node; nil from a node of a version without this number.
        public var unreadyDatabases: Int?
        /// Their problems, as in `is being opened`, up to `databaseProblemsShown`.
        public var databaseProblems: [String: String] = [:]
        /// The databases on chosen nodes of which this node holds nothing, with the names of these nodes, separated by commas.
        public var emptyDatabases: [String: String] = [:]
        /// The largest databases, with the bytes of their data.
        public var largestDatabases: [String: Int] = [:]
        /// The files of databases that the node keeps aside, because they may have operations that no other node has: their
        /// folders with their bytes.
        public var keptDatabases: [String: Int] = [:]
        /// The databases that were placed twice in one epoch, with the nodes of both placements. No node serves them.
        public var contestedDatabases: [String: String] = [:]
        /// The databases besides the default one whose trees differ from those of peers, by database, and how many milliseconds
        /// ago that was found first.
        public var differingDatabases: [String: [String: Int]] = [:]
        /// The bytes that may still be written to the disk of the database.
        public var diskFreeBytes: Int?
        /// Files and connections that are open.
        public var openFiles = 0
        /// The limit of open files and connections.
        public var openFilesLimit = 0
        /// The bytes of the operations in the log.
        public var logBytes = 0
        /// Turns that wait for the storage thread.
        public var storageBacklog = 0
        /// How many may wait.
        public var storageBacklogLimit = 0
        /// Connections of clients.
        public var sessions = 0
        /// The limit of open files and connections.
        public var sessionsLimit = 0
        /// Connections that were ended because the client read too slowly.
        public var slowClients = 0
        /// The bytes of answers that wait for clients.
        public var waitingReplyBytes = 0
        /// Replies to clients that were gone.
        public var droppedReplies = 0
        /// Frames to peers that were not sent.
        public var droppedFrames = 0
        /// Connections to the ports for peers.
        public var peerConnections: Int?
        /// Such connections that were cut because too many had shown no key.
        public var cutPeerConnections: Int?
        /// Connections without a key that is let in; nil where there are no keys.
        public var refusedConnections: Int?
        /// The latest processes whose keys are not let in.
        public var refusedKeys: [RefusedKey] = []

        /// One of which nothing is known yet.
        public init() {}
    }
}
