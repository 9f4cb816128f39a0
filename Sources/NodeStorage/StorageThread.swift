internal import CLibrary
public import Storage
public import Store
internal import Threads

/// The store of a node, in SQLite.
public typealias NodeStore = DurableStore<SQLiteTables>

/// Runs a node's store on a thread of its own, in the order of submission.
///
/// Turns that wait while another is being written share one transaction, up to 256 turns or 8 MB, and complete
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

    /// Starts the thread and gives it the store.
    ///
    /// - Throws: if the system has no resources for another thread.
    public init(owning store: sending NodeStore) throws(StorageError) {
        let queue = JobQueue<Job>()
        let trouble = Monitor<(@Sendable (StorageError?) -> Void)?>(nil)
        store.tables.waitForRoom = { error in
            trouble.withLock { $0 }?(error)
            guard error != nil, !queue.isClosed else { return false }
            // All jobs wait behind this one in order, so the thread itself waits for room.
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

    /// Calls `body` on the storage thread with an error each time the disk is found full, and with nil when
    /// writing works again.
    public func watchTrouble(_ body: @escaping @Sendable (StorageError?) -> Void) {
        trouble.withLock { $0 = body }
    }

    /// The number of turns and jobs submitted and not completed, by which callers limit their input.
    public var backlog: Int { queue.unfinished }

    /// Commits turns in one transaction after everything submitted before, then calls `completion`.
    public func commit(_ turns: [Turn], completion: @escaping Completion<Void>) {
        if !queue.add(.commit(turns, completion)) { completion(.failure(.closed)) }
    }

    /// Runs `job` on the store after everything submitted before, then calls `completion`.
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

    /// Completes everything submitted, closes the database and ends the thread; later submissions fail with
    /// `.closed`.
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
