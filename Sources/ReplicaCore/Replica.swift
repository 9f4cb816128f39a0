public import DataTree
public import SyncProtocol

/// One replica of the tree: it takes writes from clients and operations from peers, and says what
/// its driver must store, send and answer.
///
/// It has no clock, no randomness of its own, no socket and no file: equal replicas given equal
/// inputs return equal outputs. The life of a write is `requested` → `accept` → `store` → `stored` →
/// `publish` and `reply`; at a peer `published` → `receive` → `store` → `stored`.
///
/// Not copied while in use: a driver owns one.
public struct Replica: Sendable {
    public struct Configuration: Sendable {
        /// Only members of the same cluster talk to each other.
        public var cluster: String
        /// This node's name, such as `n1`.
        public var member: String
        /// The names of the others.
        public var peers: [String]
        public var durability: Durability
        /// Lists whose indexes stay once they are built.
        public var indexes = IndexRules()
        /// Memory for all indexes together.
        public var indexByteLimit = 256 << 20
        /// Seeds push IDs and the writer ID. Differs in every incarnation.
        public var seed: UInt64
        /// A checkpoint is due once so much has changed since the last one; a quarter, if there is time.
        public var checkpointBytes = 16 << 20
        /// So long after it was stamped, a write of a client that lost its node is taken at another one.
        ///
        /// What is needed to take late operations is kept so long, too.
        public var retryWindowMilliseconds: UInt64 = 5_000
        /// How long the coordinator of transactions may decide after it was last renewed. Another one follows
        /// within this and half of it.
        public var leaseMilliseconds: UInt64 = 2_000
        /// A log with more operations does not wait for members that are away.
        public var logLimit: UInt64 = 10_000_000
        /// What becomes of what this node alone had acknowledged before it was voted out.
        public var orphanPolicy = OrphanPolicy.replay
        /// The versions of the protocol that this node speaks.
        public var versions = UInt64(protocolVersion)...UInt64(protocolVersion)
        /// Where each member publishes, this one included: what tells two nodes of one name apart.
        public var endpoints: [String: String] = [:]

        public init(
            cluster: String, member: String, peers: [String], durability: Durability, seed: UInt64
        ) {
            self.cluster = cluster
            self.member = member
            self.peers = peers
            self.durability = durability
            self.seed = seed
        }
    }

    /// What readers of this replica see.
    public var value: Value { tree.value }
    /// How much this replica has applied of each origin.
    public internal(set) var vector = VersionVector()
    /// Who this replica is to others, in this incarnation: no start goes on with the sequences of another.
    public internal(set) var writer: WriterID
    public internal(set) var counters = Counters()
    /// Facts that only the driver knows, shown in `status`.
    public var process: NodeStatus.Process?

    let configuration: Configuration
    var tree = ConvergentTree()
    var clock: HybridClock
    var now = Moment(wallMilliseconds: 0, elapsedMilliseconds: 0)
    /// What the wall clock shows, whether it is followed or not.
    var shownMilliseconds: UInt64 = 0
    var peers: Peers
    var refusals = Refusals()
    var reorderBuffer = ReorderBuffer()
    var listens: Listens
    var slowClients = SlowClients()
    var disconnects = Disconnects()
    var writeConcernWaiters = WriteConcernWaiters()
    var stabilityWaiters = StabilityWaiters()
    var coordination: Coordination
    var clientSessions = ClientSessions()
    var deduplicationTable = DeduplicationTable()
    var versionDelta = VersionVectorDelta()
    /// Set while the disk takes nothing.
    var storageFailure: StorageFailure?
    var outbox = Outbox()
    var turns: TurnQueue
    var pushIDs = PushIDGenerator()
    var random: SplitMix64

