import DataTree
import GatewayCore
import NodeCore
import ReplicaCore
import SyncProtocol

/// A node with several databases, each on a disk of its own. It can crash, stop and start.
struct DatabasesNode {
    /// A frame that the node sends: to one member, or to all.
    struct Frame {
        let input: Input
        let receiver: String?
    }

    /// Reading a database takes shorter than this, beside the turns.
    private static let readingMilliseconds: UInt64 = 300
    /// The longest time between two turns while the process runs.
    private static let tickMilliseconds: UInt64 = 50

    let name: String
    private let members: [String]
    private let sleepMilliseconds: UInt64
    /// How far its wall clock is ahead of the run.
    private let skewMilliseconds: UInt64
    /// Nil while there is no process.
    private(set) var core: NodeCore?
    private(set) var disks: [DatabaseName: DatabaseDisk] = [:]
    /// The digests of closed files.
    private var digests: [DatabaseName: UInt64] = [:]
    /// The placements in which the files are used.
    private var records: [DatabaseName: PlacementRecord] = [:]
    /// The files that are kept aside.
    private var kept: [(name: DatabaseName, disk: DatabaseDisk)] = []
    /// The files that were deleted since the last check, because other nodes have their operations.
    private var discards: [(name: DatabaseName, disk: DatabaseDisk)] = []
    /// The databases whose removal is on the disk, with the times of the first record.
    private(set) var removed: [DatabaseName: UInt64] = [:]
    /// How often a process opened a named database.
    private(set) var wakeCount = 0
    private(set) var isStopping = false
    private var isStopped = false
    /// When the process opened the databases that are open, and whether it knew then that it reaches all other nodes.
    private(set) var openings: [DatabaseName: (milliseconds: UInt64, reachesAll: Bool)] = [:]
    /// The databases that the process reads, and when each is read.
    private var reading: [(dueMilliseconds: UInt64, database: DatabaseIndex, replica: Replica)] =
        []
    /// The indexes of the databases that the process has opened.
    private var indexes: [DatabaseName: DatabaseIndex] = [:]
    /// No turns happen before this time.
    var pausedUntilMilliseconds: UInt64 = 0
    private var turnDueMilliseconds: UInt64 = 0
    private var inputs: [NodeInput] = []
    private var frames: [Frame] = []
    private var sent: [SessionID: [UInt8]] = [:]
    private var sessions: Set<SessionID> = []
    private var now = Moment(wallMilliseconds: 0, elapsedMilliseconds: 0)
    private var random: SplitMix64
    /// The events of databases since the last turn; nil unless the run is traced.
    var events: [(database: DatabaseName, text: String)]?

    init(_ index: Int, of count: Int, sleepingAfter milliseconds: UInt64, seed: UInt64) {
        members = (1...count).map { "n\($0)" }
        name = members[index]
        sleepMilliseconds = milliseconds
        random = SplitMix64(seed: seed, part: 100 + UInt64(index))
        skewMilliseconds = random.number(below: 40)
    }

    // MARK: Processes

    private mutating func configuration() -> ReplicaConfiguration {
        var configuration = ReplicaConfiguration(
            cluster: "test", member: name, peers: members.filter { $0 != name },
            durability: .commit, seed: random.next())
        configuration.endpoints = Dictionary(
            uniqueKeysWithValues: members.map { ($0, "sim://\($0)") })
        return configuration
    }

    mutating func start() {
        indexes = [.default: .default]
        var gateway = GatewayConfiguration()
        gateway.unknownDatabases = .create
        gateway.clientHosts = Dictionary(uniqueKeysWithValues: members.map { ($0, $0) })
        let configuration = configuration()
        core = NodeCore(disks[.default, default: DatabaseDisk()].open(configuration), gateway)
        core!.sleepMilliseconds = sleepMilliseconds
        for name in removed.keys.sorted() { core!.addRemovedDatabase(name) }
        for name in disks.keys.sorted() where !name.isDefault && removed[name] == nil {
            core!.addStoredDatabase(
                name, digest: digests[name], record: records[name] ?? PlacementRecord(nil))
        }
    }

