import Convergence
public import DataTree
import Marks
public import Store
public import SyncProtocol

/// One replica of the tree: it receives writes of clients and operations of peers, and returns what its driver
/// must store, send and answer.
///
/// It has no clock, no randomness of its own, no socket and no file: equal replicas given equal inputs return equal
/// outputs. A write goes `requested` → `accept` → `store` → `stored` → `publish` and `reply`; at a peer `published`
/// → `receive`, which buffers → `applyNext` → `store` → `stored`. `restore` and `replay` load the data on the disk.
///
/// A driver owns one, and does not copy it while in use.
public struct Replica: Sendable {
    let configuration: ReplicaConfiguration
    /// The tree, and what keeps it equal to those of the peers.
    var replication: Replication
    /// The clients' sessions.
    var sessions: Sessions
    /// The transactions of this node's clients and, if it is the coordinator, of the cluster.
    var coordination: Coordination
    /// Whether it serves, and what it waits for if not.
    var lifecycle: Lifecycle
    /// The parts that this node has yet to recover, according to the disk once the turns so far are stored.
    var storedDiskLoss: DiskLoss
    /// Whether an operator has had this replica serve without what its disk has lost.
    let lossIsAccepted: Bool
    /// Outputs that wait for the disk.
    var turns: TurnQueue
    /// When the tree is written to disk, and what the log keeps.
    var checkpoints: Checkpoints
    var checkpointAudit = OutgoingCheckpointAudit()
    /// The nodes whose clients' on-disconnect writes others do.
    var presence: PresenceWatch
    /// The comparisons of the tree with those of the peers.
    var comparisons: Comparisons
    /// What the other nodes have said about themselves, for the console.
    var peerStatuses = PeerStatuses()
    /// Set while the disk accepts no writes: in any state of the lifecycle, which it does not change.
    var storageFailure: StorageFailure?
    var heartbeats = HeartbeatSchedule()
    /// The bytes of the data.
    var dataSize = DataSize()
    /// The bytes of answers that wait at the driver because clients do not read them, as of the beginning of a turn.
    public var unreadBytes = 0
    /// Facts that only the driver knows, shown in `status`.
    public var process: NodeStatus.Process?

    /// Begins an incarnation of a member, as a new writer, on the data of earlier incarnations.
    ///
    /// Then `replay` the batches of the log, and begin the first turn.
    /// - Parameter orphans: The batches kept beside the log.
    public init(
        _ configuration: ReplicaConfiguration, properties stored: [Property],
        checkpoint: RestoredCheckpoint? = nil, orphans: [[UInt8]] = []
    ) {
        self.configuration = configuration
        let properties = StoredProperties(stored)
        replication = Replication(
            configuration, clockBound: properties.clockBound,
            closedBound: properties.closedBound ?? properties.clockBound,
            evictions: properties.evictions, members: properties.members,
            remembering: properties.peerDisks, after: properties.incarnations,
            orphans: orphans)
        replication.rulesHistory = properties.rulesHistory
        sessions = Sessions(configuration)
        coordination = Coordination(
            configuration, own: replication.writer, vote: properties.vote,
            // A node without peers has no member to learn votes from, and forgets none.
            isInformed: !properties.diskLoss.contains(.votes) || replication.peers.all.isEmpty)
        turns = TurnQueue(durability: configuration.durability)
        turns.begin(knowing: replication.peers.evictions.all)
        checkpoints = Checkpoints(configuration)
        lossIsAccepted = properties.diskLoss.contains(.accepted)
        let disk: Startup.Disk =
            if !properties.diskLoss.contains(.data) || lossIsAccepted {
                .whole
            } else {
                stored.isEmpty || configuration.durability == .memory ? .empty : .old
            }
        comparisons = Comparisons(every: configuration.comparisonMilliseconds)
        presence = PresenceWatch(patienceMilliseconds: configuration.presenceMilliseconds)
        let startup = Startup(disk: disk, waking: configuration.waking)
        storedDiskLoss = stored.isEmpty ? [] : properties.diskLoss
        let isOut = !replication.peers.evictions.own(at: .out).isEmpty
        lifecycle =
            isOut
            ? .rejoining(Rejoin(phase: .awaitingMembers, startup: startup)) : .starting(startup)
        if let checkpoint { restore(checkpoint) }
    }

