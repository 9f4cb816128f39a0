import DataTree
import GatewayCore
import NodeCore
import ReplicaCore
import Store
import SyncProtocol

/// One node: the core that ships, driven in turns over virtual time, disk and clock.
struct VirtualNode {
    enum State: Equatable {
        case down
        case running
        /// Suspended: input waits.
        case paused
        /// Its last turn is on its way to the disk.
        case stopping
    }

    /// An input of a turn.
    private enum Arrival {
        case replica(Input)
        /// A frame of a client whose requests are not recorded.
        case unrecorded(Input)
        case port(NodeInput)
    }

    let name: String
    let index: Int
    private(set) var state = State.down
    /// The number of starts, which distinguishes events of earlier processes.
    private(set) var incarnation = 0
    /// When this process began.
    var startedAt: Microseconds = 0
    /// Its disk is full, and the node has noticed.
    var waitsForRoom = false {
        didSet { core?.storageTrouble = waitsForRoom ? .refusesWrites : nil }
    }
    /// The step of its disk at which its process ends.
    var interruption: Interruption?
    var isTurnScheduled = false
    /// There is a file handle for another connection.
    var hasHandles = true
    /// When this process was suspended.
    private(set) var suspensions = Suspensions()
    /// How much longer each turn takes than usual.
    var slowness: TimeRange?
    var clock: VirtualClock
    var disk: VirtualDisk
    /// Checkpoints that this process has installed.
    var installations: UInt64 = 0
    /// The rejoins of the replica that the run has recorded.
    var returns: UInt64 = 0
    /// The writer that the run has given a name last.
    var namedWriter: WriterID?
    /// The sessions that have ended since it was evicted, with on-disconnect writes that it will do once it has rejoined.
    var postponedEnds: [SessionEnd] = []
    /// The ends of sessions whose on-disconnect writes wait for transactions.
    var leavingEnds: [LeavingEnd] = []
    /// When it last learnt that it was evicted, and whether it is evicted now.
    var outSince: Microseconds = 0
    var isOut = false
    /// Nil while there is no process.
    private(set) var core: NodeCore?
    /// How far the replica was after its last step; nil while there is no process.
    private(set) var standing: Replica.Standing?
    /// Whether it is on the list of nodes, and not abandoned; only then it may start.
    var isMember = true
    var isAbandoned = false
    /// By which tokens are checked.
    var keys = KeyFiles()
    /// Counted by the processes that are gone.
    private(set) var pastCounters = Counters()

    private var configuration: ReplicaConfiguration
    /// Whether what it does for clients is recorded.
    private let isRecorded: Bool
    /// Whether clients have identities, and what it lets them do is judged.
    private let hasUsers: Bool
    /// The time of the last turn by the node's clock.
    private var turnMilliseconds: UInt64 = 0
    /// The effects of the last turns at connections to its HTTP port.
    private var portOutputs: [GatewayOutput] = []
    /// The counts of its port.
    var portCounts = PortCounts()
    /// The availability that its port reported, and the trees since the first use of the port.
    private(set) var availabilities = TimedStates<Availability>()
    private(set) var shownTrees = TimedStates<Value>()
    private var shownVector: VersionVector?
    private var waiting: [Arrival] = []
    /// How long requests wait at this node while hostile sessions send more; nil without any.
    var smallRequests: SmallRequests?
    /// The work of the last turn for clients.
    var record = TurnRecord()
    private var random: SplitMix64

    init(
        index: Int, _ cluster: ClusterSettings, clocks: ClockSettings, seed: UInt64,
        isRecorded: Bool, hasUsers: Bool
    ) {
        self.index = index
        (self.isRecorded, self.hasUsers) = (isRecorded, hasUsers)
        name = index.nodeName
        random = SplitMix64(seed: seed, part: 1_000 + UInt64(index))
        clock = VirtualClock(clocks, random: &random)
        disk = VirtualDisk(
            cluster.durability, sync: cluster.sync,
            random: SplitMix64(seed: seed, part: 2_000 + UInt64(index)))
        configuration = cluster.configuration(of: index)
        if hasUsers { configuration.unidentified = .anonymous }
        list(members: cluster.firstMembers)
    }

    /// Sets the members, counted from 0, from the next start on.
    mutating func list(members: [Int]) {
        configuration.peers = members.map { "n\($0 + 1)" }
        isMember = members.contains(index)
    }

    /// Whether the cluster counts on this node.
    var belongs: Bool { isMember && !isAbandoned }
    var mayStart: Bool { state == .down && belongs }

    /// Nil while there is no process; a copy, which costs more than a look at `standing`.
    var replica: Replica? { core?.replica }
    var isServing: Bool { core?.isServing ?? false }

    var isUp: Bool { state == .running || state == .paused }
    /// Nothing waits for a turn, and no batch for the disk.
    var isIdle: Bool {
        state == .running && waiting.isEmpty && !hasBacklog && disk.hasAllBatches
    }

