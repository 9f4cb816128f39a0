import DataTree
import SyncProtocol

/// One run of a scenario with several databases: nodes, clients, faults and delays that follow from the seed.
///
/// The nodes are the cores that ship. Each write has a key of its own, and the name of its database as its value.
struct DatabasesRun {
    private static let stepMilliseconds: UInt64 = 5
    /// How long a run goes on after its last fault at least: until all nodes have exchanged their lists of databases, which they
    /// publish every 30 s.
    private static let calmMilliseconds: UInt64 = 31_000

    let scenario: Scenario
    var nodes: [DatabasesNode]
    var network: DatabasesNetwork
    var clients = DatabaseClients()
    var record = DatabasesRecord()
    var random: SplitMix64
    private(set) var milliseconds: UInt64 = 0
    /// The names of databases that clients use.
    var names: [String]
    /// How many databases clients have added; their names are never used again.
    var addedCount = 0
    /// The commands that place databases.
    var commands: [PlacementCommand] = []
    var lastCommand = 0
    /// The newest placement of each database that a node has known.
    var placements: [String: DatabasePlacement] = [:]
    /// When the next command begins.
    var commandMilliseconds: UInt64 = 2_000
    /// When the last fault began.
    var faultMilliseconds: UInt64 = 0
    /// Since when all nodes run, and all frames arrive.
    private(set) var calmSinceMilliseconds: UInt64 = 0
    /// When the processes that are down start.
    var startMilliseconds: [UInt64]
    /// Whether the databases slept once all faults were over.
    private(set) var hasComeToRest = false

    init(_ scenario: Scenario, seed: UInt64, isTraced: Bool = false) {
        self.scenario = scenario
        random = SplitMix64(seed: seed, part: 90)
        let count = scenario.cluster.replicas
        let sleep = random.time(in: scenario.databases.sleep) / 1_000
        nodes = (0..<count).map {
            DatabasesNode($0, of: count, sleepingAfter: sleep, seed: seed)
        }
        network = DatabasesNetwork(nodes: count, seed: seed)
        names = ["default"] + (1..<scenario.databases.count).map { "data\($0)" }
        startMilliseconds = Array(repeating: 0, count: count)
        if isTraced { beginTrace() }
    }

    private mutating func beginTrace() {
        record.trace = []
        for index in nodes.indices { nodes[index].events = [] }
    }

    // MARK: The course

    /// Runs with clients and faults, then without until nothing happens, and compares all data.
    mutating func run() {
        while milliseconds < scenario.until / 1_000 {
            if milliseconds > 2_000, random.index(below: 300) == 0 { beginFault() }
            if random.index(below: 25) == 0 { sendRequest() }
            if let pause = scenario.databases.moves { beginCommands(pausing: pause) }
            step()
        }
        endFaults()
        if scenario.databases.moves != nil { finishMoves() }
        rest()
        // Before the last use, which exchanges what is missing.
        compare()
        guard hasComeToRest else { return }
        useAllAgain()
        rest()
        compare()
    }

    /// Goes on until all databases sleep.
    private mutating func rest() {
        let end = milliseconds + scenario.quiescence / 1_000
        while milliseconds < end, !isAtRest { step() }
        hasComeToRest = isAtRest
        if hasComeToRest { return record.count(.sleep) }
        record.add(.sleep, "after all faults, \(awakeText)")
    }

    private var awakeText: String {
        nodes.map { "\($0.name): \($0.core?.awakeDatabaseNames.map(\.text) ?? ["no process"])" }
            .joined(separator: ", ")
    }

    private var isAtRest: Bool {
        milliseconds > faultMilliseconds + Self.calmMilliseconds && clients.areDone
            && nodes.indices.allSatisfy { nodes[$0].isAtRest }
    }

    /// Goes on for some time.
    mutating func run(for duration: UInt64) {
        let end = milliseconds + duration
        while milliseconds < end { step() }
    }

    mutating func step() {
        milliseconds += Self.stepMilliseconds
        record.milliseconds = milliseconds
        network.heal(at: milliseconds)
        for index in nodes.indices {
            if nodes[index].core == nil, !isDown(index) { start(index) }
            for input in network.removeArrivals(at: index, milliseconds) {
                nodes[index].receive(input)
            }
            for frame in nodes[index].turn(at: milliseconds) { send(frame, from: index) }
            recordEvents(of: index)
            checkDiscards(of: index)
            if nodes[index].core == nil, !isDown(index) {
                startMilliseconds[index] = milliseconds + random.number(below: 1_500)
            }
        }
        if !isCalm { calmSinceMilliseconds = milliseconds }
        checkRequests()
        if lastCommand > 0 {
            sendCommands()
            checkPlacements()
        }
    }

    private func isDown(_ index: Int) -> Bool { milliseconds < startMilliseconds[index] }

    private mutating func start(_ index: Int) {
        record.trace("\(nodes[index].name) starts")
        nodes[index].start()
    }

    private mutating func send(_ frame: DatabasesNode.Frame, from sender: Int) {
        for receiver in nodes.indices where receiver != sender {
            if frame.receiver ?? nodes[receiver].name == nodes[receiver].name {
                network.send(frame.input, from: sender, to: receiver, at: milliseconds)
            }
        }
    }

    private mutating func recordEvents(of index: Int) {
        guard let events = nodes[index].events, !events.isEmpty else { return }
        for event in events {
            record.trace("\(nodes[index].name) \(event.text)", of: event.database.text)
        }
        nodes[index].events = []
    }

    /// Whether all nodes run, and all frames arrive.
    var isCalm: Bool {
        network.isCalm && nodes.indices.allSatisfy { nodes[$0].isCalm(at: milliseconds) }
    }
}

// MARK: - Faults

extension DatabasesRun {
    private mutating func beginFault() {
        faultMilliseconds = milliseconds
        let node = random.index(below: nodes.count)
        let name = nodes[node].name
        let end = milliseconds + random.number(below: 4_000)
        switch random.index(below: 6) {
        case 0:
            network.isolate(node, until: end)
            record.count(\.partitions, "\(name) is cut off until \(end) ms")
        case 1:
            let other = (node + 1 + random.index(below: nodes.count - 1)) % nodes.count
            network.cut(from: node, to: other, until: end)
            record.count(
                \.partitions, "no frame from \(name) reaches n\(other + 1) until \(end) ms")
        case 2:
            network.lose(percent: 40, until: end)
            record.count(\.badLinks, "40 % of all frames are lost until \(end) ms")
        case 3:
            nodes[node].pausedUntilMilliseconds = end
            record.count(\.pauses, "\(name) pauses until \(end) ms")
        case 4:
            nodes[node].stop()
            record.count(\.stops, "\(name) stops")
        default:
            nodes[node].crash()
            startMilliseconds[node] = end
            record.count(\.crashes, "\(name) crashes, and starts at \(end) ms")
        }
    }

    private mutating func endFaults() {
        record.trace("all faults end")
        network.heal(at: .max)
        faultMilliseconds = milliseconds
        for index in nodes.indices {
            startMilliseconds[index] = milliseconds
            nodes[index].pausedUntilMilliseconds = 0
        }
    }
}
