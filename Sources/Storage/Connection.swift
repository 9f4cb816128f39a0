internal import CSQLite

/// When a commit waits for the disk.
public enum Synchronization: String, Sendable {
    /// Every commit waits: its data survives a power failure.
    case full
    /// No commit waits: its data survives the end of the process, and a power failure after a later
    /// commit that waits, or a checkpoint.
    case normal
    /// Nothing waits: a power failure may damage the file.
    case off
}

/// An open SQLite database with a write-ahead log, for one thread at a time.
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

    /// Opens the database at `path`, or creates an empty one; `:memory:` means one without a file.
    ///
    /// - Throws: `.cannotOpen`, `.corrupt`; `.locked` if another process has it exclusively, or has
    ///   it at all and `locking` is exclusive.
    public init(
        path: String, synchronization: Synchronization = .full, locking: Locking = .shared
    ) throws(StorageError) {
        self.path = path
        if path != ":memory:" { createPrivateFile(path) }
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

    /// The lock must come before the log: an exclusive database keeps the log's index in memory
    /// instead of a shared file. A checkpoint writes up to 4000 pages, some 16 MB, at a time.
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

    /// Runs statements without parameters, and ignores their rows.
    public func execute(_ statements: String) throws(StorageError) {
        try check(sqlite3_exec(handle, statements, nil, nil, nil))
    }

    /// Frees the cached pages of the file, as far as no transaction needs them.
    public func freeCache() { sqlite3_db_release_memory(handle) }

    /// Compiles one statement, which can then run many times.
    public func prepare(_ statement: String) throws(StorageError) -> Statement {
        try Statement(statement, on: self)
    }

    /// Runs `body` as one change: all of it is committed or, when it throws, nothing.
    public func transaction<Result>(
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // After some errors SQLite has already rolled back; then this has no effect.
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    /// Checks the whole file for damage, as far as SQLite can without comparing indexes.
    ///
    /// - Throws: `.corrupt`, with the first damage found.
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
        StorageError(
            result, system: sqlite3_system_errno(handle),
            message: String(cString: sqlite3_errmsg(handle)), path: path)
    }
}
