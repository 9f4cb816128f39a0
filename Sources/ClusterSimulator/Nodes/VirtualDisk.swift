import ReplicaCore
import Store
import SyncProtocol

/// A node's disk: the store that ships, over tables in memory, and how long its work takes.
///
/// Jobs are done one after the other, as the storage thread of a node does them, and commits that wait
/// share one transaction. In the modes `interval` and `memory` turns gather before they are committed; in
/// the mode `interval` what was committed is synced each second; in the mode `memory` nothing outlives the
/// process.
struct VirtualDisk {
    /// The outcome of a job.
    enum Outcome {
        /// All turns up to this one are durable, if any; the replica's request is done, if there was one.
        case done(stored: UInt64?, StoreReply?)
        /// The job failed, and is repeated at that time.
        case noRoom(again: Microseconds)
        /// The disk failed: turns under way may be lost, and no more are written.
        case failed(MemoryTables.Failure)
    }

    enum Job {
        case commit(Turn, since: Microseconds)
        case synchronize(turn: UInt64)
        case perform(StoreRequest)
    }

    /// From one sync to the next in the mode `interval`.
    private static let syncInterval: Microseconds = .seconds(1)
    /// A small tree is given in many chunks, in few, or in one.
    private static let chunkBytes = [600, 4_000, 100_000]
    /// A small tree has many rows and slices.
    static let limits: StoreLimits = {
        var limits = StoreLimits()
        limits.checkpoint = CheckpointWriter.Limits(row: 200, slice: 600)
        limits.truncatedBatches = 7
        limits.logBytes = 1_000
        limits.decodedBytes = 3_000
        return limits
    }()

    var trouble: Trouble?
    let durability: Durability
    private let usualSync: TimeRange
    var random: SplitMix64
    var store: DurableStore<MemoryTables>
    /// What the tables have to hold.
    var model = StoreModel()
    /// How the store has contradicted the model first.
    var contradiction: String?
    /// The step that the store came to last.
    private(set) var step: DiskStep?
    /// Whether any stored row ever differed from what was written.
    var wasDamaged = false
    /// The operations that the disk reports as durable.
    private(set) var durable = VersionVector()
    private(set) var jobs: [Job] = []
    /// How many of the jobs are under way: one, or several commits.
    private var working = 0
    private var gathered: [(turn: Turn, since: Microseconds)] = []
    private var lastTurn: UInt64 = 0
    private var lastBatchTurn: UInt64 = 0
    private var lastStored: UInt64 = 0
    private var lastSynchronizing: UInt64 = 0
    private var nextSync: Microseconds = 0
    /// The last commit, and when its first turn was handed over.
    private(set) var newest: (batches: [LogEntry], since: Microseconds) = ([], 0)
    /// The vector of a checkpoint that was installed without the process learning of it.
    private(set) var replacement: VersionVector?
    /// A backup.
    var copy: Copy?
    /// Since when the disk reports data as synced that is not.
    var lyingSince: Microseconds?
    /// Whether a write of this process has failed: what it wrote since is not durable, whatever later requests report.
    private(set) var hasFailed = false
    /// Rows in whose place another write is stored now.
    var damages: [Damage] = []
    /// A misdirected write, and when it was handed over.
    var misdirected: (entry: LogEntry, since: Microseconds)?

    init(_ durability: Durability, sync: TimeRange, random: SplitMix64) {
        self.durability = durability
        usualSync = sync
        self.random = random
        store = VirtualDisk.emptyStore(durability)
    }

    static func emptyStore(_ durability: Durability) -> DurableStore<MemoryTables> {
        DurableStore(
            MemoryTables(syncsEachTransaction: durability == .commit), limits: limits)
    }

    /// Every turn handed over is durable.
    var isIdle: Bool { lastTurn == lastStored }
    /// Every batch handed over is durable; a property may be on its way.
    var hasAllBatches: Bool { lastBatchTurn <= lastStored }

    /// All batches that can be read, by origin and sequence.
    var batches: [LogEntry] { store.tables.allRows(in: .batch).map { LogEntry($0) } }

    // MARK: Jobs

    // Each returns when the work that it starts will be done, if it starts any.

    mutating func commit(_ turn: Turn, at now: Microseconds) -> Microseconds? {
        lastTurn = turn.number
        if !turn.batches.isEmpty { lastBatchTurn = turn.number }
        gathered.append((turn, now))
        // An incarnation begins with a turn that waits for the disk in every mode.
        if durability == .interval, lastStored == 0 { return synchronize(at: now) }
        return durability == .commit ? flush(at: now) : nil
    }

    mutating func perform(_ request: StoreRequest, at now: Microseconds) -> Microseconds? {
        var request = request
        if case .readRows(var read) = request {
            let sizes = VirtualDisk.chunkBytes
            read.byteLimit = sizes[random.index(below: sizes.count)]
            request = .readRows(read)
        }
        return flush(at: now, followedBy: .perform(request))
    }

    /// Some times a second: commits what has gathered, and syncs it once a second.
    mutating func tick(at now: Microseconds) -> Microseconds? {
        now >= nextSync ? synchronize(at: now) : flush(at: now)
    }

    mutating func synchronize(at now: Microseconds) -> Microseconds? {
        guard durability == .interval, lastSynchronizing < lastTurn else { return flush(at: now) }
        lastSynchronizing = lastTurn
        nextSync = (now / VirtualDisk.syncInterval + 1) * VirtualDisk.syncInterval
        return flush(at: now, followedBy: .synchronize(turn: lastTurn))
    }

    private mutating func flush(
        at now: Microseconds, followedBy job: Job? = nil
    ) -> Microseconds? {
        jobs += gathered.map { .commit($0.turn, since: $0.since) }
        gathered.removeAll()
        if let job { jobs.append(job) }
        return begin(at: now)
    }

