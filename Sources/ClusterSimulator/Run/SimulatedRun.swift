import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

/// One run of a scenario: its whole state, and the loop that executes one event after the other.
struct SimulatedRun {
    /// After so many events the states of all nodes go into the hash of the run.
    private static let stateInterval: UInt64 = 1_024

    let scenario: Scenario

    // The kernel.
    var now: Microseconds = 0
    var queue: EventOrder
    var network: VirtualNetwork
    /// The nodes with their processes, disks and clocks.
    var nodes: [VirtualNode]
    var trace = TraceHash()
    var quiescence = Quiescence()
    /// For faults, and for draws that belong neither to a node nor to the network.
    var random: SplitMix64
    var draws: RunDraws

    // The clients.
    /// By their numbers.
    var clients: [any ClientActor]
    var connections: [Connection] = []
    var population: Population
    /// The rules, and what they permit; nil in a run without clients with identities.
    var access: AccessJudgement?

    // The checks.
    /// The observers of the run, which change nothing of it.
    var watches: [any Watch]
    var record: RunRecord

    init(_ scenario: Scenario, seed: UInt64, isWatched: Bool = true) {
        self.scenario = scenario
        record = RunRecord(recording: Recording(of: scenario))
        let isRecorded = record.recording.isOn
        queue = EventOrder(scenario, seed: seed)
        let count = scenario.cluster.replicas
        network = VirtualNetwork(
            scenario.network, nodes: count,
            clients: scenario.clients.total, seed: seed)
        nodes = (0..<count).map {
            VirtualNode(
                index: $0, scenario.cluster, clocks: scenario.clocks, seed: seed,
                isRecorded: isRecorded, hasUsers: scenario.clients.users > 0)
        }
        clients = scenario.clientActors(seed: seed)
        population = Population(
            timers: Array(repeating: TurnTimer(), count: clients.count),
            workload: Workload(scenario.workload, scenario.mix))
        random = SplitMix64(seed: seed, part: 3)
        draws = RunDraws(seed: seed)
        watches = isWatched ? scenario.watches(seed: seed) : []
        if scenario.clients.hostile > 0 { addHostileSessions(seed: seed) }
        for client in clients(of: SDKClient.self) {
            record.names.add(client.writer, client: client.index)
        }
        if let data = scenario.data { load(data.batch, named: "load") }
        beginAccess()
    }

    /// Runs to the end.
    mutating func run() {
        begin()
        while step() != nil {}
        end()
    }

    /// Ends the run: no event follows.
    mutating func end() { observe { watch, run in watch.ended(run) } }

    /// Executes the next event, and returns it; nil at the end.
    mutating func step() -> Event? {
        guard let event = next() else { return nil }
        record.statistics.events += 1
        record.performed?.removeAll()
        trace.combine(event, at: now)
        handle(event)
        if record.statistics.events.isMultiple(of: SimulatedRun.stateInterval) { traceStates() }
        return event
    }

    /// The next event of the queue. A timer that rings for nothing is no event.
    private mutating func next() -> Event? {
        while !quiescence.isOver, let (time, event) = queue.next() {
            precondition(time >= now, "an event at \(time) comes after one at \(now)")
            now = time
            if case .clientTurns(let client) = event, ringsForNothing(client) { continue }
            return event
        }
        return nil
    }

    /// Schedules the first events; `step` follows.
    mutating func begin() {
        for node in nodes.indices { start(node) }
        beginClients()
        for (index, scripted) in scenario.script.enumerated() {
            queue.schedule(.scripted(index), at: scripted.times.shortest)
        }
        queue.schedule(.quiescence, at: scenario.until)
    }

    mutating func schedule(_ event: Event, after delay: Microseconds) {
        queue.schedule(event, at: now + delay)
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .turn(let node, let incarnation): turn(node, incarnation: incarnation)
        case .tick(let node, let incarnation): tick(node, incarnation: incarnation)
        case .published(let frame): takePublished(frame)
        case .asked(let frame): takeAsked(frame)
        case .answered(let frame): takeAnswered(frame)
        case .diskWorked(let node, let incarnation):
            finishDiskWork(node, incarnation: incarnation)
        case .interrupted(let node, let incarnation):
            endInterrupted(node, incarnation: incarnation)
        case .requested(let connection, let frame): takeRequest(frame, on: connection)
        case .replied(let connection, let frame): takeReply(frame, on: connection)
        case .nodeLost(let connection): endSession(connection)
        case .clientLost(let connection): loseNode(connection)
        case .clientActs(let client): withClient(client) { $0.act(in: &$1) }
        case .clientGivesUp(let client, let request):
            withClient(client) { $0.giveUp(request, in: &$1) }
        case .clientMoves(let client): move(client)
        case .clientTurns(let client): withClient(client) { $0.turn(in: &$1) }
        case .clientRecalls(let client): withClient(client) { $0.takeRecalls(in: &$1) }
        case .scripted(let index): execute(scenario.script[index].action)
        case .duplicateTurns(let duplicateNode): turnDuplicate(duplicateNode)
        case .flapped(let from, let to, let round): flap(from, to, round: round)
        case .quiescence: beginQuiescence()
        case .quiescenceChecked: checkQuiescence()
        }
    }
}

extension Scenario {
    /// Short enough to execute everything again after every turn.
    var isSmall: Bool { stepCount <= 300 && data?.isSmall != false }

    /// The operations of all clients together.
    fileprivate var stepCount: Int {
        workload.operations + workload.applications + workload.dense + workload.rest
            + workload.users / 4
    }
}

extension ClientSettings {
    /// Clients of the SDK and of its protocol, Firebase clients, clients of REST, and of streams of events.
    var total: Int {
        count + listeners + applications + dense + idle + libraryUsers + firebase + rest + streams
            + users
    }
    /// Users of the library, which write server timestamps in runs with identities.
    var libraryUsers: Int { users > 0 ? 2 : 0 }
    /// Whether there are clients of HTTP ports that have no identity.
    var hasPortClients: Bool { firebase + rest + streams > 0 }
    /// The last of the clients that send requests.
    var protocolCount: Int { min(count, protocolClients) }
}

extension Recording {
    /// The recording of a run; it is off in a scenario with too many operations.
    fileprivate init(of scenario: Scenario) {
        self.init(
            nodes: scenario.cluster.replicas,
            isOn: scenario.isObserved && scenario.stepCount <= Recording.operationLimit,
            keepsValues: scenario.isSmall, leaseMilliseconds: scenario.cluster.lease / 1_000)
    }
}
