import GatewayCore
import NodeCore
import ReplicaCore
import SyncProtocol

/// A node with several databases on a simulated disk. It can crash, stop and start.
struct SimulatedNode {
    /// A frame that the node sends: to one member, or to all.
    struct Frame {
        let input: Input
        let receiver: String?
    }

    let name: String
    private let members: [String]
    private let sleepMilliseconds: UInt64
    /// Nil while there is no process.
    private(set) var core: NodeCore?
    private(set) var disks: [DatabaseName: SimulatedDisk] = [:]
    /// The databases whose removal is on the disk.
    private(set) var removed: Set<DatabaseName> = []
    /// How often a process opened a named database.
    private(set) var wakeCount = 0
    private(set) var isStopping = false
    private var isStopped = false
    /// When the process opened the databases that are open, and whether it knew then that it reaches all other nodes.
    private(set) var openings: [DatabaseName: (milliseconds: UInt64, reachesAll: Bool)] = [:]
    /// The indexes of the databases that the process has opened.
    private var indexes: [DatabaseName: DatabaseIndex] = [:]
    /// No turns happen before this time.
    var pausedUntilMilliseconds: UInt64 = 0
    private var inputs: [NodeInput] = []
    private var frames: [Frame] = []
    private var sent: [SessionID: [UInt8]] = [:]
    private var sessions: Set<SessionID> = []
    private var now = Moment(wallMilliseconds: 0, elapsedMilliseconds: 0)
    private var random: Draws

    init(_ index: Int, of count: Int, sleepingAfter milliseconds: UInt64, seed: UInt64) {
        members = (1...count).map { "n\($0)" }
        name = members[index]
        sleepMilliseconds = milliseconds
        random = Draws(seed: seed &* 31 &+ UInt64(index))
    }

    // MARK: Processes

    private mutating func configuration() -> ReplicaConfiguration {
        var configuration = ReplicaConfiguration(
            cluster: "test", member: name, peers: members.filter { $0 != name },
            durability: .commit, seed: UInt64(random.draw(1 << 30)) << 20 | UInt64(wakeCount))
        configuration.endpoints = Dictionary(
            uniqueKeysWithValues: members.map { ($0, "sim://\($0)") })
        return configuration
    }

    mutating func start() {
        indexes = [.default: .default]
        var gateway = GatewayConfiguration()
        gateway.unknownDatabases = .create
        let configuration = configuration()
        core = NodeCore(disks[.default, default: SimulatedDisk()].open(configuration), gateway)
        core!.sleepMilliseconds = sleepMilliseconds
        for name in removed.sorted() { core!.addRemovedDatabase(name) }
        for name in disks.keys.sorted() where !name.isDefault && !removed.contains(name) {
            core!.addStoredDatabase(name)
        }
    }

    /// Ends the process without any preparation.
    mutating func crash() {
        (core, isStopping, isStopped, pausedUntilMilliseconds) = (nil, false, false, 0)
        (inputs, frames, sent, sessions, openings) = ([], [], [:], [], [:])
        for name in disks.keys.sorted() { disks[name]!.crash(keeping: random.draw(4)) }
        for name in removed { disks[name] = nil }
    }

    /// Has the process end once its turns are durable.
    mutating func stop() { isStopping = true }

    /// Whether a database that wakes has to wait for all other nodes.
    var reachesAll: Bool { core?.waking == ReplicaConfiguration.Waking(awayMembers: []) }

    // MARK: Turns

    mutating func receive(_ input: Input) { if core != nil { inputs.append(.replica(input)) } }

