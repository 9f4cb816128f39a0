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
        /// Seeds push IDs and, in a new data directory, the writer ID. Differs in every life.
        public var seed: UInt64

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
    public private(set) var vector = Vector()
    /// Who this replica is to others, in this life of its data directory.
    public let writer: WriterID
    public internal(set) var counters = Counters()
    /// Facts that only the driver knows (process, addresses, disk), shown in `status` under `process`.
    public var surroundings = Value.null

    /// A mistake planted for a test, before the first input.
    public var defect: Defect? {
        get { tree.defect }
        set { tree.defect = newValue }
    }

    let configuration: Configuration
    var tree = ConvergentTree()
    var clock: HybridClock
    var now = Moment(wallMilliseconds: 0, elapsedMilliseconds: 0)
    var peers: Peers
    var inbox = Inbox()
    var listens = Listens()
    var outbox = Outbox()
    var turns: TurnQueue
    var pushIDs = PushIDGenerator()
    var random: SplitMix64

    private var repair = Repair()
    private var batch: BatchWriter
    private var entries: [LogEntry] = []
    private var properties: [Property]
    private var published: [Output] = []
    private var urgent: [Output] = []
    private var clockBound: UInt64
    private var nextBeatMilliseconds: UInt64 = 0
    /// No operation with a stamp up to this time can arrive any more.
    private var frontier = HybridTime.zero
    private var startedMilliseconds: UInt64?
    private var isServing = false

    /// Takes a member's life up where its stored properties say it ended, or begins a new one.
    ///
    /// Then `restore` each stored batch, and begin the first turn.
    public init(_ configuration: Configuration, properties stored: [Property]) {
        self.configuration = configuration
        random = SplitMix64(seed: configuration.seed)
        var facts: [Property.Name: UInt64] = [:]
        for property in stored { facts[property.name] = property.value }

        // What was announced before it was synced may be lost here and known to peers; a writer
        // that never reuses a sequence cannot contradict itself.
        let isComplete = configuration.durability == .commit || facts[.isClean] == 1
        let known = isComplete ? facts[.writer] : nil
        let drawn = random.next() | 1
        writer = WriterID(bits: known ?? drawn)
        clockBound = facts[.clockBound] ?? 0
        clock = HybridClock(after: HybridTime(milliseconds: clockBound))
        peers = Peers(members: configuration.peers.filter { $0 != configuration.member })
        batch = BatchWriter(origin: writer)
        turns = TurnQueue(
            durability: configuration.durability,
            durable: .init(vector: Vector(), promise: .zero))
        properties = [Property(.writer, writer.bits), Property(.isClean, 0)]
    }

    /// Applies a batch from disk; those of one origin come in order.
    ///
    /// - Throws: `FrameError` if the bytes are not a batch, or not the next one of its origin.
    public mutating func restore(_ bytes: UnsafeRawBufferPointer) throws(FrameError) {
        let batch = try BatchCoding.decode(bytes)
        guard batch.first == vector[batch.origin] + 1 else {
            throw FrameError(
                offset: 0,
                problem: "the log of \(batch.origin) goes from \(vector[batch.origin]) to "
                    + "\(batch.first)",
                fix: "remove the data directory; the node gets its data from its peers")
        }
        for operation in batch.operations {
            clock.observe(operation.stamp.time)
            _ = tree.apply(operation)
        }
        vector[batch.origin] = batch.last
        turns = TurnQueue(
            durability: configuration.durability, durable: .init(vector: vector, promise: .zero))
    }

    /// Takes one input and returns what the driver must do next, in order.
    public mutating func step(_ input: Input) -> [Output] {
        switch input {
        case .turnBegan(let moment): now = moment
        case .published(let frame): receive(frame)
        case .answered(let frame, _): receive(frame)
        case .asked(let frame, let member): answer(frame, to: member)
        case .requested(let frame, let session): serve(frame, for: session)
        case .closed(let session): close(session)
        case .found(let batches, let read): send(batches, for: read)
        case .stored(let turn): return turns.stored(turn)
        case .turnEnded: return endTurn()
        }
        return []
    }

    /// The last turn before a clean stop: nothing but `stored` may follow.
    public mutating func stop() -> [Output] {
        properties.append(Property(.isClean, 1))
        return endTurn()
    }
}

// MARK: - Operations

extension Replica {
    /// Makes an operation of checked writes, applies it, and leaves it to this turn's batch.
    mutating func accept(_ writes: [Write]) {
        let time = clock.next(wallMilliseconds: now.wallMilliseconds)
        let operation = Operation(stamp: Stamp(time: time, writer: writer), writes: writes)
        batch.append(operation)
        vector[writer] += 1
        counters.accepted += 1
        apply(operation)
        if batch.byteCount > 1 << 20 { closeBatch() }
    }

    private mutating func apply(_ operation: Operation) {
        for notice in listens.notices(of: tree.apply(operation)) { outbox.append(notice) }
    }

    /// Ends this turn's batch: its bytes go to disk, to all peers, and to any who miss it later.
    private mutating func closeBatch() {
        if batch.isEmpty { return }
        let last = vector[writer]
        let first = last - UInt64(batch.count) + 1
        var dependencies = vector
        dependencies[writer] = 0
        let bytes = batch.finish(
            first: first, wallMilliseconds: now.wallMilliseconds, dependencies: dependencies)
        entries.append(LogEntry(origin: writer, first: first, last: last, bytes: bytes))
        published.append(.publish(PeerMessage.batch(bytes).frame))
    }