    /// Begins the next jobs, if none is under way.
    mutating func begin(at now: Microseconds) -> Microseconds? {
        guard working == 0, let first = jobs.first else { return nil }
        working = max(1, jobs.prefix { $0.turn != nil }.count)
        return now + random.time(in: time(of: first))
    }

    private func time(of job: Job) -> TimeRange {
        switch job {
        case .commit where durability == .commit, .synchronize:
            if case .slow(let sync) = trouble { sync } else { usualSync }
        case .commit: TimeRange(50, 500)
        case .perform(.readBatches): TimeRange(100, 2_000)
        case .perform(.install): TimeRange(2_000, 30_000)
        case .perform: TimeRange(300, 5_000)
        }
    }

    /// The jobs under way come to their end; `begin` has to follow.
    mutating func finish(at now: Microseconds) -> Outcome {
        let writes = jobs.first?.writes == true && durability != .memory
        store.tables.isLying = trouble == .lying
        if trouble == .full, writes {
            store.tables.fault = .hasNoRoom
            return .noRoom(again: now + VirtualDisk.retry)
        }
        if trouble == .failing, writes {
            trouble = nil
            store.tables.fault = .fails
        }
        do throws(MemoryTables.Failure) {
            let outcome = try work()
            if trouble != .lying, store.tables.unsyncedCount == 0 { lyingSince = nil }
            return outcome
        } catch {
            hasFailed = true
            workAfterFailure()
            return .failed(error)
        }
    }

    /// The storage thread goes on until the process ends; the store refuses all that writes.
    private mutating func workAfterFailure() {
        for job in jobs { _ = try? work(at: [job]) }
        jobs.removeAll()
        if (try? store.synchronize()) != nil { contradict("the store writes after a failure") }
    }

    private mutating func work() throws(MemoryTables.Failure) -> Outcome {
        let group = Array(jobs.prefix(working))
        jobs.removeFirst(working)
        working = 0
        step = nil
        return try work(at: group)
    }

    private mutating func work(at group: [Job]) throws(MemoryTables.Failure) -> Outcome {
        switch group[0] {
        case .commit(_, let since):
            let turns = group.compactMap(\.turn)
            try commit(turns)
            let batches = turns.flatMap(\.batches)
            if !batches.isEmpty { newest = (batches, since) }
            if durability == .interval { return .done(stored: nil, nil) }
            return stored(turns.last?.number)
        case .synchronize(let turn):
            try store.synchronize()
            settle()
            return stored(turn)
        case .perform(let request): return try work(on: request)
        }
    }

    private mutating func stored(_ turn: UInt64?) -> Outcome {
        lastStored = turn ?? lastStored
        step = .stored
        durable = store.vector
        return .done(stored: turn, nil)
    }

    private mutating func work(
        on request: StoreRequest
    ) throws(MemoryTables.Failure) -> Outcome {
        if trouble == .unreadable, case .readBatches(let read) = request {
            return .done(stored: nil, .batches([], for: read))
        }
        let progress = try perform(request)
        report(progress, of: request)
        step = DiskStep(request, progress)
        switch progress {
        case .done: return .done(stored: nil, nil)
        case .unfinished(let rest):
            jobs.append(.perform(rest))
            return .done(stored: nil, nil)
        case .replied(let reply):
            if case .installed(.some) = reply { durable = store.vector }
            return .done(stored: nil, reply)
        }
    }

    // MARK: Processes

    /// The state that a new process recovers.
    mutating func recover(
        begin: (RecoveredState) -> Replica
    ) throws(MemoryTables.Failure) -> Replica {
        store = DurableStore(store.tables, limits: VirtualDisk.limits)
        hasFailed = false
        let replica = try store.recover(begin: begin) { $0.replay($1) }
        store.tables.isLying = trouble == .lying
        compareWithModel()
        if trouble != .full {
            store.rewrite()
            settle()
        }
        durable = store.vector
        return replica
    }

    /// The process ends: a first part of the work under way is still done. Returns how many turns are lost.
    mutating func endProcess() -> Int {
        replacement = nil
        store.tables.isLying = trouble == .lying
        let group = Array(jobs.prefix(working))
        var kept = 0
        if trouble != .full || group.first?.writes == false {
            switch group.first {
            case .commit:
                kept = draw(upTo: group.count)
                try? commit(group.prefix(kept).compactMap(\.turn))
            case .perform(let request): if random.index(below: 2) == 0 { finishUnseen(request) }
            case .synchronize, nil: break
            }
        }
        let lost = gathered.count + jobs.count { $0.turn != nil } - kept
        store.tables.fault = nil
        (jobs, working) = ([], 0)
        gathered.removeAll()
        (lastTurn, lastBatchTurn, lastStored, lastSynchronizing) = (0, 0, 0, 0)
        nextSync = 0
        return lost
    }

    /// Does a request whose outcome no process receives.
    private mutating func finishUnseen(_ request: StoreRequest) {
        let progress = try? perform(request)
        if case .install(_, keepsLog: false, _) = request,
            case .replied(.installed(.some)) = progress
        {
            replacement = store.vector
        }
    }

    /// How much of the work is still done: often none, often all.
    mutating func draw(upTo count: Int) -> Int {
        switch random.index(below: 3) {
        case 0: 0
        case 1: count
        default: random.index(below: count + 1)
        }
    }
}

extension VirtualDisk.Job {
    var turn: Turn? {
        if case .commit(let turn, _) = self { turn } else { nil }
    }

    /// Whether it needs room.
    var writes: Bool {
        switch self {
        case .perform(.readBatches), .perform(.readRows): false
        default: true
        }
    }
}
