import DataTree
import ReplicaCore
import SyncProtocol

/// Replicas joined by a network that delivers at once, except where a test cuts it.
struct TestCluster {
    /// What a node's disk holds.
    struct Disk {
        var entries: [LogEntry] = []
        var properties: [Property] = []
        var orphans: [[UInt8]] = []
        var writer = CheckpointWriter(limits: .init(row: 200, slice: 400))
        var rows: [CheckpointRow] = []
        var head: [UInt8] = []
        var received: [CheckpointRow] = []
    }

    let names: [String]
    /// Of nodes that start from now on.
    var durability: Durability
    private(set) var replicas: [String: Replica] = [:]
    var disks: [String: Disk] = [:]
    private(set) var replies: [SessionID: [NodeMessage]] = [:]
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
    /// Of nodes that start from now on.
    var checkpointBytes = 16 << 20
    var logLimit: UInt64 = 1_000_000
    var orphanPolicy = OrphanPolicy.replay
    /// Where nodes that start from now on believe themselves and others to be.
    var endpoints: [String: String] = [:]
    /// Who was told to keep a copy of its database.
    private(set) var copied: [String] = []
    /// Changes what nodes give their peers of checkpoints.
    var tamper: ((inout CheckpointChunk) -> Void)?
    /// Why nodes gave up.
    private(set) var refusals: [String: String] = [:]
    private var now = Moment(wallMilliseconds: 1_700_000_000_000, elapsedMilliseconds: 0)
    private var incarnations: UInt64 = 0

    init(_ count: Int, durability: Durability = .commit) {
        names = (1...count).map { "n\($0)" }
        self.durability = durability
        for name in names { start(name) }
        quiesce()
    }

    subscript(name: String) -> Replica { replicas[name]! }

    mutating func start(_ name: String) {
        incarnations += 1
        let disk = disks[name] ?? Disk()
        var configuration = ReplicaConfiguration(
            cluster: "test", member: name, peers: names, durability: durability, seed: incarnations)
        configuration.checkpointBytes = checkpointBytes
        configuration.logLimit = logLimit
        configuration.orphanPolicy = orphanPolicy
        configuration.retryWindowMilliseconds = 500
        configuration.endpoints = endpoints
        // No test damages what a disk has: what cannot be read is a mistake of the replica, and ends the
        // run where it shows.
        let checkpoint = disk.head.isEmpty ? nil : try! disk.checkpoint(of: disk.rows, disk.head)
        var replica = Replica(
            configuration, properties: disk.properties, checkpoint: checkpoint,
            orphans: disk.orphans)
        for entry in disk.entries.sorted(by: { ($0.origin, $0.first) < ($1.origin, $1.first) }) {
            try! replica.restore(DecodedBatch(entry, coveredBy: replica.vector))
        }
        replicas[name] = replica
    }

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
            if stuckDisks.contains(name) {
                unsynced[name, default: []].append(turn)
            } else {
                sync(turn, at: name)
            }
        case .publish(let frame):
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
        case .read(let read):
            let batches = disks[name, default: Disk()].entries.filter {
                $0.origin == read.origin && $0.last >= read.from && $0.first <= read.through
            }
            turn(name, [.found(batches.sorted { $0.first < $1.first }.map(\.bytes), for: read)])
        case .giveUp(let problem, _): refusals[name] = problem
        case .serve: break
        default: work(output, of: name)
        }
    }

    private func tampered(_ frame: [UInt8]) -> [UInt8] {
        guard let tamper, let messages = try? FrameReader<PeerMessage>.messages(in: frame),
            case .message(.checkpointChunk(var part))? = messages.first
        else { return frame }
        tamper(&part)
        return PeerMessage.checkpointChunk(part).frame
    }

    /// What a disk does with checkpoints.
    private mutating func work(_ output: Output, of name: String) {
        switch output {
        case .checkpoint(let checkpoint):
            disks[name, default: Disk()].write(checkpoint)
            run(name, [.checkpointed])
        case .truncate(let vector):
            disks[name, default: Disk()].entries.removeAll { $0.last <= vector[$0.origin] }
        case .readRows(let read):
            turn(name, [.foundRows(disks[name, default: Disk()].part(for: read), for: read)])
        case .receiveRows(let rows, let areFirst):
            if areFirst { disks[name, default: Disk()].received.removeAll() }
            disks[name, default: Disk()].received += rows
            turn(name, [.rowsReceived])
        case .install(let head, let keepsLog, _):
            if !keepsLog { disks[name, default: Disk()].entries.removeAll() }
            turn(name, [.installed(disks[name, default: Disk()].install(head))])
        case .backUp: copied.append(name)
        case .keepOrphans(let origin, let sequence):
            let end = disks[name, default: Disk()].entries.filter {
                $0.origin == origin && $0.first > sequence
            }
            disks[name]!.orphans += end.map(\.bytes).filter { !disks[name]!.orphans.contains($0) }
            turn(name, [.keepOrphans(disks[name]!.orphans)])
        default: break
        }
    }

    private mutating func sync(_ turn: Turn, at name: String) {
        disks[name, default: Disk()].entries += turn.batches
        if turn.clearsOrphans { disks[name]!.orphans.removeAll() }
        for property in turn.properties {
            disks[name]!.properties.removeAll { $0.name == property.name }
            disks[name]!.properties.append(property)
        }
        run(name, [.stored(turn: turn.number)])
    }

    /// What a node answers to `status`.
    mutating func status(of name: String) -> NodeStatus {
        send(.status(id: 1), by: 99, to: name)
        guard case .value(1, let answer)? = takeReplies(of: 99).last else {
            preconditionFailure("\(name) does not answer")
        }
        return try! NodeStatus(answer)
    }

    /// What a client was told since the last call.
    mutating func takeReplies(of client: UInt64 = 1) -> [NodeMessage] {
        replies.removeValue(forKey: SessionID(number: client)) ?? []
    }
}

extension TestCluster.Disk {
    mutating func write(_ checkpoint: Checkpoint) {
        writer.begin(checkpoint)
        while case let slice = writer.nextRows(), !slice.isEmpty { rows += slice }
        let end = writer.finish()
        rows.removeAll { end.removed.contains($0.id) }
        head = end.head
    }

    /// Three rows at a time.
    func part(for read: RowRead) -> CheckpointChunk {
        guard let last = rows.last else {
            return CheckpointChunk(head: [], after: 0, rows: [], isLast: true)
        }
        let isKnown = (try? CheckpointHead(head))?.lastRow == read.checkpoint
        let after = isKnown ? read.after : 0
        let found = Array(rows.drop { $0.id <= after }.prefix(3))
        return CheckpointChunk(
            head: head, after: after, rows: found, isLast: found.last?.id ?? 0 == last.id)
    }

    mutating func install(_ head: [UInt8]) -> (RestoredCheckpoint, log: [[UInt8]])? {
        guard let checkpoint = try? checkpoint(of: received, head) else { return nil }
        (self.head, rows) = (head, received)
        writer = CheckpointWriter(after: checkpoint, limits: .init(row: 200, slice: 400))
        entries.removeAll { $0.last <= checkpoint.head.vector[$0.origin] }
        return (checkpoint, entries.sorted { $0.first < $1.first }.map(\.bytes))
    }

    func checkpoint(
        of rows: [CheckpointRow], _ head: [UInt8]
    ) throws(FrameError) -> RestoredCheckpoint {
        var reader = CheckpointReader(try CheckpointHead(head))
        for row in rows { reader.add(try DecodedRow(row)) }
        return try reader.finish()
    }
}
