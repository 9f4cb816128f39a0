import ReplicaCore
import SyncProtocol

/// One node: the replica that ships, driven in turns over virtual time, disk and clock.
struct VirtualNode {
    enum State: Equatable {
        case down
        case running
        /// Standing still: what arrives waits.
        case paused
        /// Its last turn is on its way to the disk.
        case stopping
    }

    let name: String
    let index: Int
    private(set) var state = State.down
    /// Counts the starts, and so tells what belongs to an earlier process.
    private(set) var incarnation = 0
    var isServing = false
    /// Its disk is full, and it knows.
    var waitsForRoom = false
    var isTurnScheduled = false
    /// There is a file handle for another connection.
    var hasHandles = true
    /// How much longer each turn takes than usual.
    var slowness: TimeRange?
    var clock: VirtualClock
    var disk: VirtualDisk
    /// Checkpoints that this process has taken over.
    var installations: UInt64 = 0
    /// The returns after evictions of the replica that were noted.
    var returns: UInt64 = 0
    /// When it last learnt that it was evicted, and whether it is out.
    var outSince: Microseconds = 0
    var isOut = false
    private(set) var replica: Replica?
    /// Whether it is on the list of nodes, and is there at all; only then it may start.
    var isMember = true
    var isAbandoned = false
    /// Counted by the processes that are gone.
    private(set) var pastCounters = Counters()

    private var configuration: ReplicaConfiguration
    private let defect: PlantedDefect?
    private var waiting: [Input] = []
    /// The frames of clients that the last turn took, and how far the replica was before and after.
    private var served:
        [(session: SessionID, frame: [UInt8], before: VersionVector, vector: VersionVector)] = []
    /// The replica as it was some turns ago, for the defect that reads from it.
    private var stale: Replica?
    private var random: SplitMix64

    init(
        index: Int, scenario: Scenario, seed: UInt64, defect: PlantedDefect?
    ) {
        self.index = index
        self.defect = defect
        let names = (1...scenario.cluster.replicas).map { "n\($0)" }
        name = names[index]
        random = SplitMix64(seed: seed, part: 1_000 + UInt64(index))
        clock = VirtualClock(scenario.clocks, random: &random)
        disk = VirtualDisk(
            scenario.cluster.durability, sync: scenario.cluster.sync,
            random: SplitMix64(seed: seed, part: 2_000 + UInt64(index)))
        configuration = ReplicaConfiguration(
            cluster: "simulated", member: name, peers: [],
            durability: scenario.cluster.durability, seed: 0)
        configuration.checkpointBytes = 2_000
        configuration.logLimit = UInt64(scenario.cluster.logLimit)
        configuration.leaseMilliseconds = scenario.cluster.lease / 1_000
        configuration.retryWindowMilliseconds = scenario.cluster.retryWindow / 1_000
        for name in names { configuration.endpoints[name] = "sim://\(name)" }
        if index < scenario.cluster.newer {
            let oldest = configuration.versions.lowerBound
            configuration.versions = oldest...oldest + 1
        }
        list(members: Array(names.indices.dropLast(scenario.cluster.newcomers)))
    }

    /// From the next incarnation on these are the members, counted from 0.
    mutating func list(members: [Int]) {
        configuration.peers = members.map { "n\($0 + 1)" }
        isMember = members.contains(index)
    }

    /// Whether the cluster has it, or waits for it.
    var belongs: Bool { isMember && !isAbandoned }
    var mayStart: Bool { state == .down && belongs }

    var isUp: Bool { state == .running || state == .paused }
    /// Nothing waits for a turn, and no batch for the disk.
    var isIdle: Bool { state == .running && waiting.isEmpty && disk.hasAllBatches }

    // MARK: Life

    /// Starts a process on what is durable.
    ///
    /// - Throws: `FrameError` if the log cannot be read back.
    mutating func start() throws(FrameError) {
        precondition(state == .down, "\(name) starts while it is \(state)")
        incarnation += 1
        (installations, returns) = (0, 0)
        var configuration = configuration
        configuration.seed = defect == .keepsWriter ? UInt64(index) : random.next()
        let checkpoint = try disk.restoreCheckpoint()
        var replica = Replica(
            configuration, properties: disk.properties, checkpoint: checkpoint,
            orphans: defect == .losesAside ? [] : disk.orphans.map(\.bytes))
        for entry in disk.batches {
            let entry = defect == .trustsPlaces ? try entry.refiled : entry
            try replica.restore(DecodedBatch(entry, coveredBy: replica.vector))
        }
        try replica.finishRestoring()
        self.replica = replica
        state = .running
    }

    /// The power goes; returns how many turns are lost.
    mutating func crash() -> Int {
        end()
        return disk.crash()
    }

    /// The process ends without a word, and the machine goes on; returns how many turns are lost.
    mutating func kill(at now: Microseconds) -> Int {
        end()
        return disk.kill(at: now)
    }

    /// Takes the last turn before a clean end.
    mutating func stop(at now: Microseconds) -> [Output] {
        state = .stopping
        waiting.removeAll()
        _ = replica?.step(.turnBegan(clock.moment(at: now)))
        return replica?.stop() ?? []
    }

    /// The process ends.
    mutating func end() {
        if let counters = replica?.counters { pastCounters.add(counters) }
        replica = nil
        state = .down
        waiting.removeAll()
        served.removeAll()
        stale = nil
        isServing = false
        waitsForRoom = false
        isTurnScheduled = false
    }