    // MARK: Processes

    /// Starts a process on what is durable.
    ///
    /// - Throws: if the durable data cannot be read.
    mutating func start() throws(MemoryTables.Failure) {
        precondition(state == .down, "\(name) starts while it is \(state)")
        incarnation += 1
        (installations, returns, postponedEnds, leavingEnds) = (0, 0, [], [])
        suspensions = Suspensions()
        var configuration = configuration
        configuration.seed = random.next()
        portCounts = PortCounts()
        availabilities = TimedStates()
        availabilities.append(.unavailable(reason: "starting"), at: 0)
        (shownTrees, shownVector) = (TimedStates(), nil)
        let replica = try disk.recover { state in
            Replica(
                configuration, properties: state.properties, checkpoint: state.checkpoint,
                orphans: state.orphans)
        }
        core = NodeCore(replica, portConfiguration(seed: configuration.seed))
        if hasUsers { core?.observeSteps() }
        standing = core?.replica.standing()
        state = .running
    }

    /// The power goes; returns how many turns are lost.
    mutating func crash() -> Int {
        end()
        return disk.crash()
    }

    /// The process is killed, and the machine goes on; returns how many turns are lost.
    mutating func kill() -> Int {
        end()
        return disk.kill()
    }

    /// Takes the last turn before a clean end.
    mutating func stop(at now: Microseconds) -> [Output] {
        state = .stopping
        waiting.removeAll()
        var outputs: [Output] = []
        step(.turnBegan(clock.moment(at: now)), &outputs)
        step(.stopped, &outputs)
        noteAvailability(at: now)
        standing = core?.replica.standing()
        return outputs
    }

    /// The process ends.
    mutating func end() {
        if let counters = core?.replica.counters { pastCounters.add(counters) }
        (core, standing, portOutputs) = (nil, nil, [])
        state = .down
        waiting.removeAll()
        record = TurnRecord()
        waitsForRoom = false
        isTurnScheduled = false
    }

    /// The node as its next process would start if the power failed now; nil if that is not determined.
    ///
    /// - Throws: if what is on the disk cannot be read.
    func restarted() throws(MemoryTables.Failure) -> VirtualNode? {
        guard isIdle, disk.durability != .memory, !disk.isDamaged, disk.lyingSince == nil
        else { return nil }
        var copy = self
        _ = copy.crash()
        // A power failure may take back the truncation of a damaged batch.
        guard !copy.disk.isDamaged else { return nil }
        try copy.start()
        return copy
    }

    /// A duplicate node: the same name, another endpoint, an empty disk.
    mutating func duplicateNode() -> Replica {
        var configuration = configuration
        configuration.seed = random.next()
        configuration.endpoints[name] = "sim://another-\(name)"
        return Replica(configuration, properties: [])
    }

    mutating func pause(at now: Microseconds) {
        state = .paused
        suspensions.begin(at: now)
    }

    mutating func resume(at now: Microseconds) {
        state = .running
        suspensions.end(at: now)
    }

    // MARK: Turns

    /// Queues an input; true if a turn must be scheduled for it.
    mutating func receive(_ input: Input) -> Bool { receive(Arrival.replica(input)) }

    /// Queues a frame of a client, with what is done for it recorded or not; true if a turn must be scheduled for it.
    mutating func receive(_ frame: [UInt8], of session: SessionID, isRecorded: Bool) -> Bool {
        let input = Input.requested(frame, by: session)
        return receive(isRecorded ? Arrival.replica(input) : .unrecorded(input))
    }

    /// Queues an input of a client whose requests are not recorded; true if a turn must be
    /// scheduled for it.
    mutating func receive(unrecorded input: Input) -> Bool { receive(Arrival.unrecorded(input)) }

    /// Queues an input of its HTTP port; true if a turn must be scheduled for it.
    mutating func receive(_ input: NodeInput) -> Bool { receive(Arrival.port(input)) }

    private mutating func receive(_ arrival: Arrival) -> Bool {
        guard isUp else { return false }
        waiting.append(arrival)
        return needsTurn
    }

    /// Whether input waits, and no turn is scheduled for it.
    var needsTurn: Bool {
        state == .running && !isTurnScheduled && (!waiting.isEmpty || hasBacklog)
    }

    /// Whether something waits for the next turn that has arrived before.
    private var hasBacklog: Bool { core?.hasBacklog ?? false || standing?.hasDueWork ?? false }

