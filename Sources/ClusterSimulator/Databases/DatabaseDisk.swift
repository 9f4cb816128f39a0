import ReplicaCore
import Store

/// The file of one database of a simulated node: a store, and the jobs that wait for it.
struct DatabaseDisk {
    enum Job {
        case commit(Turn)
        case execute(StoreRequest)
        case close
    }

    /// The outcome of a job, for the core.
    enum Outcome {
        case stored(turn: UInt64)
        case replied(StoreReply)
        case closed
    }

    private var store = DurableStore(MemoryTables())
    private var jobs: [(job: Job, dueMilliseconds: UInt64)] = []
    /// Whether the process has the file open.
    private(set) var isOpen = false

    /// Adds a job, which is done after all earlier ones, and not before this time.
    mutating func add(_ job: Job, dueAt milliseconds: UInt64) {
        jobs.append((job, max(milliseconds, jobs.last?.dueMilliseconds ?? 0)))
    }

    /// Does the next job if it is due; nil if none is.
    mutating func doNextJob(at milliseconds: UInt64) -> Outcome?? {
        guard let next = jobs.first, next.dueMilliseconds <= milliseconds else { return nil }
        jobs.removeFirst()
        switch next.job {
        case .commit(let turn):
            // A disk in memory does not fail.
            try! store.commit([turn])
            return .stored(turn: turn.number)
        case .execute(let request):
            switch try! store.execute(request) {
            case .done: return .some(nil)
            case .replied(let reply): return .replied(reply)
            case .unfinished(let rest):
                jobs.insert((.execute(rest), milliseconds), at: 0)
                return .some(nil)
            }
        case .close:
            isOpen = false
            return .closed
        }
    }

    /// Marks the closed file as older than the latest disk. A disk in memory does not fail.
    mutating func distrust() { try! store.markAsOlderDisk() }

    /// Opens the file, and recovers the replica.
    mutating func open(_ configuration: ReplicaConfiguration) -> Replica {
        precondition(!isOpen, "a process opens a database twice")
        isOpen = true
        let replica = recover(configuration)
        store.rewrite()
        return replica
    }

    /// The process ends: it loses the jobs that are not done.
    mutating func crash(keeping count: Int) {
        (jobs, isOpen) = ([], false)
        store.tables.losePower(keeping: min(count, store.tables.unsyncedCount))
    }

    /// Whether all jobs are done.
    var isIdle: Bool { jobs.isEmpty }

    /// The replica as it recovers from what is on the disk.
    mutating func recover(_ configuration: ReplicaConfiguration) -> Replica {
        store = DurableStore(store.tables)
        return try! store.recover { state in
            Replica(
                configuration, properties: state.properties, checkpoint: state.checkpoint,
                orphans: state.orphans)
        } replay: {
            $0.replay($1)
        }
    }
}