    /// What another process would start with, if the power went now; nil where that may be anything.
    ///
    /// - Throws: `FrameError` if what is on the disk cannot be read.
    func restarted() throws(FrameError) -> Replica? {
        guard isIdle, disk.durability != .memory, !disk.isDamaged else { return nil }
        var copy = self
        _ = copy.crash()
        try copy.start()
        return copy.replica
    }

    /// A process under the same name, somewhere else, that has nothing.
    mutating func duplicateNode() -> Replica {
        var configuration = configuration
        configuration.seed = random.next()
        configuration.endpoints[name] = "sim://another-\(name)"
        return Replica(configuration, properties: [])
    }

    mutating func pause() { state = .paused }
    mutating func resume() { state = .running }

    // MARK: Turns

    /// Takes what arrived; true if a turn must be scheduled for it.
    mutating func receive(_ input: Input) -> Bool {
        guard isUp else { return false }
        waiting.append(input)
        return needsTurn
    }

    /// Whether something waits, and no turn is scheduled that would take it.
    var needsTurn: Bool { state == .running && !isTurnScheduled && !waiting.isEmpty }

    /// A turn: takes all that has arrived.
    mutating func turn(at now: Microseconds) -> [Output] {
        guard state == .running, replica != nil else { return [] }
        var outputs = replica!.step(.turnBegan(clock.moment(at: now)))
        for input in waiting { outputs += take(input, at: now) }
        waiting.removeAll(keepingCapacity: true)
        outputs += replica!.step(.turnEnded)
        if defect == .servesStaleReads, random.index(below: 4) == 0 { stale = replica }
        return outputs
    }

    private mutating func take(_ input: Input, at now: Microseconds) -> [Output] {
        guard case .requested(var frame, let session) = input else { return replica!.step(input) }
        if defect == .ignoresConditions { frame = VirtualNode.withoutConditions(frame) }
        if let old = stale, VirtualNode.isRead(frame), random.index(below: 2) == 0 {
            served.append((session, frame, old.vector, old.vector))
            return old.answer(input, at: clock.moment(at: now))
        }
        let before = replica!.vector
        var outputs: [Output] = []
        if defect == .splitsUpdates, let (first, rest) = VirtualNode.halves(frame) {
            _ = replica!.step(.requested(first, by: session))
            outputs = replica!.step(.requested(rest, by: session))
        } else {
            outputs = replica!.step(.requested(frame, by: session))
        }
        served.append((session, frame, before, replica!.vector))
        return outputs
    }

    private static func isRead(_ frame: [UInt8]) -> Bool {
        guard let messages = try? FrameReader<ClientMessage>.messages(in: frame),
            case .message(.get)? = messages.first
        else { return false }
        return true
    }

    /// An update of several places as two writes.
    private static func halves(_ frame: [UInt8]) -> (first: [UInt8], rest: [UInt8])? {
        guard let messages = try? FrameReader<ClientMessage>.messages(in: frame),
            case .message(.merge(let id, let path, let writes, _, nil))? = messages.first,
            writes.count > 1
        else { return nil }
        let first = ClientMessage.merge(id: 0, path: path, writes: [writes[0]])
        let rest = ClientMessage.merge(id: id, path: path, writes: Array(writes.dropFirst()))
        return (first.frame, rest.frame)
    }

    private static func withoutConditions(_ frame: [UInt8]) -> [UInt8] {
        guard let received = try? FrameReader<ClientMessage>.messages(in: frame) else {
            return frame
        }
        var changed = FrameWriter()
        for case .message(let message) in received {
            if case .put(let id, let path, let value, _, let concern, let stamp) = message {
                changed.append(
                    ClientMessage.put(
                        id: id, path: path, value: value, concern: concern, stamp: stamp))
            } else {
                changed.append(message)
            }
        }
        return changed.bytes
    }

    /// Takes what the last turn did for clients.
    mutating func takeServed() -> [(
        session: SessionID, frame: [UInt8], before: VersionVector, vector: VersionVector
    )] {
        defer { served.removeAll(keepingCapacity: true) }
        return served
    }

    mutating func stored(turn: UInt64) -> [Output] { replica?.step(.stored(turn: turn)) ?? [] }

    /// How long the loop sleeps or works before it takes the next turn.
    mutating func turnDelay() -> Microseconds {
        random.time(in: TimeRange(20, 200)) + (slowness.map { random.time(in: $0) } ?? 0)
    }

    /// From one turn without input to the next.
    mutating func tickDelay() -> Microseconds { random.time(in: TimeRange(40_000, 60_000)) }
}

extension LogEntry {
    /// As what its bytes say, wherever they are.
    fileprivate var refiled: LogEntry {
        get throws(FrameError) {
            let head = try BatchCoding.decodeHead(bytes)
            return LogEntry(
                origin: head.origin, first: head.first, last: head.last, bytes: bytes)
        }
    }
}

extension Replica {
    /// What a replica that is put aside answers to a client.
    fileprivate func answer(_ input: Input, at now: Moment) -> [Output] {
        var replica = self
        _ = replica.step(.turnBegan(now))
        _ = replica.step(input)
        return replica.step(.turnEnded).filter { output in
            if case .reply = output { true } else { false }
        }
    }
}

extension Counters {
    mutating func add(_ other: Counters) {
        accepted += other.accepted
        received += other.received
        repaired += other.repaired
        repairedBytes += other.repairedBytes
        duplicates += other.duplicates
        dropped += other.dropped
        installed += other.installed
        rebased += other.rebased
        quarantined += other.quarantined
        repeated += other.repeated
        refused += other.refused
        malformedFrames += other.malformedFrames
        unknownPeers += other.unknownPeers
    }
}
