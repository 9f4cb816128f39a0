import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// Replicas joined by a network that delivers at once, except where a test cuts it.
struct TestCluster {
    /// The content of a node's disk.
    typealias Disk = DurableStore<MemoryTables>

    let names: [String]
    /// This applies to nodes that start from now on.
    var durability: Durability
    private(set) var replicas: [String: Replica] = [:]
    var disks: [String: Disk] = [:]
    private(set) var replies: [SessionID: [NodeMessage]] = [:]
    /// How often each node has had its disk synced in the mode `interval`.
    private(set) var syncCounts: [String: Int] = [:]
    /// Turns that were handed to a disk that does not sync by itself.
    private(set) var unsynced: [String: [Turn]] = [:]
    /// Ordered pairs between which published frames get lost.
    var cuts: Set<[String]> = []
    var disksAreStuck: Bool {
        get { stuckDisks == names }
        set { stuckDisks = newValue ? names : [] }
    }
    /// The nodes whose disks do not sync by themselves.
    var stuckDisks: [String] = []
    /// This applies to nodes that start from now on.
    var checkpointBytes: Int
    var logLimit: UInt64 = 1_000_000
    var orphanPolicy = OrphanPolicy.replay
    var presenceMilliseconds: UInt64 = 30_000
    var limits = ReplicaLimits()
    /// The protocol versions that nodes speak; in version 1 they state nothing about their disks.
    let versions: ClosedRange<UInt64>
    /// The addresses of all nodes in the configuration of nodes that start from now on.
    var endpoints: [String: String] = [:]
    /// The nodes that had to keep a copy of their databases.
    private(set) var copied: [String] = []
    /// The nodes that have had large parts of their trees freed, in order.
    private(set) var freed: [String] = []
    /// Changes what nodes give their peers of checkpoints.
    var tamper: ((inout CheckpointChunk) -> Void)?
    /// Evictions that nodes claim to know, beyond their own, as they give their peers of checkpoints.
    var addedEvictions: [Eviction] = []
    /// Why nodes gave up.
    private(set) var refusals: [String: String] = [:]
    private var now = Moment(wallMilliseconds: 1_700_000_000_000, elapsedMilliseconds: 0)
    private var incarnations: UInt64 = 0

    /// The tree of each node when it began to serve.
    private(set) var firstServed: [String: Value] = [:]

    init(
        _ count: Int, durability: Durability = .commit, checkpointBytes: Int = 16 << 20,
        limits: ReplicaLimits = ReplicaLimits(), versions: ClosedRange<UInt64> = 1...2
    ) {
        self.versions = versions
        names = (1...count).map { "n\($0)" }
        self.limits = limits
        (self.durability, self.checkpointBytes) = (durability, checkpointBytes)
        for name in names { start(name) }
        quiesce()
    }

    subscript(name: String) -> Replica { replicas[name]! }

    mutating func start(_ name: String) {
        incarnations += 1
        let disk = disks[name] ?? TestCluster.emptyDisk
        var configuration = ReplicaConfiguration(
            cluster: "test", member: name, peers: names, durability: durability, seed: incarnations)
        configuration.checkpointBytes = checkpointBytes
        configuration.logLimit = logLimit
        configuration.orphanPolicy = orphanPolicy
        configuration.presenceMilliseconds = presenceMilliseconds
        configuration.limits = limits
        configuration.versions = versions
        configuration.retryWindowMilliseconds = 500
        configuration.endpoints = endpoints
        // What a test damages it damages while the node runs: what cannot be read is a mistake of the
        // replica, and ends the run where it shows.
        var next = Disk(disk.tables, limits: TestCluster.limits)
        replicas[name] = try! next.recover { state in
            Replica(
                configuration, properties: state.properties, checkpoint: state.checkpoint,
                orphans: state.orphans)
        } replay: {
            $0.replay($1)
        }
        disks[name] = next
    }

    private static let limits: StoreLimits = {
        var limits = StoreLimits()
        limits.checkpoint = CheckpointWriter.Limits(row: 200, slice: 400)
        return limits
    }()

    private static var emptyDisk: Disk { Disk(MemoryTables(), limits: limits) }

    /// The node ends in order.
    mutating func stop(_ name: String) {
        run(name, [.turnBegan(now)])
        for output in replicas[name]!.stop() { perform(output, of: name) }
        crash(name)
    }

    /// The node is gone at once, with what its disk has not synced.
    mutating func crash(_ name: String) {
        replicas[name] = nil
        unsynced[name] = nil
        if durability == .memory { disks[name] = nil }
    }

    /// Changes the memory of a node, as a fault of its own would.
    mutating func corrupt(_ name: String, _ change: (inout Replica) -> Void) {
        change(&replicas[name]!)
    }

    /// A client sends a message, and all goes its way.
    mutating func send(_ message: ClientMessage, by client: UInt64 = 1, to name: String) {
        turn(name, [.requested(message.frame, by: SessionID(number: client))])
    }