    /// Ends the process without any preparation.
    mutating func crash() {
        (core, isStopping, isStopped, pausedUntilMilliseconds) = (nil, false, false, 0)
        (inputs, frames, sent, sessions, openings, reading) = ([], [], [:], [], [:], [])
        for name in disks.keys.sorted() { disks[name]!.crash(keeping: random.index(below: 4)) }
        for name in removed.keys { disks[name] = nil }
    }

    /// Has the process end once its turns are durable.
    mutating func stop() { isStopping = true }

    /// Whether a database that wakes has to wait for all other nodes.
    var reachesAll: Bool { core?.waking == ReplicaConfiguration.Waking(awayMembers: []) }

    // MARK: Turns

    mutating func receive(_ input: Input) { if core != nil { inputs.append(.replica(input)) } }

    /// Does the work of the disk that is due, and a turn if one is; returns the frames for other nodes.
    mutating func turn(at milliseconds: UInt64) -> [Frame] {
        guard core != nil, milliseconds >= pausedUntilMilliseconds else { return [] }
        now = Moment(
            wallMilliseconds: 1_700_000_000_000 + milliseconds + skewMilliseconds,
            elapsedMilliseconds: milliseconds)
        for name in disks.keys.sorted() { doJobs(of: name) }
        finishReading()
        if needsTurn {
            turnDueMilliseconds = milliseconds + Self.tickMilliseconds
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

    private var needsTurn: Bool {
        !isStopped
            && (isStopping || !inputs.isEmpty || now.elapsedMilliseconds >= turnDueMilliseconds
                || core!.hasBacklog || core!.hasDueWork)
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
                record("sleeps", of: name)
                if removed[name] != nil { disks[name] = nil }
                digests[name] = core!.digest(of: database)
                execute(core!.didClose(database))
            }
        }
    }

    private mutating func execute(_ outputs: [NodeOutput]) {
        for output in outputs {
            switch output {
            case .replica(let output, let database): execute(output, of: core!.name(of: database))
            case .openDatabase(let database, let name): open(database, name)
            case .closeDatabase(let database): add(.close, to: core!.name(of: database))
            case .removeDatabase(let name, _):
                removed[name] = removed[name] ?? now.elapsedMilliseconds
                record("removes it", of: name)
                if disks[name]?.isOpen == false { disks[name] = nil }
            case .discardDatabase(_, let name):
                if let disk = removeDisk(of: name) { discards.append((name, disk)) }
            case .keepDatabase(_, let name, _):
                record("keeps its files aside", of: name)
                if let disk = removeDisk(of: name) { kept.append((name, disk)) }
            case .recordPlacement(let name, let record): records[name] = record
            case .distrustDatabases(let names):
                for name in names { disks[name]?.distrust() }
            case .gateway(.send(let session, let bytes)): sent[session, default: []] += bytes
            case .gateway(.close(let session)), .cut(let session): disconnect(session)
            case .gateway, .backUp: break
            }
        }
    }

    private mutating func removeDisk(of name: DatabaseName) -> DatabaseDisk? {
        (digests[name], records[name]) = (nil, nil)
        return disks.removeValue(forKey: name)
    }

    private mutating func open(_ database: DatabaseIndex, _ name: DatabaseName) {
        wakeCount += 1
        indexes[name] = database
        openings[name] = (now.elapsedMilliseconds, reachesAll)
        digests[name] = nil
        record("wakes", of: name)
        var configuration = configuration()
        configuration.waking = core!.waking
        if let nodes = core!.nodes(of: database) {
            configuration.peers = nodes.filter { $0 != self.name }
        }
        let replica = disks[name, default: DatabaseDisk()].open(configuration)
        let isQuick = random.number(below: 2) == 0
        let delay = isQuick ? 0 : random.number(below: Self.readingMilliseconds)
        reading.append((now.elapsedMilliseconds + delay, database, replica))
    }

