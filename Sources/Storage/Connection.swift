internal import CSQLite

/// When a commit waits for the disk.
public enum Synchronization: String, Sendable {
    /// Every commit does: what is committed survives a power cut.
    case full
    /// None does: what is committed survives the end of the process, and a power cut once a commit
    /// that waits, or a checkpoint, has followed.
    case normal
    /// Nothing does: after a power cut the file may be damaged.
    case off
}

/// Is an open SQLite database, with a write-ahead log; it belongs to one thread at a time.
///
/// It closes when it and its last statement are released.
public final class Connection {
    /// Whether other processes may open the database too.
    public enum Locking: String, Sendable {
        case exclusive
        case shared = "normal"
    }

    package let path: String
    let handle: OpaquePointer

    /// Opens the database at `path`, or makes an empty one; `:memory:` is one without a file.
    ///
    /// - Throws: `.cannotOpen`, `.corrupt`; `.locked` when another process has it for itself, or
    ///   has it at all and `locking` is exclusive.
    public init(
        path: String, synchronization: Synchronization = .full, locking: Locking = .shared
    ) throws(StorageError) {
        self.path = path
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else {
            throw StorageError(SQLITE_NOMEM, message: "out of memory", path: path)
        }
        handle = opened
        guard result == SQLITE_OK else { throw lastError(result) }
        try execute(Self.setUp(synchronization, locking))
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// The lock must come before the log: an exclusive database keeps the log's index in memory,
    /// without a shared file. A checkpoint writes up to 4000 pages, some 16 MB, at a time.
    private static func setUp(_ synchronization: Synchronization, _ locking: Locking) -> String {
        """
        PRAGMA busy_timeout = 500;
        PRAGMA locking_mode = \(locking.rawValue);
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = \(synchronization.rawValue);
        PRAGMA wal_autocheckpoint = 4000;
        PRAGMA journal_size_limit = 67108864;
        PRAGMA cache_size = -8192;
        PRAGMA temp_store = MEMORY;
        """
    }

    /// Runs statements that take no values, and drops the rows they return.
    public func execute(_ statements: String) throws(StorageError) {
        try check(sqlite3_exec(handle, statements, nil, nil, nil))
    }

    /// Compiles one statement, to be run many times.
    public func prepare(_ statement: String) throws(StorageError) -> Statement {
        try Statement(statement, on: self)
    }

    /// Runs `body` as one change: all of it is committed, or nothing when it throws.
    public func transaction<Result>(
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // SQLite has rolled back by itself after some errors; then this has nothing to do.
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    /// Looks for damage in the whole file, as far as SQLite can tell without comparing indexes.
    ///
    /// - Throws: `.corrupt`, with the first thing found.
    /// - Complexity: reads the whole file.
    public func quickCheck() throws(StorageError) {
        let finding = try prepare("PRAGMA quick_check(1)").firstRow { $0.text(at: 0) }
        guard let finding, finding == "ok" else {
            throw StorageError(SQLITE_CORRUPT, message: finding ?? "no answer", path: path)
        }
    }

    func check(_ result: Int32) throws(StorageError) {
        guard result == SQLITE_OK else { throw lastError(result) }
    }

    func lastError(_ result: Int32) -> StorageError {
        StorageError(result, message: String(cString: sqlite3_errmsg(handle)), path: path)
    }
}
