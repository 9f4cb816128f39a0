import Convergence
public import DataTree
public import Store
public import SyncProtocol

/// One replica of the tree: it takes writes from clients and operations from peers, and says what
/// its driver must store, send and answer.
///
/// It has no clock, no randomness of its own, no socket and no file: equal replicas given equal
/// inputs return equal outputs. A write goes `requested` → `accept` → `store` → `stored` → `publish` and
/// `reply`; at a peer `published` → `receive`, which buffers → `applyNext` → `store` → `stored`. What is on
/// disk gets into the tree by `restore` and `replay`.
///
/// Not copied while in use: a driver owns one.
public struct Replica: Sendable {
    let configuration: ReplicaConfiguration
    /// The tree, and all that keeps it equal to those of the peers.
    var replication: Replication
    /// The clients.
    var sessions: Sessions
    /// The transactions of the cluster, if this node decides them, and of its clients.
    var coordination: Coordination
    /// Whether it serves, and what it waits for if not.
    var lifecycle: Lifecycle
    /// What waits for the disk before it leaves.
    var turns: TurnQueue
    /// When the tree is written to disk, and what the log keeps.
    var checkpoints: Checkpoints
    var checkpointAudit = OutgoingCheckpointAudit()
    /// Set while the disk takes nothing: in any state of the lifecycle, which it does not change.
    var storageFailure: StorageFailure?
    var heartbeats = HeartbeatSchedule()
    /// Facts that only the driver knows, shown in `status`.
    public var process: NodeStatus.Process?

    /// Begins an incarnation of a member, as a new writer, on what the incarnations before have left.
    ///
    /// Then `replay` the batches of the log, and begin the first turn.
    /// - Parameter orphans: The batches that are kept beside the log.
    public init(
        _ configuration: ReplicaConfiguration, properties stored: [Property],
        checkpoint: RestoredCheckpoint? = nil, orphans: [[UInt8]] = []
    ) {
        self.configuration = configuration
        let facts = StoredFacts(stored)
        replication = Replication(
            configuration, clockBound: facts.clockBound, evictions: facts.evictions,
            members: facts.members, orphans: orphans)
        sessions = Sessions(configuration)
        coordination = Coordination(
            configuration, own: replication.writer, vote: facts.vote, hasPast: !stored.isEmpty)
        turns = TurnQueue(durability: configuration.durability)
        turns.begin(knowing: replication.peers.evictions.all)
        checkpoints = Checkpoints(
            every: configuration.checkpointBytes, logLimit: configuration.logLimit)
        let startup = Startup(hasPast: !stored.isEmpty)
        let isOut = !replication.peers.evictions.own(at: .out).isEmpty
        lifecycle =
            isOut
            ? .rejoining(Rejoin(phase: .awaitingMembers, startup: startup)) : .starting(startup)
        if let checkpoint { restore(checkpoint) }
    }

    /// Puts a checkpoint in place of all that is here.
    mutating func restore(_ checkpoint: RestoredCheckpoint) {
        replication.restore(checkpoint)
        checkpoints.begin(
            with: checkpoint.head.vector, remembering: replication.tree.forgettableCount)
        turns.begin(holding: replication.vector)
    }

    /// Applies a batch from disk; those of one origin come in order. One that the checkpoint covers
    /// is passed over.
    public mutating func replay(_ stored: DecodedBatch) {
        checkpoints.note(first: stored.head.first, of: stored.head.origin)
        guard let batch = stored.batch, replication.replay(batch) else { return }
        for operation in batch.operations { coordination.note(operation, of: batch.origin) }
        checkpoints.note(restoredBytes: stored.byteCount)
        turns.begin(holding: replication.vector)
    }

    /// Takes one input and returns what the driver must do next, in order.
    public mutating func step(_ input: Input) -> [Output] {
        switch input {
        case .turnBegan(let moment): replication.beginTurn(at: moment)
        case .published(let frame): receive(frame)
        case .answered(let frame, let member): receive(frame, from: member)
        case .asked(let frame, let member): answer(frame, to: member)
        case .requested(let frame, let session): serve(frame, for: session)
        case .closed(let session): close(session)
        case .backpressured(let session): sessions.slowClients.hold(session)
        case .writable(let session): sessions.slowClients.release(session)
        case .stored(let turn): return turns.stored(turn) + requestedHeartbeat()
        case .storeReplied(let reply): take(reply)
        case .backedUp(let result, let id, let session): sessions.finishBackup(result, id, session)
        case .storageFailed(let problem, let fix): suspend(.init(problem: problem, fix: fix))
        case .storageWorks: storageFailure = nil
        case .turnEnded: return endTurn()
        }
        return []
    }

    /// The disk takes nothing: what waits in the reorder buffer would never be stored in order; peers have it.
    private mutating func suspend(_ failure: StorageFailure) {
        storageFailure = failure
        replication.reorderBuffer.removeAll { _ in true }
    }

    /// The last turn before a clean stop: nothing but `stored` may follow, and does.
    ///
    /// What clients wanted written when they are gone is written now.
    public mutating func stop() -> [Output] {
        for writes in sessions.takeDisconnects() { write(left: writes) }
        // Something to store: when it is, all before it is durable too.
        replication.turn.properties.append(replication.clockBound.property)
        coordination.election.resign(after: replication.sendBye())
        return endTurn()
    }
}

// MARK: - What drivers and tests look at

extension Replica {
    /// What readers of this replica see.
    public var value: Value { replication.tree.value }
    /// How much this replica has applied of each origin.
    public var vector: VersionVector { replication.vector }
    /// Who this replica is to others, in this incarnation: no start goes on with the sequences of another.
    public var writer: WriterID { replication.writer }
    /// All operations with stamps up to this time have arrived.
    public var stableTime: HybridTime { replication.stableTime }
    /// What this replica has counted since it started.
    public var counters: Counters {
        var counters = replication.counters
        counters.refused += sessions.refusedCount
        return counters
    }
    /// Whether this replica knows that it was evicted, and rejoins.
    public var isOut: Bool { lifecycle.isRejoining }
    /// Whether it is not, and has no orphaned operations to replay.
    public var isWhole: Bool { !lifecycle.isRejoining && replication.orphans.isEmpty }
    /// The name of the member that decides transactions, as far as this one has heard of one.
    public var coordinatorMember: String? {
        coordination.coordinator(of: replication.peers, at: now.elapsedMilliseconds)?.member
    }
    /// The state of this replica, to be written on disk.
    public var checkpoint: Checkpoint {
        Checkpoint(
            value: replication.tree.value, registers: replication.tree.registers, vector: vector,
            stableTime: stableTime, time: replication.clock.last,
            stamps: replication.deduplicationTable)
    }

    /// When this turn began.
    var now: Moment { replication.now }
}