    /// Replaces all state by a checkpoint.
    mutating func restore(_ checkpoint: RestoredCheckpoint) {
        replication.restore(checkpoint)
        comparisons.abandon()
        checkpoints.begin(
            with: checkpoint.head.vector, remembering: replication.tree.forgettableCount)
        turns.begin(holding: replication.vector)
        learnRules()
        dataSize.forget()
    }

    /// Applies a batch from disk; those of one origin come in order. One that the checkpoint covers is
    /// ignored.
    public mutating func replay(_ stored: DecodedBatch) {
        checkpoints.record(first: stored.head.first, of: stored.head.origin)
        guard let batch = stored.batch, replication.replay(batch) else { return }
        for operation in batch.operations { coordination.record(operation, of: batch.origin) }
        checkpoints.record(restoredBytes: stored.byteCount)
        turns.begin(holding: replication.vector)
        learnRules()
        dataSize.forget()
    }

    /// Takes one input and returns what the driver must do next, in order.
    public mutating func step(_ input: Input) -> [Output] {
        switch input {
        case .turnBegan(let moment):
            replication.incarnations.note(startWith: vector)
            replication.beginTurn(at: moment)
            // Before the ends of sessions that it notices now.
            if presence.hasSlept(at: moment.elapsedMilliseconds) {
                presence.noteContact(of: replication)
            }
            sessions.shares.beginTurn(at: moment.elapsedMilliseconds)
            sessions.requests.beginTurn(at: moment.elapsedMilliseconds)
            sessions.unread.beginTurn(waiting: unreadBytes) { turns.isStored($0) }
        case .published(let frame): receive(frame)
        case .answered(let frame, let member): receive(frame, from: member)
        case .asked(let frame, let member): answer(frame, to: member)
        case .requested(let frame, let session): serve(frame, for: session)
        case .opened(let session):
            endLeaving(session)
            sessions.openSessionOfValues(session)
        case .identified(let session, let principal): identify(session, as: principal)
        case .requestedMessages(let messages, let session): serve(messages, for: session)
        case .closed(let session): close(session)
        case .backpressured(let session):
            sessions.slowClients.hold(session, from: value, at: now.elapsedMilliseconds)
        case .writable(let session): sessions.slowClients.release(session)
        case .stored(let turn):
            return turns.stored(turn) + turns.dueSynchronization() + requestedHeartbeat()
        case .storeReplied(let reply): receive(reply)
        case .backedUp(let result, let id, let session): sessions.finishBackup(result, id, session)
        case .storageFailed(let problem, let fix): suspend(problem, fix: fix)
        case .storageWorks: storageFailure = nil
        case .turnEnded: return endTurn()
        }
        return []
    }

    /// Drops what waits in the reorder buffer, which could not be stored in order; peers have it.
    private mutating func suspend(_ problem: String, fix: String) {
        sometimes(.diskRefusesWrites)
        let since = storageFailure?.sinceMilliseconds ?? now.elapsedMilliseconds
        storageFailure = StorageFailure(problem: problem, fix: fix, sinceMilliseconds: since)
        replication.reorderBuffer.removeAll { _ in true }
    }

    /// Ends the last turn before a clean stop; only `stored` may follow, and it does.
    ///
    /// On-disconnect writes of open sessions are done now. While the disk accepts no writes, `stored` does not follow:
    /// requests that wait for the disk are answered, and the driver ends without it.
    public mutating func stop() -> [Output] {
        completeLargeOperations()
        if let storageFailure { answerWaitingRequests(because: storageFailure) }
        serveAllDue()
        for left in sessions.takeDisconnects() { write(permitted(left)) }
        // A property to store: once it is durable, everything before it is.
        replication.turn.properties.append(replication.clockBound.property)
        coordination.election.resign(after: replication.sendBye())
        let outputs = endTurn()
        turns.awaitStored()
        return outputs + turns.dueSynchronization()
    }
}

// MARK: - What drivers and tests look at

