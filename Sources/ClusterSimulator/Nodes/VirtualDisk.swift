import ReplicaCore
import Store
import SyncProtocol

/// A node's disk: the store that ships, over tables in memory, and how long its work takes.
///
/// In the modes `interval` and `memory`, turns gather before they are committed. In the mode
/// `interval`, committed data are synced at the replica's request. In the mode `memory`, no data
/// outlive the process.
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

    /// By the disk, a small tree is given in many chunks, in few, or in one.
    private let chunkBytes: Int
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
    /// The expected contents of the tables.
    var model = StoreModel()
    /// How the store has contradicted the model first.
    var contradiction: String?
    /// The last step of the store.
    var step: DiskStep?
    /// The step to which the turns come that are committed and not yet reported as stored.
    var unreportedStep = DiskStep.stored
    /// Whether any stored row ever differed from what was written.
    var wasDamaged = false
    /// The operations that the disk reports as durable.
    var durable = VersionVector()
    var queue = DiskQueue()
    var copies = DatabaseCopies()
    /// The last turn that was reported as durable.
    var lastStored: UInt64 = 0
    /// The last commit, and when its first turn was handed over.
    var newest: (batches: [LogEntry], since: Microseconds) = ([], 0)
    /// The vector of a checkpoint that was installed without the process learning of it.
    var replacement: VersionVector?
    /// A backup.
    var copy: Copy?
    /// Since when the disk reports data as synced that is not.
    var lyingSince: Microseconds?
    /// Whether a write of this process has failed: what it wrote since is not durable, whatever later requests report.
    var hasFailed = false
    /// Rows in whose place another write is stored now.
    var damages: [Damage] = []
    /// How many rows were damaged when the checkpoint began that replaces all rows, while one is being written.
    var replaced: Int?
    /// A misdirected write, and when it was handed over.
    var misdirected: (entry: LogEntry, since: Microseconds)?

    init(_ durability: Durability, sync: TimeRange, random: SplitMix64) {
        self.durability = durability
        usualSync = sync
        var random = random
        chunkBytes = [150, 600, 4_000, 100_000][random.index(below: 4)]
        self.random = random
        store = VirtualDisk.emptyStore(durability)
    }

    static func emptyStore(_ durability: Durability) -> DurableStore<MemoryTables> {
        DurableStore(
            MemoryTables(syncsEachTransaction: durability == .commit), limits: limits)
    }

    /// Every turn handed over is durable.
    var isIdle: Bool { queue.lastTurn == lastStored }
    /// Every batch handed over is durable; a property may be on its way.
    var hasAllBatches: Bool { queue.lastBatchTurn <= lastStored }

    /// All batches that can be read, by origin and sequence.
    var batches: [LogEntry] { store.tables.allRows(in: .batch).map { LogEntry($0) } }
}

// MARK: - Jobs

// Each returns when the work that it starts will be done, if it starts any.

extension VirtualDisk {
    mutating func commit(_ turn: Turn, at now: Microseconds) -> Microseconds? {
        queue.gather(turn, at: now)
        return durability == .commit ? flush(at: now) : nil
    }

    mutating func execute(_ request: StoreRequest, at now: Microseconds) -> Microseconds? {
        var request = request
        if case .readRows(var read) = request {
            read.byteLimit = chunkBytes
            request = .readRows(read)
        }
        return flush(at: now, followedBy: .perform(request))
    }

    /// Writes a copy of the database; `copies` then has the result.
    mutating func write(_ copy: DatabaseCopies.Request, at now: Microseconds) -> Microseconds? {
        flush(at: now, followedBy: .copy(copy))
    }

    /// Some times a second: commits what has gathered.
    mutating func tick(at now: Microseconds) -> Microseconds? { flush(at: now) }

    /// Makes all turns so far durable.
    mutating func synchronize(at now: Microseconds) -> Microseconds? {
        let sync: DiskQueue.Job? =
            durability == .interval ? .synchronize(turn: queue.lastTurn) : nil
        return flush(at: now, followedBy: sync)
    }

    private mutating func flush(
        at now: Microseconds, followedBy job: DiskQueue.Job? = nil
    ) -> Microseconds? {
        queue.flush()
        if let job { queue.append(job) }
        return begin(at: now)
    }

    /// Begins the next jobs, if none is under way.
    mutating func begin(at now: Microseconds) -> Microseconds? {
        queue.begin().map { now + random.time(in: time(of: $0)) }
    }

    private func time(of job: DiskQueue.Job) -> TimeRange {
        switch job {
        case .commit where durability == .commit, .synchronize:
            if case .slow(let sync) = trouble { sync } else { usualSync }
        case .commit: TimeRange(50, 500)
        case .perform(.readBatches), .perform(.searchLog): TimeRange(100, 2_000)
        case .perform(.install), .copy: TimeRange(2_000, 30_000)
        case .perform: TimeRange(300, 5_000)
        }
    }
}