    /// The node is gone, and its disk with it.
    mutating func wipe(_ name: String) {
        crash(name)
        disks[name] = nil
    }

    mutating func syncDisks() {
        for name in names where !stuckDisks.contains(name) {
            for turn in unsynced.removeValue(forKey: name) ?? [] { sync(turn, at: name) }
        }
    }

    /// Lets time pass until heartbeats and repair have done their work.
    mutating func quiesce(milliseconds: UInt64 = 3_000) {
        for _ in 0..<milliseconds / 50 {
            now.wallMilliseconds += 50
            now.elapsedMilliseconds += 50
            for name in names { turn(name, []) }
        }
    }

    /// The wall clock of the last turn.
    var milliseconds: UInt64 { now.wallMilliseconds }

    /// All wall clocks go back.
    mutating func setBack(milliseconds: UInt64) { now.wallMilliseconds -= milliseconds }

    mutating func turn(_ name: String, _ inputs: [Input]) {
        run(name, [.turnBegan(now)] + inputs + [.turnEnded])
    }

    private mutating func run(_ name: String, _ inputs: [Input]) {
        for input in inputs {
            guard replicas[name] != nil else { return }
            let outputs = replicas[name]!.step(input)
            for output in outputs { perform(output, of: name) }
        }
    }

    private mutating func perform(_ output: Output, of name: String) {
        switch output {
        case .store(let turn):
            if durability == .interval || stuckDisks.contains(name) {
                unsynced[name, default: []].append(turn)
            } else {
                sync(turn, at: name)
            }
        case .synchronize:
            guard durability == .interval, !stuckDisks.contains(name) else { return }
            syncCounts[name, default: 0] += 1
            for turn in unsynced.removeValue(forKey: name) ?? [] { sync(turn, at: name) }
        case .publish(let frame, _):
            for peer in names where peer != name && !cuts.contains([name, peer]) {
                turn(peer, [.published(frame)])
            }
        case .ask(let peer, let frame):
            if !cuts.contains([name, peer]) { turn(peer, [.asked(frame, by: name)]) }
        case .answer(let peer, let frame):
            if !cuts.contains([name, peer]) {
                turn(peer, [.answered(tampered(frame), from: name)])
            }
        case .reply(let session, let frame):
            for case .message(let message) in try! FrameReader<NodeMessage>.messages(in: frame) {
                replies[session, default: []].append(message)
            }
        case .replyLarge(let session, let frame):
            perform(.reply(session, frame.encoded), of: name)
        case .replyMessages(let session, let answers):
            replies[session, default: []] += answers.map(\.message)
        case .perform(let request): perform(request, of: name)
        case .giveUp(let problem, _): refusals[name] = problem
        case .backUp: copied.append(name)
        case .free: freed.append(name)
        case .serve: firstServed[name] = replicas[name]?.value
        case .pauseReading, .resumeReading: break
        }
    }

    private func tampered(_ frame: [UInt8]) -> [UInt8] {
        guard let messages = try? FrameReader<PeerMessage>.messages(in: frame),
            case .message(.checkpointChunk(var part, let evictions))? = messages.first
        else { return frame }
        tamper?(&part)
        return PeerMessage.checkpointChunk(part, evictions: evictions + addedEvictions).frame
    }

    private mutating func perform(_ request: StoreRequest, of name: String) {
        var next: StoreRequest? = request
        while var request = next {
            next = nil
            if case .readRows(var read) = request {
                // Three rows at a time.
                read.byteLimit = 600
                request = .readRows(read)
            }
            switch try! disks[name]!.execute(request) {
            case .done: break
            case .unfinished(let rest): next = rest
            case .replied(.checkpointed): run(name, [.storeReplied(.checkpointed)])
            case .replied(let reply): turn(name, [.storeReplied(reply)])
            }
        }
    }

    private mutating func sync(_ turn: Turn, at name: String) {
        try! disks[name, default: TestCluster.emptyDisk].commit([turn])
        run(name, [.stored(turn: turn.number)])
    }

    /// The answer of a node to `status`.
    mutating func status(of name: String) -> NodeStatus {
        send(.status(id: 1), by: 99, to: name)
        guard case .value(1, let answer)? = takeReplies(of: 99).last else {
            preconditionFailure("\(name) does not answer")
        }
        // The replica itself has written it.
        return try! NodeStatus(answer)
    }

    /// The messages to a client since the last call.
    mutating func takeReplies(of client: UInt64 = 1) -> [NodeMessage] {
        replies.removeValue(forKey: SessionID(number: client)) ?? []
    }
}

extension DurableStore<MemoryTables> {
    /// The batches of the log.
    var entries: [LogEntry] { tables.allRows(in: .batch).map { LogEntry($0) } }

    /// Whether a new process could read it.
    var isReadable: Bool {
        var next = DurableStore(tables)
        return (try? next.recover(begin: { _ in }, replay: { _, _ in })) != nil
    }
}
