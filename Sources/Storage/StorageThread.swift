internal import CSQLite
internal import Threads

/// Writes turns to a log file on a thread of its own, in the order they are submitted.
///
/// Turns that wait while another is being written share one transaction, up to 256 of them or 8 MB,
/// and complete together once it is committed. Every completion is called exactly once, on the
/// storage thread: hand the result over from there, as with a loop's mailbox.
///
/// A full disk is no failure: the thread tries again several times a second until there is room, and
/// everything waits behind. After any other failed write all later turns fail with the same error, as `LogFile` says. Reads go on.
public final class StorageThread: Sendable {
    public typealias Completion<Value> = @Sendable (Result<Value, StorageError>) -> Void

    private static let retryMilliseconds: Int32 = 300

    private let queue: JobQueue<Job>
    private let trouble: Monitor<(@Sendable (StorageError?) -> Void)?>
    private let thread: SystemThread

    /// Starts the thread; the caller gives the file up.
    ///
    /// - Throws: when the system has no room for another thread.
    public init(owning file: sending LogFile) throws(StorageError) {
        let queue = JobQueue<Job>()
        let trouble = Monitor<(@Sendable (StorageError?) -> Void)?>(nil)
        file.waitForRoom = { error in
            trouble.withLock { $0 }?(error)
            guard error != nil, !queue.isClosed else { return false }
            sqlite3_sleep(StorageThread.retryMilliseconds)
            return true
        }
        var writer = Writer(file: file)
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

    /// Commits `turn` after all submitted before it, then calls `completion`.
    public func submit(_ turn: Turn, completion: @escaping Completion<Void>) {
        if !queue.add(.append(turn, completion)) { completion(.failure(.closed)) }
    }

    /// Runs `job` on the file after all submitted before it, then calls `completion`.
    ///
    /// For reads while the node runs, for `LogFile.synchronize()` and for `LogFile.check()`.
    public func perform<Value: Sendable>(
        _ job: @escaping @Sendable (LogFile) throws(StorageError) -> Value,
        completion: @escaping Completion<Value>
    ) {
        let isAdded = queue.add(
            .perform { file in
                do throws(StorageError) {
                    completion(.success(try job(file)))
                } catch {
                    completion(.failure(error))
                }
            })
        if !isAdded { completion(.failure(.closed)) }
    }

    /// Completes all that was submitted, closes the file and ends the thread; what is submitted
    /// afterwards fails with `.closed`.
    ///
    /// Must not be called within a completion.
    public func close() {
        queue.close()
        thread.join()
    }
}

enum Job: Sendable {
    case append(Turn, StorageThread.Completion<Void>)
    case perform(@Sendable (LogFile) -> Void)
}