    /// Takes a batch from a peer: applies it, or holds it back until it is its turn.
    private mutating func receive(batch bytes: [UInt8], repaired: Bool) {
        let batch: Batch
        do throws(FrameError) {
            batch = try BatchCoding.decode(bytes)
        } catch {
            counters.malformedFrames += 1
            return
        }
        let count = UInt64(batch.operations.count)
        if batch.last <= vector[batch.origin] {
            counters.duplicates += count
            return
        }
        if repaired { counters.repaired += count }
        if batch.first == vector[batch.origin] + 1, vector.covers(batch.dependencies) {
            take(batch, bytes)
        } else if !inbox.insert(batch, bytes) {
            counters.dropped += count
        }
        while let next = inbox.next(after: vector) { take(next.batch, next.bytes) }
    }

    private mutating func take(_ batch: Batch, _ bytes: [UInt8]) {
        for operation in batch.operations {
            clock.observe(operation.stamp.time)
            apply(operation)
        }
        vector[batch.origin] = batch.last
        counters.received += UInt64(batch.operations.count)
        entries.append(
            LogEntry(origin: batch.origin, first: batch.first, last: batch.last, bytes: bytes))
    }
}

// MARK: - Peers

extension Replica {
    private mutating func receive(_ frame: [UInt8]) {
        for message in peerMessages(in: frame) {
            switch message {
            case .batch(let bytes): receive(batch: bytes, repaired: false)
            case .beat(let beat): hear(beat)
            case .have(let origin, let batches):
                repair.answered(origin, wasUseful: !batches.isEmpty)
                for bytes in batches { receive(batch: bytes, repaired: true) }
            case .want: counters.malformedFrames += 1
            }
        }
    }

    private mutating func answer(_ frame: [UInt8], to member: String) {
        for message in peerMessages(in: frame) {
            guard case .want(_, let origin, let from, let through) = message else {
                counters.malformedFrames += 1
                continue
            }
            urgent.append(
                .read(
                    LogRead(
                        member: member, origin: origin, from: from, through: through,
                        byteLimit: Repair.chunkBytes)))
        }
    }

    private mutating func send(_ batches: [[UInt8]], for read: LogRead) {
        let message = PeerMessage.have(origin: read.origin, batches: batches)
        urgent.append(.answer(read.member, message.frame))
    }

    private mutating func hear(_ beat: Beat) {
        guard beat.cluster == configuration.cluster,
            peers.hear(beat, at: now.elapsedMilliseconds)
        else {
            counters.strangers += 1
            return
        }
        clock.observe(beat.promise)
    }

    private mutating func peerMessages(in frame: [UInt8]) -> [PeerMessage] {
        do throws(FrameError) {
            return try FrameReader<PeerMessage>.messages(in: frame).compactMap { received in
                if case .message(let message) = received { return message }
                counters.malformedFrames += 1
                return nil
            }
        } catch {
            counters.malformedFrames += 1
            return []
        }
    }
}

// MARK: - Turns

extension Replica {
    private mutating func endTurn() -> [Output] {
        closeBatch()
        let requests = repair.requests(
            holding: vector, inbox: inbox, peers: peers, at: now.elapsedMilliseconds)
        for request in requests {
            let message = PeerMessage.want(
                member: configuration.member, origin: request.origin, from: request.from,
                through: request.through)
            urgent.append(.ask(request.member, message.frame))
        }
        let promise = clock.advance(wallMilliseconds: now.wallMilliseconds)
        extendClockBound(over: promise)
        let outputs = turns.end(
            batches: entries, properties: properties, outputs: published + outbox.take(),
            mark: .init(vector: vector, promise: promise))
        entries.removeAll(keepingCapacity: true)
        properties.removeAll(keepingCapacity: true)
        published.removeAll(keepingCapacity: true)
        beat()
        // A little every turn, so that no turn is long.
        tree.forget(through: Stamp(time: frontier, writer: WriterID(bits: .max)), limit: 500)
        serveWhenReady()
        defer { urgent.removeAll(keepingCapacity: true) }
        return urgent + outputs
    }

    /// Keeps a bound on disk above every time that was promised, for the next life to start from.
    private mutating func extendClockBound(over promise: HybridTime) {
        guard promise.milliseconds + 1_000 > clockBound else { return }
        clockBound = promise.milliseconds + 3_000
        properties.append(Property(.clockBound, clockBound))
    }

    /// Four times a second: tells what is durable here, and finds out what is stable.
    private mutating func beat() {
        guard now.elapsedMilliseconds >= nextBeatMilliseconds else { return }
        nextBeatMilliseconds = now.elapsedMilliseconds + 250
        let durable = turns.durable
        let beat = Beat(
            cluster: configuration.cluster, member: configuration.member, writer: writer,
            vector: durable.vector, promise: durable.promise,
            wallMilliseconds: now.wallMilliseconds)
        urgent.append(.publish(PeerMessage.beat(beat).frame))
        peers.settle(holding: vector)
        let isPastGaps = defect == .compactPastAGap
        if isPastGaps {
            frontier = clock.last
        } else if !peers.knowsDeadWriters(besides: writer, holding: vector) {
            frontier = peers.frontier(own: clock.last)
        }
    }

    /// Clients are taken once all peers were heard, or after a second and a half without some.
    private mutating func serveWhenReady() {
        guard !isServing else { return }
        let started = startedMilliseconds ?? now.elapsedMilliseconds
        startedMilliseconds = started
        let isComplete = peers.liveCount(at: now.elapsedMilliseconds) == peers.all.count
        guard isComplete || now.elapsedMilliseconds >= started + 1_500 else { return }
        isServing = true
        urgent.append(.serve)
    }
}
