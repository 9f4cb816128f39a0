internal import CLibrary
public import Storage
public import Store
internal import Threads

/// The store of a node, in SQLite.
public typealias NodeStore = DurableStore<SQLiteTables>

/// Runs the stores of a node's databases on one thread, in the order of submission.
///
/// Turns of one store that wait while another is being written share one transaction, up to 256 turns or 8 MB, and complete
/// together once it is committed. Each completion is called exactly once, on the storage thread: pass the
/// result on from there, for example through a loop's mailbox.
///
/// A full disk is not a failure: the thread tries again several times a second until there is room, and
/// everything submitted waits. After any other failed write, all later ones fail with the same error; reads
/// continue.
public final class StorageThread: Sendable {
    /// Receives a result on the storage thread.
    public typealias Completion<Value> = @Sendable (Result<Value, StorageError>) -> Void

    private static let retryMicroseconds: UInt32 = 300_000

    private let queue: JobQueue<Job>
    private let trouble: Monitor<(@Sendable (StorageError?) -> Void)?>
    private let thread: SystemThread
    private let storeCount = Monitor(1)

    /// Starts the thread and gives it the store.
    ///
    /// - Throws: if the system has no resources for another thread.
    public init(owning store: sending NodeStore) throws(StorageError) {
        let queue = JobQueue<Job>()
        let trouble = Monitor<(@Sendable (StorageError?) -> Void)?>(nil)
        StorageThread.prepare(&store, queue, trouble)
        var writer = Writer(store: store)
        let thread = SystemThread {
            writer.begin()
            while case let jobs = queue.removeAll(waiting: !writer.hasRemovals),
                !jobs.isEmpty || writer.hasRemovals
            {
                writer.run(jobs) { queue.finish($0) }
                writer.removeNextStore { queue.finish($0) }
            }
        }
        guard let thread else { throw .noThread }
        self.queue = queue
        self.trouble = trouble
        self.thread = thread
    }

    deinit {
        queue.close()
    }

    /// Has a store wait for room on the disk; all jobs wait behind it in order.
    private static func prepare(
        _ store: inout NodeStore, _ queue: JobQueue<Job>,
        _ trouble: Monitor<(@Sendable (StorageError?) -> Void)?>
    ) {
        store.tables.waitForRoom = { error in
            trouble.withLock { $0 }?(error)
            guard error != nil, !queue.isClosed else { return false }
            usleep(StorageThread.retryMicroseconds)
            return true
        }
    }

    /// Gives the thread another store, and returns its number for `commit` and `perform`.
    public func add(_ store: sending NodeStore) -> StoreNumber {
        StorageThread.prepare(&store, queue, trouble)
        let number = storeCount.withLock { count in
            defer { count += 1 }
            return StoreNumber(index: count)
        }
        _ = queue.add(.add(StoreHandover(store: store)))
        return number
    }

    /// Closes a store after everything submitted to it, then calls `completion`. Nothing may be submitted to it afterwards.
    ///
    /// It closes after everything that was submitted to other stores until then.
    public func remove(_ store: StoreNumber, completion: @escaping @Sendable () -> Void) {
        if !queue.add(.remove(store, completion)) { completion() }
    }

    /// Calls `body` on the storage thread with an error each time the disk is found full, and with nil when
    /// writing works again.
    public func watchTrouble(_ body: @escaping @Sendable (StorageError?) -> Void) {
        trouble.withLock { $0 = body }
    }

    /// The number of turns and jobs submitted and not completed, by which callers limit their input.
    public var backlog: Int { queue.unfinished }

    /// Commits turns of a store in one transaction after everything submitted before, then calls `completion`.
    public func commit(
        _ turns: [Turn], to store: StoreNumber = .first, completion: @escaping Completion<Void>
    ) {
        if !queue.add(.commit(turns, completion, store)) { completion(.failure(.closed)) }
    }

    /// Runs `job` on a store after everything submitted before, then calls `completion`.
    public func run<Value: Sendable>(
        on store: StoreNumber = .first,
        _ job: @escaping @Sendable (inout NodeStore) throws(StorageError) -> Value,
        completion: @escaping Completion<Value>
    ) {
        let isAdded = queue.add(
            .perform(
                { store in
                    do throws(StorageError) {
                        completion(.success(try job(&store)))
                    } catch {
                        completion(.failure(error))
                    }
                }, store))
        if !isAdded { completion(.failure(.closed)) }
    }

    /// Completes everything submitted, closes the databases and ends the thread; later submissions fail with
    /// `.closed`.
    ///
    /// Must not be called within a completion.
    public func close() {
        queue.close()
        thread.join()
    }
}

/// The number of a store on its storage thread.
public struct StoreNumber: Sendable {
    /// The store with which the thread began.
    public static let first = StoreNumber(index: 0)

    let index: Int
}

enum Job: Sendable {
    case add(StoreHandover)
    case commit([Turn], StorageThread.Completion<Void>, StoreNumber)
    case perform(@Sendable (inout NodeStore) -> Void, StoreNumber)
    case remove(StoreNumber, @Sendable () -> Void)
}

/// A store on its way to the storage thread. `@unchecked` because its sender has given it up.
struct StoreHandover: @unchecked Sendable {
    let store: NodeStore
}

extension StorageError {
    static let closed = StorageError(
        code: .closed, problem: "the database is closed: the node is stopping",
        fix: "send the request to another node")

    static let noThread = StorageError(
        code: .cannotOpen, problem: "cannot start the thread that writes the database",
        fix: "raise the limit with `ulimit -u`, or close what is not needed")
}
