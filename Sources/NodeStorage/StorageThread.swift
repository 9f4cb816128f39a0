internal import CLibrary
public import Storage
public import Store
internal import Threads

/// Is what a node keeps, in SQLite.
public typealias NodeStore = DurableStore<SQLiteTables>

/// Runs a node's store on a thread of its own, in the order of what is submitted.
///
/// Turns that wait while another is being written share one transaction, up to 256 of them or 8 MB,
/// and complete together once it is committed. Every completion is called exactly once, on the
/// storage thread: hand the result over from there, as with a loop's mailbox.
///
/// A full disk is no failure: the thread tries again several times a second until there is room, and
/// everything waits behind. After any other failed write all later ones fail with the same error. Reads go on.
public final class StorageThread: Sendable {
    public typealias Completion<Value> = @Sendable (Result<Value, StorageError>) -> Void

    private static let retryMicroseconds: UInt32 = 300_000

    private let queue: JobQueue<Job>
    private let trouble: Monitor<(@Sendable (StorageError?) -> Void)?>
    private let thread: SystemThread

    /// Starts the thread; the caller gives the store up.
    ///
    /// - Throws: when the system has no room for another thread.
    public init(owning store: sending NodeStore) throws(StorageError) {
        let queue = JobQueue<Job>()
        let trouble = Monitor<(@Sendable (StorageError?) -> Void)?>(nil)
        store.tables.waitForRoom = { error in
            trouble.withLock { $0 }?(error)
            guard error != nil, !queue.isClosed else { return false }
            usleep(StorageThread.retryMicroseconds)
            return true
        }
        var writer = Writer(store: store)
        let thread = SystemThread {
            writer.begin()
            while case let jobs = queue.take(), !jobs.isEmpty {
                writer.run(jobs) { queue.finish($0) }
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

    /// Has `body` called on the storage thread with an error each time that the disk is found full, and
    /// with nil when it works again.
    public func watchTrouble(_ body: @escaping @Sendable (StorageError?) -> Void) {
        trouble.withLock { $0 = body }
    }

    /// The number of turns and jobs submitted and not yet completed: the measure to slow down by.
    public var backlog: Int { queue.unfinished }

    /// Commits turns after all submitted before them, in one transaction, then calls `completion`.
    public func commit(_ turns: [Turn], completion: @escaping Completion<Void>) {
        if !queue.add(.commit(turns, completion)) { completion(.failure(.closed)) }
    }

    /// Runs `job` on the store after all submitted before it, then calls `completion`.
    public func perform<Value: Sendable>(
        _ job: @escaping @Sendable (inout NodeStore) throws(StorageError) -> Value,
        completion: @escaping Completion<Value>
    ) {
        let isAdded = queue.add(
            .perform { store in
                do throws(StorageError) {
                    completion(.success(try job(&store)))
                } catch {
                    completion(.failure(error))
                }
            })
        if !isAdded { completion(.failure(.closed)) }
    }

    /// Completes all that was submitted, closes the database and ends the thread; what is submitted
    /// afterwards fails with `.closed`.
    ///
    /// Must not be called within a completion.
    public func close() {
        queue.close()
        thread.join()
    }
}

enum Job: Sendable {
    case commit([Turn], StorageThread.Completion<Void>)
    case perform(@Sendable (inout NodeStore) -> Void)
}

extension StorageError {
    static let closed = StorageError(
        code: .closed, problem: "the database is closed: the node is stopping",
        fix: "send the request to another node")

    static let noThread = StorageError(
        code: .cannotOpen, problem: "cannot start the thread that writes the database",
        fix: "raise the limit with `ulimit -u`, or close what is not needed")
}