    var repair = Repair()
    /// The operations accepted in this turn, until it ends or they are many.
    var batch: BatchWriter
    /// What this turn has to store and to say.
    var turn = OpenTurn()
    /// Once this turn is durable, a heartbeat says so.
    var requestedHeartbeatTurn: UInt64?
    var clockBound: UInt64
    /// No operation of this replica will have a stamp up to this time.
    var closedTimestamp: HybridTime
    /// What the clock showed some time ago.
    var shownTime: (elapsedMilliseconds: UInt64, time: HybridTime)?
    var nextHeartbeatMilliseconds: UInt64 = 0
    var nextProbeMilliseconds: UInt64 = 0
    /// No operation with a stamp up to this time can arrive any more.
    public internal(set) var stableTime = HybridTime.zero
    var checkpoints: Checkpoints
    var startup: Startup
    /// The list of members that is to be kept on disk; nil once it is.
    var members: MemberList?
    /// Set while this replica gets the checkpoint of a peer.
    var transfer: CheckpointTransfer?
    var checkpointAudit = OutgoingCheckpointAudit()
    /// A copy of the database is being written.
    var isBackingUp = false
    /// Set while this replica is out by decision.
    var rejoin: Rejoin?
    /// What it held before, beyond what another member held: batches, origin by origin.
    var orphans: [[UInt8]] = []
    /// What the batches that were restored rest on.
    var needed = VersionVector()
    /// The vector of this incarnation's last batch, which the next one builds on.
    var batched = VersionVector()

    /// Begins an incarnation of a member, as a new writer, on what the incarnations before have left.
    ///
    /// Then `restore` each stored batch that the checkpoint does not cover, `finishRestoring`, and begin the
    /// first turn.
    /// - Parameter aside: The batches that are kept beside the log.
    public init(
        _ configuration: Configuration, properties stored: [Property],
        checkpoint: RestoredCheckpoint? = nil, orphans: [[UInt8]] = []
    ) {
        self.configuration = configuration
        random = SplitMix64(seed: configuration.seed)
        // The data may be an older copy, and peers may hold, or have yet to hear, what came after it:
        // a writer that never goes on cannot contradict itself.
        writer = WriterID(bits: random.next() | 1)
        startup = Startup(hasPast: !stored.isEmpty)
        clockBound = stored.first { $0.name == .clockBound }?.number ?? 0
        clock = HybridClock(after: HybridTime(milliseconds: clockBound))
        closedTimestamp = clock.last
        listens = Listens(
            indexing: configuration.indexes, within: .init(byteLimit: configuration.indexByteLimit))
        peers = Peers(
            members: configuration.peers.filter { $0 != configuration.member },
            of: configuration.member, own: writer)
        coordination = Coordination(
            own: writer, leaseMilliseconds: configuration.leaseMilliseconds,
            hasPast: !stored.isEmpty)
        batch = BatchWriter(origin: writer)
        turns = TurnQueue(durability: configuration.durability)
        checkpoints = Checkpoints(
            every: configuration.checkpointBytes, logLimit: configuration.logLimit)
        self.orphans = orphans
        var last: MemberList?
        for property in stored {
            switch property.name {
            case .evictions: peers.evictions.restore(Replica.evictions(in: property.bytes))
            case .members: last = MemberList(property.bytes)
            case .vote: Replica.vote(in: property.bytes).map { coordination.election.restore($0) }
            case .clockBound: break
            }
        }
        noteMembers(after: last)
        turns.begin(knowing: peers.evictions.all)
        if !peers.evictions.own(at: .out).isEmpty { rejoin = Rejoin(phase: .returning) }
        if let checkpoint { restore(checkpoint) }
    }

    private static func vote(in bytes: [UInt8]) -> Lease? {
        bytes.withUnsafeBytes { bytes in
            var reader = MessagePackReader(bytes)
            return try? reader.lease()
        }
    }

    private static func evictions(in bytes: [UInt8]) -> [Eviction] {
        bytes.withUnsafeBytes { bytes in
            var reader = MessagePackReader(bytes)
            return (try? reader.evictions()) ?? []
        }
    }