    /// A turn: steps the core with all queued inputs.
    mutating func turn(at now: Microseconds) -> [Output] {
        guard state == .running, core != nil else { return [] }
        let moment = clock.moment(at: now)
        turnMilliseconds = moment.wallMilliseconds
        var outputs: [Output] = []
        step(.turnBegan(moment), &outputs)
        noteAvailability(at: now)
        noteTree(at: now)
        for arrival in waiting {
            switch arrival {
            case .replica(let input):
                if case .requested(_, let session) = input { smallRequests?.add(of: session) }
                stepRecorded(input, &outputs)
            case .unrecorded(let input): step(.replica(input), &outputs)
            case .port(let input): step(input, &outputs)
            }
            noteTree(at: now)
        }
        waiting.removeAll(keepingCapacity: true)
        step(.turnEnded, &outputs)
        standing = core!.replica.standing()
        if smallRequests != nil {
            smallRequests!.endTurn { [core] in core!.replica.awaitsShare($0) }
        }
        noteTree(at: now)
        return outputs
    }

    /// The turn with this number is durable.
    mutating func stored(turn: UInt64, at now: Microseconds) -> [Output] {
        guard core != nil else { return [] }
        var outputs: [Output] = []
        step(.stored(turn: turn, at: clock.moment(at: now)), &outputs)
        standing = core!.replica.standing()
        return outputs
    }

    /// Steps the core. The effects at connections wait until the end of the turn.
    private mutating func step(_ input: NodeInput, _ outputs: inout [Output]) {
        for output in core!.step(input) {
            switch output {
            case .replica(let output, _): outputs.append(output)
            case .gateway(.log), .gateway(.refused), .distrustDatabases: break
            case .gateway(let output): portOutputs.append(output)
            case .cut(let session): preconditionFailure("much waits for \(session)")
            case .openDatabase(_, let name), .discardDatabase(_, let name),
                .keepDatabase(_, let name, _), .recordPlacement(let name, _):
                preconditionFailure("a client names \(name)")
            case .closeDatabase, .removeDatabase: preconditionFailure("there is one database")
            case .backUp: preconditionFailure("a simulated client requests no backup over HTTP")
            }
        }
        if hasUsers { recordSteps() }
    }

    /// Steps the core with an input of a client, and records what it does for the client.
    private mutating func stepRecorded(_ input: Input, _ outputs: inout [Output]) {
        guard isRecorded else { return step(.replica(input), &outputs) }
        switch input {
        case .requested(let frame, let session):
            let requiresHello = core!.replica.requiresHello(of: session)
            let before = core!.replica.shown().vector
            step(.replica(input), &outputs)
            record.served.append(
                .init(
                    session: session, frame: frame, requiresHello: requiresHello, before: before,
                    vector: core!.replica.shown().vector))
        case .closed(let session):
            let before = core!.replica.shown().vector
            step(.replica(input), &outputs)
            record.closings.append((session, before, core!.replica.shown().vector))
        default: step(.replica(input), &outputs)
        }
    }

    /// Records the steps of the replica, where it is judged what it lets clients do.
    private mutating func recordSteps() {
        for step in core!.removeSteps() {
            record.accessEvents.append(
                AccessEvent(step, at: turnMilliseconds, isExempt: waitsForRoom || step.isOut))
        }
    }

    // MARK: What it shows

    /// The value that the replica shows; null while there is no process.
    ///
    /// Mutating, or it would get a copy of the node.
    mutating func shown() -> Value { core?.replica.shown().value ?? .null }

    /// Keeps the availability that its port shows.
    private mutating func noteAvailability(at now: Microseconds) {
        guard core != nil, availabilities.last != core!.availability else { return }
        availabilities.append(core!.availability, at: now)
    }

    /// Keeps the node's tree, to compare it with the data that clients of its port receive.
    private mutating func noteTree(at now: Microseconds) {
        guard core?.hasHadConnections == true else { return }
        let shown = core!.replica.shown()
        guard shownVector != shown.vector else { return }
        shownVector = shown.vector
        shownTrees.append(shown.value, at: now)
    }

    // MARK: Its port

    /// The memory that its gateway keeps for clients; nil while there is no process.
    var gatewayUsage: GatewayUsage? { core?.gatewayUsage }
    /// Whether a client has ever connected to the port of this process.
    var hasHadConnections: Bool { core?.hasHadConnections ?? false }

    private func portConfiguration(seed: UInt64) -> GatewayConfiguration {
        .virtual(
            hosts: configuration.endpoints.keys.sorted(), nodes: configuration.peers,
            position: configuration.peers.firstIndex(of: name) ?? 0,
            nameSeed: "\(name) \(incarnation) \(seed)",
            tokens: hasUsers ? keys.trust : nil)
    }

    /// Removes and returns the effects at connections to its port.
    mutating func removePortOutputs() -> [GatewayOutput] {
        if portOutputs.isEmpty { return [] }
        defer { portOutputs = [] }
        return portOutputs
    }

    // MARK: Its time

    /// How long the loop sleeps or works before the next turn.
    mutating func turnDelay() -> Microseconds {
        random.time(in: TimeRange(20, 200)) + (slowness.map { random.time(in: $0) } ?? 0)
    }

    /// From one turn without input to the next.
    mutating func tickDelay() -> Microseconds { random.time(in: TimeRange(40_000, 60_000)) }
}
