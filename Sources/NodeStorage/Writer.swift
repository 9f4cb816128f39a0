internal import Storage
internal import Store

/// Runs the storage thread's jobs on its store; consecutive commits share a transaction.
struct Writer {
    private static let groupLimit = 256
    private static let groupByteLimit = 8 << 20

    private var store: NodeStore
    private var turns: [Turn] = []
    private var completions: [StorageThread.Completion<Void>] = []
    private var byteCount = 0

    init(store: NodeStore) {
        self.store = store
    }

    /// Makes the existing content durable, before anything depends on it.
    mutating func begin() { store.rewrite() }

    /// Runs `jobs` in order, and reports to `finish` how many are done.
    mutating func run(_ jobs: [Job], finish: (Int) -> Void) {
        for job in jobs {
            switch job {
            case .commit(let turns, let completion):
                add(turns, completion)
                if isFull { commit(finish) }
            case .perform(let body):
                commit(finish)
                body(&store)
                finish(1)
            }
        }
        commit(finish)
    }

    private var isFull: Bool {
        turns.count >= Self.groupLimit || byteCount >= Self.groupByteLimit
    }

    private mutating func add(
        _ added: [Turn], _ completion: @escaping StorageThread.Completion<Void>
    ) {
        turns += added
        completions.append(completion)
        byteCount += added.reduce(0) { $0 + $1.byteCount }
    }

    /// Commits the turns gathered so far and completes each.
    private mutating func commit(_ finish: (Int) -> Void) {
        guard !completions.isEmpty else { return }
        let result = Result { () throws(StorageError) in try store.commit(turns) }
        finish(completions.count)
        for completion in completions { completion(result) }
        turns.removeAll(keepingCapacity: true)
        completions.removeAll(keepingCapacity: true)
        byteCount = 0
    }
}