    mutating func restore(_ checkpoint: RestoredCheckpoint) {
        let head = checkpoint.head
        tree = ConvergentTree(value: checkpoint.value, registers: checkpoint.registers)
        checkpoints.begin(with: head.vector, remembering: tree.forgettableCount)
        vector = head.vector
        stableTime = head.stableTime
        clock.observe(head.time)
        deduplicationTable = head.stamps
        turns.begin(holding: vector)
    }

    /// Applies a batch from disk; those of one origin come in order. One that the checkpoint covers
    /// is passed over.
    ///
    /// - Throws: `FrameError` if it is not the next one of its origin.
    public mutating func restore(_ stored: DecodedBatch) throws(FrameError) {
        checkpoints.note(first: stored.head.first, of: stored.head.origin)
        guard let batch = stored.batch, batch.last > vector[batch.origin] else { return }
        guard batch.first == vector[batch.origin] + 1 else {
            throw FrameError(
                offset: 0,
                problem: "the log of \(batch.origin) goes from \(vector[batch.origin]) to "
                    + "\(batch.first)",
                fix: "remove the data directory; the node gets its data from its peers")
        }
        for operation in batch.operations {
            observe(operation, of: batch.origin)
            _ = tree.apply(operation)
        }
        vector[batch.origin] = batch.last
        needed.raise(to: batch.dependencies)
        checkpoints.note(restoredBytes: stored.byteCount)
        turns.begin(holding: vector)
    }

    /// Ends what `restore` began.
    ///
    /// - Throws: `FrameError` if a batch rests on others that are not there: the end of an origin's log is
    ///   missing, which nothing else shows.
    public mutating func finishRestoring() throws(FrameError) {
        defer { needed = VersionVector() }
        let missing = needed.advanced(beyond: vector)
        guard let (origin, sequence) = missing.entries.first else { return }
        throw FrameError(
            offset: 0,
            problem:
                "the log of \(origin) ends at \(vector[origin]), and others rest on \(sequence)",
            fix: "remove the data directory; the node gets its data from its peers")
    }

    /// Takes one input and returns what the driver must do next, in order.
    public mutating func step(_ input: Input) -> [Output] {
        switch input {
        case .turnBegan(let moment):
            now = clock.followed(moment)
            shownMilliseconds = moment.wallMilliseconds
        case .published(let frame): receive(frame)
        case .answered(let frame, let member): receive(frame, from: member)
        case .asked(let frame, let member): answer(frame, to: member)
        case .requested(let frame, let session):
            disconnects.hear(session, at: now.elapsedMilliseconds)
            serve(frame, for: session)
        case .closed(let session): close(session)
        case .backpressured(let session): slowClients.hold(session)
        case .writable(let session): slowClients.release(session)
        case .found(let batches, let read): send(batches, for: read)
        case .stored(let turn): return turns.stored(turn) + requestedHeartbeat()
        case .checkpointed: checkpoints.finish(at: now.elapsedMilliseconds)
        case .foundRows(let part, let read): send(part, for: read)
        case .rowsReceived: requestMoreRows()
        case .installed(let installed): install(installed)
        case .keepOrphans(let batches): noteOrphans(batches)
        case .backedUp(let result, let id, let session): answer(id, result, for: session)
        case .storageFailed(let problem, let fix): noteStorage(.init(problem: problem, fix: fix))
        case .storageWorks: noteStorage(nil)
        case .turnEnded: return endTurn()
        }
        return []
    }

    /// The last turn before a clean stop: nothing but `stored` may follow, and does.
    ///
    /// What clients wanted written when they are gone is written now.
    public mutating func stop() -> [Output] {
        for session in disconnects.all { writeDisconnect(of: session) }
        // Something to store: when it is, all before it is durable too.
        turn.properties.append(Property(.clockBound, clockBound))
        coordination.election.resign()
        let bye = PeerMessage.bye(
            cluster: configuration.cluster, member: configuration.member, writer: writer,
            time: clock.advance(wallMilliseconds: now.wallMilliseconds))
        turn.published.append(.publish(bye.frame))
        return endTurn()
    }
}
