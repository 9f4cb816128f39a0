internal import Storage
internal import Store

/// Runs the storage thread's jobs on its stores.
struct Writer {
    /// The stores by their numbers, which are never used again.
    private var stores: [Int: StoreWriter]
    private var nextNumber = 1
    /// The stores with turns that are not committed, in the order of their first ones.
    private var uncommitted: [Int] = []
    /// The stores that are to be closed, one at a time: that takes several writes to the disk, and a commit has clients that wait.
    private var removals: [(store: Int, completion: @Sendable () -> Void)] = []

    init(store: NodeStore) { stores = [0: StoreWriter(store)] }

    /// Makes the existing content durable, before anything depends on it.
    mutating func begin() { stores[0]!.store.rewrite() }

    /// Runs `jobs` in order, and reports to `finish` how many are done.
    mutating func run(_ jobs: [Job], finish: (Int) -> Void) {
        for job in jobs {
            switch job {
            case .add(let handover):
                stores[nextNumber] = StoreWriter(handover.store)
                stores[nextNumber]!.store.rewrite()
                nextNumber += 1
                finish(1)
            case .remove(let store, let completion):
                removals.append((store.index, completion))
            case .commit(let turns, let completion, let store):
                if stores[store.index]!.isEmpty { uncommitted.append(store.index) }
                stores[store.index]!.add(turns, completion)
                if stores[store.index]!.isFull { commit(store.index, finish) }
            case .perform(let body, let store):
                commit(store.index, finish)
                body(&stores[store.index]!.store)
                finish(1)
            }
        }
        for index in uncommitted { stores[index]!.commit(finish) }
        uncommitted.removeAll(keepingCapacity: true)
    }

    var hasRemovals: Bool { !removals.isEmpty }

    /// Closes the first store that is to be closed, if there is one, and reports that to `finish`.
    mutating func removeNextStore(finish: (Int) -> Void) {
        guard hasRemovals else { return }
        let (store, completion) = removals.removeFirst()
        stores[store] = nil
        finish(1)
        completion()
    }

    private mutating func commit(_ index: Int, _ finish: (Int) -> Void) {
        guard stores[index]?.isEmpty == false else { return }
        uncommitted.removeAll { $0 == index }
        stores[index]!.commit(finish)
    }
}

/// Writes one store; consecutive commits share a transaction.
private struct StoreWriter {
    private static let groupLimit = 256
    private static let groupByteLimit = 8 << 20

    var store: NodeStore
    private var turns: [Turn] = []
    private var completions: [StorageThread.Completion<Void>] = []
    private var byteCount = 0

    init(_ store: NodeStore) { self.store = store }

    var isEmpty: Bool { completions.isEmpty }

    var isFull: Bool {
        turns.count >= Self.groupLimit || byteCount >= Self.groupByteLimit
    }

    mutating func add(
        _ added: [Turn], _ completion: @escaping StorageThread.Completion<Void>
    ) {
        turns += added
        completions.append(completion)
        byteCount += added.reduce(0) { $0 + $1.byteCount }
    }

    /// Commits the turns gathered so far and completes each.
    mutating func commit(_ finish: (Int) -> Void) {
        guard !isEmpty else { return }
        let result = Result { () throws(StorageError) in try store.commit(turns) }
        finish(completions.count)
        for completion in completions { completion(result) }
        turns.removeAll(keepingCapacity: true)
        completions.removeAll(keepingCapacity: true)
        byteCount = 0
    }
}