    /// Does the work of the disk that is due, and a turn; returns the frames for other nodes.
    mutating func turn(at milliseconds: UInt64) -> [Frame] {
        guard core != nil, milliseconds >= pausedUntilMilliseconds else { return [] }
        now = Moment(
            wallMilliseconds: 1_700_000_000_000 + milliseconds, elapsedMilliseconds: milliseconds)
        for name in disks.keys.sorted() { doJobs(of: name) }
        if !isStopped {
            let arrived = inputs
            inputs = []
            step([.turnBegan(now)] + arrived + [isStopping ? .stopped : .turnEnded])
            isStopped = isStopping
        }
        defer {
            frames = []
            if isStopped, disks.values.allSatisfy(\.isIdle) { crash() }
        }
        return frames
    }

    private mutating func step(_ inputs: [NodeInput]) {
        for input in inputs { execute(core!.step(input)) }
    }

    private mutating func doJobs(of name: DatabaseName) {
        while case .some(let outcome) = disks[name]?.doNextJob(at: now.elapsedMilliseconds) {
            guard let outcome, let database = indexes[name] else { continue }
            switch outcome {
            case .stored(let turn):
                execute(core!.step(.stored(turn: turn, at: now, of: database)))
            case .replied(let reply):
                inputs.append(.replica(.storeReplied(reply), of: database))
            case .closed:
                openings[name] = nil
                if removed.contains(name) { disks[name] = nil }
                execute(core!.didClose(database))
            }
        }
    }

    private mutating func execute(_ outputs: [NodeOutput]) {
        for output in outputs {
            switch output {
            case .replica(let output, let database): execute(output, of: core!.name(of: database))
            case .openDatabase(let database, let name):
                wakeCount += 1
                indexes[name] = database
                openings[name] = (now.elapsedMilliseconds, reachesAll)
                var configuration = configuration()
                configuration.waking = core!.waking
                if let nodes = core!.nodes(of: database) {
                    configuration.peers = nodes.filter { $0 != self.name }
                }
                core!.open(
                    database, disks[name, default: SimulatedDisk()].open(configuration))
            case .closeDatabase(let database): add(.close, to: core!.name(of: database))
            case .removeDatabase(let name, _):
                removed.insert(name)
                if disks[name]?.isOpen == false { disks[name] = nil }
            case .discardDatabase(_, let name): disks[name] = nil
            case .gateway(.send(let session, let bytes)): sent[session, default: []] += bytes
            case .gateway(.close(let session)), .cut(let session): close(session)
            case .gateway: break
            }
        }
    }

    private mutating func execute(_ output: Output, of database: DatabaseName) {
        switch output {
        case .store(let turn): add(.commit(turn), to: database)
        case .perform(let request): add(.execute(request), to: database)
        case .publish(let frame, _):
            frames.append(Frame(input: .published(frame), receiver: nil))
        case .ask(let member, let frame):
            frames.append(Frame(input: .asked(frame, by: name), receiver: member))
        case .answer(let member, let frame):
            frames.append(Frame(input: .answered(frame, from: name), receiver: member))
        default: break
        }
    }

    private mutating func add(_ job: SimulatedDisk.Job, to database: DatabaseName) {
        disks[database]!.add(
            job, dueAt: now.elapsedMilliseconds + UInt64(random.draw(40)))
    }

    // MARK: Clients

    mutating func connect(_ session: SessionID, sending request: String) {
        sessions.insert(session)
        let address = RemoteAddress(host: "127.0.0.1", isLoopback: true)
        inputs.append(.gateway(.opened(session, from: address)))
        inputs.append(.gateway(.received(session, Array(request.utf8))))
    }

    mutating func close(_ session: SessionID) {
        if sessions.remove(session) != nil { inputs.append(.gateway(.closed(session))) }
    }

    /// Whether a client is connected.
    func isConnected(_ session: SessionID) -> Bool { sessions.contains(session) }

    /// The bytes that were sent to a client.
    func sent(to session: SessionID) -> [UInt8] { sent[session] ?? [] }

    // MARK: Data

    /// The replica of a database as it would start from the disk.
    mutating func stored(_ name: DatabaseName) -> Replica? {
        let configuration = configuration()
        return disks[name]?.recover(configuration)
    }
}