    /// Goes on with the databases that are read by now.
    private mutating func finishReading() {
        let done = reading.filter { $0.dueMilliseconds <= now.elapsedMilliseconds }
        if done.isEmpty { return }
        reading.removeAll { $0.dueMilliseconds <= now.elapsedMilliseconds }
        for one in done { core!.open(one.database, one.replica) }
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
        case .serve: record("serves", of: database)
        default: break
        }
    }

    private mutating func record(_ text: String, of database: DatabaseName) {
        events?.append((database, text))
    }

    private mutating func add(_ job: DatabaseDisk.Job, to database: DatabaseName) {
        disks[database]!.add(
            job, dueAt: now.elapsedMilliseconds + random.number(below: 40))
    }

    // MARK: Clients

    mutating func connect(_ session: SessionID, sending request: String) {
        sessions.insert(session)
        let address = RemoteAddress(host: "127.0.0.1", isLoopback: true)
        inputs.append(.gateway(.opened(session, from: address)))
        inputs.append(.gateway(.received(session, Array(request.utf8))))
    }

    /// Ends the connection of a client, which has read what was sent.
    mutating func close(_ session: SessionID) {
        sent[session] = nil
        disconnect(session)
    }

    private mutating func disconnect(_ session: SessionID) {
        if sessions.remove(session) != nil { inputs.append(.gateway(.closed(session))) }
    }

    /// Whether a client is connected.
    func isConnected(_ session: SessionID) -> Bool { sessions.contains(session) }

    /// The bytes that were sent to a client.
    func sent(to session: SessionID) -> [UInt8] { sent[session] ?? [] }

    // MARK: Data

    /// The placement of a database, as this node knows it.
    func placement(of name: DatabaseName) -> DatabasePlacement? { core?.placement(of: name) }

    /// Whether clients of a database are served here.
    func serves(_ name: DatabaseName) -> Bool { core?.serves(name) == true }

    /// Whether all named databases sleep, and nothing waits for their disks.
    var isAtRest: Bool {
        core?.awakeDatabaseNames.allSatisfy(\.isCatalog) == true
            && reading.isEmpty && disks.values.allSatisfy(\.isIdle)
    }

    /// Whether it runs, and serves clients at this time.
    func isCalm(at milliseconds: UInt64) -> Bool {
        core?.isServing == true && !isStopping && pausedUntilMilliseconds <= milliseconds
    }

    /// The nodes that hold a database, as this one knows them.
    func holders(of name: DatabaseName) -> [String] { placement(of: name)?.nodes ?? members }

    /// Whether it holds a database, as far as it knows.
    func holds(_ name: DatabaseName) -> Bool { holders(of: name).contains(self.name) }

    /// The stable time of an open database in milliseconds since 1970; nil while it sleeps.
    func stableMilliseconds(of name: DatabaseName) -> UInt64? {
        let replica = name.isDefault ? core?.replica : core?.replica(of: name)
        return replica?.stableTime.milliseconds
    }

    /// Removes and returns the files that were deleted since the last call.
    mutating func removeDiscards() -> [(name: DatabaseName, disk: DatabaseDisk)] {
        if discards.isEmpty { return [] }
        defer { discards = [] }
        return discards
    }

    /// Whether it keeps files of a database aside.
    func keeps(_ name: DatabaseName) -> Bool { kept.contains { $0.name == name } }

    /// The data in the files of a database that it keeps aside.
    func keptTrees(of name: DatabaseName) -> [Value] {
        kept.filter { $0.name == name }.compactMap { stored($0.disk)?.value }
    }

    /// The replica as it would start from files.
    func stored(_ disk: DatabaseDisk) -> Replica? {
        var disk = disk
        return disk.recover(
            ReplicaConfiguration(
                cluster: "test", member: name, peers: members.filter { $0 != name },
                durability: .commit, seed: 0))
    }

    /// The replicas as they would start from the files of a database, in use and kept aside.
    func allStored(_ name: DatabaseName) -> [Replica] {
        let disks = [disks[name]].compactMap(\.self) + kept.filter { $0.name == name }.map(\.disk)
        return disks.compactMap { stored($0) }
    }

    /// The replica of a database as it would start from the disk.
    mutating func stored(_ name: DatabaseName) -> Replica? {
        let configuration = configuration()
        return disks[name]?.recover(configuration)
    }
}
