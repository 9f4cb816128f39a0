import Store

/// The jobs of a disk, in order, and the number of those in progress.
///
/// Jobs are done one after the other, as the storage thread of a node does them, and commits that wait share one
/// transaction.
struct DiskQueue {
    enum Job {
        case commit(Turn, since: Microseconds)
        case synchronize(turn: UInt64)
        case perform(StoreRequest)
        case copy(DatabaseCopies.Request)
    }

    private(set) var jobs: [Job] = []
    /// How many of the jobs are under way: one, or several commits.
    private var working = 0
    /// Turns that no job commits yet.
    private var gathered: [(turn: Turn, since: Microseconds)] = []
    /// The last turn handed over, and the last with batches.
    private(set) var lastTurn: UInt64 = 0
    private(set) var lastBatchTurn: UInt64 = 0

    /// The jobs under way.
    var group: [Job] { Array(jobs.prefix(working)) }

    /// Keeps a turn until `flush`.
    mutating func gather(_ turn: Turn, at now: Microseconds) {
        lastTurn = turn.number
        if !turn.batches.isEmpty { lastBatchTurn = turn.number }
        gathered.append((turn, now))
    }

    /// Has the gathered turns committed.
    mutating func flush() {
        jobs += gathered.map { .commit($0.turn, since: $0.since) }
        gathered.removeAll()
    }

    mutating func append(_ job: Job) { jobs.append(job) }

    /// Begins the next jobs and returns the first; nil if there is none, or others are under way.
    mutating func begin() -> Job? {
        guard working == 0, let first = jobs.first else { return nil }
        working = max(1, jobs.prefix { $0.turn != nil }.count)
        return first
    }

    /// Ends the jobs under way, and returns them.
    mutating func finish() -> [Job] {
        defer {
            jobs.removeFirst(working)
            working = 0
        }
        return group
    }

    /// Removes all jobs, and returns them.
    mutating func removeJobs() -> [Job] {
        defer { (jobs, working) = ([], 0) }
        return jobs
    }

    /// Begins with another process; returns how many turns of the last one were not committed.
    mutating func restart() -> Int {
        let lost = gathered.count + jobs.count { $0.turn != nil }
        self = DiskQueue()
        return lost
    }
}

extension DiskQueue.Job {
    var turn: Turn? {
        if case .commit(let turn, _) = self { turn } else { nil }
    }

    /// Whether it needs room.
    var writes: Bool {
        switch self {
        case .perform(.readBatches), .perform(.searchLog), .perform(.readRows), .copy: false
        default: true
        }
    }
}
