import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

/// One run of a scenario: its whole state, and the loop that executes one event after the other.
struct SimulatedRun {
    /// After so many events the states of all nodes go into the hash of the run.
    private static let stateInterval: UInt64 = 1_024

    let scenario: Scenario

    var now: Microseconds = 0
    var queue: EventOrder
    var hostileSessions: [HostileSession] = []
    var network: VirtualNetwork
    var nodes: [VirtualNode]
    /// By their numbers.
    var clients: [any ClientActor]
    /// The timers of clients that have some, by their numbers.
    var timers: [TurnTimer]
    let reader = RealtimeSession.makeReader()
    var connections: [Connection] = []
    var workload: Workload
    var history = History()
    var recording: Recording
    var trace = TraceHash()
    var names = WriterNames()
    /// What nodes did in the last event; nil where nobody looks.
    var performed: [(node: Int, output: Output)]?
    /// The observers of the run, which change nothing of it.
    var watches: [any Watch]
    /// Nil in a run without clients with identities, in which everybody is an administrator.
    var access: AccessJudgement?
    /// Draws rules.
    var rulesRandom: SplitMix64
    /// Draws which keys of issuers nodes trust.
    var keysRandom: SplitMix64
    /// Every batch that was handed to any disk.
    var archive = BatchArchive()
    var crashes: [UnsyncedEnd] = []
    /// The losses of disks.
    var losses: [Loss] = []
    /// Second processes under the names of nodes.
    var duplicateNodes: [DuplicateNode] = []
    /// How long nodes took to serve that began while all others served.
    var starts: [ServiceStart] = []
    /// When nodes could take no writes.
    var refusals: [Refusal] = []
    /// What an operator has requested of nodes.
    var copies: [CopyRequest] = []
    var statistics = SimulationStatistics()
    var quiescence = Quiescence()
    /// What sessions left to be done at their ends, and what was done.
    var sessionEnds: [SessionEnd] = []
    /// For the places where bytes are cut into pieces.
    var cuts: SplitMix64
    /// For faults, and for draws that belong neither to a node nor to the network.
    var random: SplitMix64

    init(_ scenario: Scenario, seed: UInt64, isWatched: Bool = true) {
        self.scenario = scenario
        let recording = Recording(of: scenario)
        self.recording = recording
        queue = EventOrder(scenario, seed: seed)
        let count = scenario.cluster.replicas
        network = VirtualNetwork(
            scenario.network, nodes: count,
            clients: scenario.clients.total, seed: seed)
        nodes = (0..<count).map {
            VirtualNode(
                index: $0, scenario.cluster, clocks: scenario.clocks, seed: seed,
                isRecorded: recording.isOn, hasUsers: scenario.clients.users > 0)
        }
        clients = scenario.clientActors(seed: seed)
        timers = Array(repeating: TurnTimer(), count: clients.count)
        workload = Workload(scenario.workload, scenario.mix)
        random = SplitMix64(seed: seed, part: 3)
        cuts = SplitMix64(seed: seed, part: 7)
        rulesRandom = SplitMix64(seed: seed, part: 10)
        keysRandom = SplitMix64(seed: seed, part: 12)
        watches = isWatched ? scenario.watches(seed: seed) : []
        if scenario.clients.hostile > 0 { addHostileSessions(seed: seed) }
        for client in clients(of: SDKClient.self) { names.add(client.writer, client: client.index) }
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
        statistics.events += 1
        performed?.removeAll()
        trace.combine(event, at: now)
        handle(event)
        if statistics.events.isMultiple(of: SimulatedRun.stateInterval) { traceStates() }
        return event
    }

    /// Takes what happens next from the queue, and passes over timers that ring for nothing: they are no events.
    private mutating func next() -> Event? {
        while !quiescence.isOver, let (time, event) = queue.next() {
            precondition(time >= now, "an event at \(time) comes after one at \(now)")
            now = time
            if case .clientTurns(let client) = event, ringsForNothing(client) { continue }
            return event
        }
        return nil
    }

    /// Schedules what happens first; `step` follows.
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
        case .scripted(let index): perform(scenario.script[index].action)
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

    /// What all clients do together.
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
    /// Users of the library, who write server timestamps wherever there are clients with identities.
    var libraryUsers: Int { users > 0 ? 2 : 0 }
    /// Whether there are clients of HTTP ports that have no identity.
    var hasPortClients: Bool { firebase + rest + streams > 0 }
    /// The last of the clients that send requests.
    var protocolCount: Int { min(count, protocolClients) }
}

extension Recording {
    /// What a run of a scenario records: nothing in one with too many operations.
    fileprivate init(of scenario: Scenario) {
        self.init(
            nodes: scenario.cluster.replicas,
            isOn: scenario.isObserved && scenario.stepCount <= Recording.operationLimit,
            keepsValues: scenario.isSmall, leaseMilliseconds: scenario.cluster.lease / 1_000)
    }
}
