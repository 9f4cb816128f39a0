import DataTree
import GatewayCore
import ReplicaCore
import Store
import SyncProtocol

/// One node: the replica that ships, driven in turns over virtual time, disk and clock.
struct VirtualNode {
    enum State: Equatable {
        case down
        case running
        /// Suspended: input waits.
        case paused
        /// Its last turn is on its way to the disk.
        case stopping
    }

    /// What a turn takes.
    private enum Arrival {
        case replica(Input)
        /// A frame of a client of which nobody asks what the node did for it.
        case unrecorded(Input)
        case port(GatewayInput)
        /// A connection of the port has room again.
        case room(SessionID)
    }

    let name: String
    let index: Int
    private(set) var state = State.down
    /// Counts the starts, so that events of an earlier process can be told apart.
    private(set) var incarnation = 0
    var isServing = false
    /// When this process began.
    var startedAt: Microseconds = 0
    /// Its disk is full, and the node has noticed.
    var waitsForRoom = false
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
    private(set) var replica: Replica?
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
    /// Its HTTP port, for clients that bring bytes.
    private(set) var port = VirtualPort(GatewayConfiguration())
    /// What its port has to say of itself.
    var portCounts = PortCounts()
    /// What its port said to clients, and what its tree showed since the port has been used.
    private(set) var availabilities = TimedStates<Availability>()
    private(set) var shownTrees = TimedStates<Value>()
    private var shownVector: VersionVector?
    private var waiting: [Arrival] = []
    /// How long requests wait at this node while hostile sessions send more; nil without any.
    var smallRequests: SmallRequests?
    /// What the last turn did for clients.
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
        port = VirtualPort(portConfiguration(seed: configuration.seed))
        portCounts = PortCounts()
        availabilities = TimedStates()
        availabilities.append(.unavailable(reason: "starting"), at: 0)
        (shownTrees, shownVector) = (TimedStates(), nil)
        replica = try disk.recover { state in
            Replica(
                configuration, properties: state.properties, checkpoint: state.checkpoint,
                orphans: state.orphans)
        }
        standing = replica?.standing()
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
        let moment = clock.moment(at: now)
        var outputs = replica?.step(.turnBegan(moment)) ?? []
        outputs += take(noteAvailability(at: now))
        outputs += replica?.stop() ?? []
        standing = replica?.standing()
        return outputs
    }

    /// The process ends.
    mutating func end() {
        if let counters = replica?.counters { pastCounters.add(counters) }
        (replica, standing) = (nil, nil)
        state = .down
        waiting.removeAll()
        record = TurnRecord()
        isServing = false
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
    mutating func receive(_ input: Input) -> Bool { receive(.replica(input)) }

    /// Queues a frame of a client, with what is done for it recorded or not; true if a turn must be scheduled for it.
    mutating func receive(_ frame: [UInt8], of session: SessionID, isRecorded: Bool) -> Bool {
        let input = Input.requested(frame, by: session)
        return receive(isRecorded ? .replica(input) : .unrecorded(input))
    }

    /// Queues an input of a client of which nobody asks what the node did for it; true if a turn must be scheduled for it.
    mutating func receive(unrecorded input: Input) -> Bool { receive(.unrecorded(input)) }

    /// Queues an input of its HTTP port; true if a turn must be scheduled for it.
    mutating func receive(_ input: GatewayInput) -> Bool { receive(.port(input)) }

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
    private var hasBacklog: Bool { port.hasBacklog || standing?.hasDueWork ?? false }

    /// A turn: steps the replica with all queued inputs.
    mutating func turn(at now: Microseconds) -> [Output] {
        guard state == .running, replica != nil else { return [] }
        let moment = clock.moment(at: now)
        turnMilliseconds = moment.wallMilliseconds
        var outputs = replica!.step(.turnBegan(moment))
        outputs.append(all: take(noteAvailability(at: now) + port.resume(at: moment)))
        noteTree(at: now)
        for arrival in waiting {
            switch arrival {
            case .replica(let input):
                if case .requested(_, let session) = input { smallRequests?.add(of: session) }
                outputs.append(all: take(input))
            case .unrecorded(let input):
                outputs.append(all: watched(input) { $0.replica!.step($1) })
            case .port(let input): outputs.append(all: take(port.step(input, at: moment)))
            case .room(let session): port.reportWritable(session)
            }
            noteTree(at: now)
        }
        waiting.removeAll(keepingCapacity: true)
        let ended = watched(.turnEnded) { $0.replica!.step($1) }
        outputs.append(all: ended)
        standing = replica!.standing()
        if smallRequests != nil { smallRequests!.endTurn { [replica] in replica!.awaitsShare($0) } }
        noteTree(at: now)
        return outputs
    }

    /// What the replica shows; null while there is no process.
    ///
    /// Mutating, or it would get a copy of the node.
    mutating func shown() -> Value { replica == nil ? .null : replica!.shown().value }

    private mutating func take(_ input: Input) -> [Output] {
        watched(input) { $0.takeRecorded($1) }
    }

    private mutating func takeRecorded(_ input: Input) -> [Output] {
        guard isRecorded else { return replica!.step(input) }
        switch input {
        case .requested(let frame, let session):
            let requiresHello = replica!.requiresHello(of: session)
            let (outputs, before, after) = replica!.observedStep(input)
            record.served.append(
                .init(
                    session: session, frame: frame, requiresHello: requiresHello, before: before,
                    vector: after))
            return outputs
        case .closed(let session):
            let (outputs, before, after) = replica!.observedStep(input)
            record.closings.append((session, before, after))
            return outputs
        default: return replica!.step(input)
        }
    }

    /// Gives the replica what its port asks for.
    private mutating func take(_ inputs: [Input]) -> [Output] {
        inputs.flatMap { input in watched(input) { $0.replica?.step($1) ?? [] } }
    }

    // MARK: What it lets clients do

    /// Steps the replica, and keeps how it was before and after where that is judged.
    private mutating func watched(
        _ input: Input, _ step: (inout VirtualNode, Input) -> [Output]
    ) -> [Output] {
        guard hasUsers, replica != nil else { return step(&self, input) }
        var outputs: [Output] = []
        for part in input.parts {
            let before = accessMoment
            outputs += step(&self, part)
            record.accessEvents.append(
                AccessEvent(
                    kind: AccessEvent.Kind(part), before: before, after: accessMoment,
                    writer: replica!.writer, isExempt: waitsForRoom || replica!.isOut))
        }
        return outputs
    }

    private var accessMoment: AccessMoment {
        AccessMoment(
            tree: replica!.value, vector: replica!.vector, milliseconds: turnMilliseconds)
    }

    // MARK: Its port

    /// Whether clients are served, and if not, why.
    ///
    /// Mutating, or it would get a copy of the node.
    private mutating func availability() -> Availability {
        Availability(
            isRunning: state == .running, isServing: isServing,
            storageTrouble: waitsForRoom ? .refusesWrites : nil, isEvicted: standing?.isOut ?? false
        )
    }

    /// Tells its port whether clients are served.
    private mutating func noteAvailability(at now: Microseconds) -> [Input] {
        let availability = availability()
        if availabilities.last != availability { availabilities.append(availability, at: now) }
        return port.become(availability, at: clock.moment(at: now))
    }

    /// Keeps what its tree shows, for those who compare what clients of its port are told.
    private mutating func noteTree(at now: Microseconds) {
        guard port.isUsed, replica != nil else { return }
        let shown = replica!.shown()
        guard shownVector != shown.vector else { return }
        shownVector = shown.vector
        shownTrees.append(shown.value, at: now)
    }

    private func portConfiguration(seed: UInt64) -> GatewayConfiguration {
        let members = configuration.peers
        let place = members.firstIndex(of: name) ?? 0
        return .virtual(
            hosts: configuration.endpoints.keys.sorted(),
            next: members.count > 1 ? members[(place + 1) % members.count] : nil,
            nameSeed: "\(name) \(incarnation) \(seed)",
            tokens: hasUsers ? keys.trust : nil)
    }

    /// Gives the gateway what the replica answered to one of its sessions.
    mutating func answer(_ answers: [SessionAnswer], to session: SessionID, at now: Microseconds) {
        port.answer(answers, to: session, at: clock.moment(at: now))
    }

    /// All bytes sent to a connection of its port have left.
    ///
    /// It comes behind what the port was told before, such as that there was no room.
    mutating func reportWritable(_ session: SessionID) { _ = receive(.room(session)) }

    /// Ends its gateway's turn; returns what is to be done with connections.
    mutating func endPortTurn() -> [GatewayOutput] { port.endTurn() }

    // MARK: Its disk and its time

    mutating func stored(turn: UInt64) -> [Output] {
        defer { standing = replica?.standing() }
        return replica?.step(.stored(turn: turn)) ?? []
    }

    /// How long the loop sleeps or works before the next turn.
    mutating func turnDelay() -> Microseconds {
        random.time(in: TimeRange(20, 200)) + (slowness.map { random.time(in: $0) } ?? 0)
    }

    /// From one turn without input to the next.
    mutating func tickDelay() -> Microseconds { random.time(in: TimeRange(40_000, 60_000)) }
}
