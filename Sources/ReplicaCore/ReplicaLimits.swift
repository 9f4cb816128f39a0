import Convergence

/// How much of each kind a replica keeps for its peers and clients; beyond that it refuses, drops what can be had again, or forgets.
public struct ReplicaLimits: Sendable {
    /// Stamps remembered of one client, at least: clients have no more requests in flight.
    public var stampsOfClient = 1_024
    /// Stamps remembered of all clients.
    public var stamps = 1 << 18
    /// The bytes of operations accepted in one turn, beyond which a further batch begins.
    public var batchBytes = 1 << 20
    /// Batches that wait for others; with more, new ones are dropped, and repair brings them again.
    public var waitingBatches = 10_000
    /// Their bytes.
    public var waitingBatchBytes = 64 << 20
    /// Their origins: each search visits every one, and a malicious peer may name many.
    public var waitingOrigins = 100
    /// A batch with more missing origins among its dependencies does not wait.
    public var missingDependencies = 100
    /// Requests for missing batches that fit into the queue for one peer in one turn; further ones follow.
    public var repairRequests = 100
    /// Transactions of clients that wait for the coordinator.
    public var forwardedTransactions = 10_000
    /// The bytes of their values.
    public var forwardedBytes = 64 << 20
    /// Requests of clients that wait for an earlier transaction of their session, or for an operation of many writes.
    public var waitingRequests = 10_000
    /// Their bytes.
    public var waitingRequestBytes = 64 << 20
    /// The units of work for clients in a turn; a unit takes about a microsecond.
    public var turnUnits = 10_000
    /// The units that each session with waiting requests uses at once when its turn comes.
    public var firstUnits = 250
    /// The units that each session may use in a turn whatever the others have used.
    public var smallestUnits = 32
    /// The bytes of requests that wait for their session's share of a turn, of all sessions.
    public var dueBytes = 128 << 20
    /// With so many bytes of one session, the driver reads nothing more from it.
    public var dueBytesOfSession = 1 << 20
    /// Transactions that wait at the coordinator for what they depend on, or for its lease; more are dropped, and sent again.
    public var proposedTransactions = 10_000
    /// Clients that wait until all earlier writes have arrived.
    public var stabilityWaiters = 1_000
    /// Writes that wait for their write concern.
    public var concernWaiters = 100_000
    /// A list with so many children is queried without an index.
    public var unindexedChildren = 256
    /// How long an index is kept that no query needs.
    public var idleIndexMilliseconds: UInt64 = 300_000
    /// The bytes of answers that native clients have not read.
    public var unreadAnswerBytes = 512 << 20
    /// An operation with more writes is applied in several turns.
    public var writesAtOnce = 2_000
    /// How many of its writes are applied in a turn.
    public var writesPerTurn = 1_000
    /// Answers that wait until a connection has room.
    public var postponedAnswers = 10_000

    public init() {}
}

extension DeduplicationTable {
    /// An empty table within the limits of a replica.
    init(within limits: ReplicaLimits) {
        self.init(ofClient: limits.stampsOfClient, total: limits.stamps)
    }

    /// The same stamps within the limits of a replica.
    func limited(within limits: ReplicaLimits) -> DeduplicationTable {
        limited(ofClient: limits.stampsOfClient, total: limits.stamps)
    }
}