extension Replica {
    /// The tree as readers see it.
    public var value: Value { replication.tree.value }
    /// How much of each origin this replica has applied.
    public var vector: VersionVector { replication.vector }
    /// The writer of this incarnation: an incarnation never continues the sequences of another one.
    public var writer: WriterID { replication.writer }
    /// All operations with stamps up to this time have arrived.
    public var stableTime: HybridTime { replication.stableTime }
    /// The counters of this replica since its start.
    public var counters: Counters {
        var counters = replication.counters
        counters.refused += sessions.refusedCount
        return counters
    }

    /// Takes one input, like `step`, and returns what this replica held before and after it, too: outside, each look at the
    /// vector is given all of the replica.
    package mutating func observedStep(
        _ input: Input
    ) -> (outputs: [Output], before: VersionVector, after: VersionVector) {
        let before = vector
        return (step(input), before, vector)
    }

    /// Returns the facts that a simulator observes after each step. The getter is mutating because a non-mutating
    /// one copies the replica (some kilobytes).
    package mutating func standing() -> Standing {
        Standing(
            writer: writer, vector: vector, time: replication.clock.last, stableTime: stableTime,
            isOut: isOut, hasRecovered: diskLoss.isEmpty, hasDueWork: hasDueWork,
            returns: replication.counters.returns,
            installed: replication.counters.installed)
    }

    /// Returns the tree that readers see and its operations; mutating for the same reason.
    package mutating func shown() -> (value: Value, vector: VersionVector) { (value, vector) }

    /// How far a replica is, at one moment.
    package struct Standing: Sendable {
        package let writer: WriterID
        package let vector: VersionVector
        /// The latest time of the hybrid clock.
        package let time: HybridTime
        package let stableTime: HybridTime
        package let isOut: Bool
        /// Whether its disk has lost nothing that it has not recovered.
        package let hasRecovered: Bool
        /// Whether a further turn has work to do, without any input.
        package let hasDueWork: Bool
        /// Counted since it started.
        package let returns: UInt64
        package let installed: UInt64
    }

    /// Whether this replica knows that it was evicted, and rejoins.
    public var isOut: Bool { lifecycle.isRejoining && !lifecycle.isRecovering }
    /// Whether this replica has served on an old disk, and accepts no writes until it has met enough members.
    public var isRecovering: Bool { lifecycle.isRecovering }
    /// Whether its disk is known to be older than its latest one, and it has not recovered.
    package var isOnOldDisk: Bool { lifecycle.isOnOldDisk }
    /// The members without which it does not serve, or accepts no writes.
    public var awaitedMembers: [String] { lifecycle.awaited }
    /// Whether it has rejoined, if it was evicted, and has no orphaned operations to replay.
    public var isFullMember: Bool { !lifecycle.isRejoining && replication.orphans.isEmpty }
    /// Whether it refuses all requests of a session before a `hello`, because it gave up what the client may have seen.
    package func requiresHello(of session: SessionID) -> Bool { sessions.clients.isAhead(session) }
    /// Whether a session reads too slowly, and may not have been sent all changes.
    package func holdsBack(from session: SessionID) -> Bool {
        sessions.slowClients.contains(session)
    }
    /// Whether a session's client is gone and a transaction of it is undecided, which its on-disconnect writes may wait for.
    package func isLeaving(_ session: SessionID) -> Bool { sessions.leaving.contains(session) }
    /// Whether requests of a session wait for its share of a turn.
    package func awaitsShare(_ session: SessionID) -> Bool { sessions.due.contains(session) }
    /// The name of the coordinator, as far as this member knows.
    public var coordinatorMember: String? {
        coordination.coordinator(of: replication.peers, at: now.elapsedMilliseconds)?.member
    }
    /// The state of this replica, to be written to disk.
    public var checkpoint: Checkpoint {
        Checkpoint(
            value: replication.tree.value, registers: replication.tree.registers, vector: vector,
            stableTime: stableTime, time: replication.clock.last,
            stamps: replication.deduplicationTable, rules: replication.rules,
            records: replication.disconnectRecords)
    }

    /// When this turn began.
    var now: Moment { replication.now }
}
