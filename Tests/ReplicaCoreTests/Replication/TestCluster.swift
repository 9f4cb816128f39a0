import DataTree
import ReplicaCore
import SyncProtocol

/// Replicas joined by a network that delivers at once, except where a test cuts it.
struct TestCluster {
    /// What a node's disk holds.
    struct Disk {
        var entries: [LogEntry] = []
        var properties: [Property] = []
    }

    let names: [String]
    /// Of nodes that start from now on.
    var durability: Durability
    private(set) var replicas: [String: Replica] = [:]
    private(set) var disks: [String: Disk] = [:]
    private(set) var replies: [SessionID: [NodeMessage]] = [:]
    /// Turns that were handed to a disk that does not sync by itself.
    private(set) var unsynced: [String: [Turn]] = [:]
    /// Ordered pairs between which published frames get lost.
    var cuts: Set<[String]> = []
    var disksAreStuck = false
    private var now = Moment(wallMilliseconds: 1_700_000_000_000, elapsedMilliseconds: 0)
    private var lives: UInt64 = 0

    init(_ count: Int, durability: Durability = .commit) {
        names = (1...count).map { "n\($0)" }
        self.durability = durability
        for name in names { start(name) }
        settle()
    }

    subscript(name: String) -> Replica { replicas[name]! }

    mutating func start(_ name: String) {
        lives += 1
        let disk = disks[name] ?? Disk()
        var replica = Replica(
            .init(
                cluster: "test", member: name, peers: names, durability: durability, seed: lives),
            properties: disk.properties)
        for entry in disk.entries.sorted(by: { ($0.origin, $0.first) < ($1.origin, $1.first) }) {
            entry.bytes.withUnsafeBytes { try! replica.restore($0) }
        }
        replicas[name] = replica
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

    mutating func syncDisks() {
        for name in names {
            for turn in unsynced.removeValue(forKey: name) ?? [] { sync(turn, at: name) }
        }
    }

    /// Lets time pass until beats and repair have done their work.
    mutating func settle(milliseconds: UInt64 = 3_000) {
        for _ in 0..<milliseconds / 50 {
            now.wallMilliseconds += 50
            now.elapsedMilliseconds += 50
            for name in names { turn(name, []) }
        }
    }

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
            if disksAreStuck {
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
            if !cuts.contains([name, peer]) { turn(peer, [.answered(frame, from: name)]) }
        case .reply(let session, let frame):
            for case .message(let message) in try! FrameReader<NodeMessage>.messages(in: frame) {
                replies[session, default: []].append(message)
            }
        case .read(let read):
            let batches = disks[name, default: Disk()].entries.filter {
                $0.origin == read.origin && $0.last >= read.from && $0.first <= read.through
            }
            turn(name, [.found(batches.sorted { $0.first < $1.first }.map(\.bytes), for: read)])
        case .checkpoint, .serve: break
        }
    }

    private mutating func sync(_ turn: Turn, at name: String) {
        disks[name, default: Disk()].entries += turn.batches
        for property in turn.properties {
            disks[name]!.properties.removeAll { $0.name == property.name }
            disks[name]!.properties.append(property)
        }
        run(name, [.stored(turn: turn.number)])
    }

    /// What a client was told since the last call.
    mutating func takeReplies(of client: UInt64 = 1) -> [NodeMessage] {
        replies.removeValue(forKey: SessionID(number: client)) ?? []
    }
}
