internal import CSQLite

/// Is a node's database: its log of batches, the rows of its last checkpoint, and named properties.
///
/// One process has it at a time, and within that one thread: usually a `StorageThread`, once the
/// node has read what it starts from. It closes when it is released.
///
/// After a failed write it takes no more: every later one fails with the same error. Committing it
/// would leave a hole in the log, and what the system has lost it reports only once.
public final class LogFile {
    let connection: Connection
    let synchronization: Synchronization
    private var failure: StorageError?
    /// Called with the error when the disk is full: waits for a moment, and says whether to try again.
    /// Called with nil when it works again.
    var waitForRoom: ((StorageError?) -> Bool)?
    private let insertBatch: Statement
    private let setProperty: Statement
    private let removeProperty: Statement
    private let readProperty: Statement
    let readBatchesOfOrigin: Statement

    /// Opens the log file at `path`, or makes an empty one; `:memory:` is one without a file.
    ///
    /// - Throws: `.locked` when another node has it, `.wrongFormat` when it is not of this version
    ///   of Hearth, `.cannotOpen`, `.corrupt`, `.diskFull`.
    public init(path: String, synchronization: Synchronization = .full) throws(StorageError) {
        self.synchronization = synchronization
        connection = try Connection(
            path: path, synchronization: synchronization, locking: .exclusive)
        try Schema.prepare(connection)
        insertBatch = try connection.prepare("INSERT INTO batch VALUES (?1, ?2, ?3, ?4)")
        setProperty = try connection.prepare("INSERT OR REPLACE INTO property VALUES (?1, ?2)")
        removeProperty = try connection.prepare("DELETE FROM property WHERE name = ?1")
        readProperty = try connection.prepare("SELECT value FROM property WHERE name = ?1")
        readBatchesOfOrigin = try connection.prepare(
            """
            SELECT first, last, bytes FROM batch
            WHERE origin = ?1 AND last >= ?2 AND first >= coalesce(
                (SELECT max(first) FROM batch WHERE origin = ?1 AND first <= ?2), ?2)
            ORDER BY first
            """)
    }

    /// Writes what the write-ahead log holds to the database, syncs that, and empties the log; if that
    /// fails, so does every write after it.
    ///
    /// For what an earlier process has left there: where a sync has failed, the system may show what it
    /// never wrote, and not write it any more. And on a full disk, for the room that the log takes.
    func rewrite() {
        do throws(StorageError) {
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            // Without room it stays in the log, as it is read.
            if error.code != .diskFull { failure = error }
        }
    }

    /// Commits turns, in order, in one transaction: all of them or, when it throws, none.
    ///
    /// - Throws: `.diskFull`; `.failed` also for a batch that begins where one already does.
    public func append(_ turns: [Turn]) throws(StorageError) {
        try transaction { () throws(StorageError) in
            for turn in turns { try write(turn) }
        }
    }

    /// Runs `body` as one change; when the disk is full, again and again until there is room, or
    /// `waitForRoom` gives up. All that writes goes through here, so that a failure is the last word.
    func transaction(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        var hasWaited = false
        while true {
            if let failure { throw failure }
            do throws(StorageError) {
                try connection.transaction(body)
                if hasWaited { _ = waitForRoom?(nil) }
                return
            } catch {
                guard error.code == .diskFull, waitForRoom?(error) == true else {
                    failure = error
                    throw error
                }
                hasWaited = true
                rewrite()
            }
        }
    }

    /// Commits one turn.
    public func append(_ turn: Turn) throws(StorageError) {
        try append([turn])
    }

    /// Reads a property; nil when there is none of that name.
    public func property(_ name: String) throws(StorageError) -> [UInt8]? {
        readProperty.bind(name, at: 1)
        return try readProperty.firstRow { Array($0.bytes(at: 0)) }
    }

    /// Waits until all that was committed is on disk, also where commits do not wait for it.
    ///
    /// Writes the property `synchronized`, which is its own.
    public func synchronize() throws(StorageError) {
        // A commit that waits for the disk takes along the whole log before it.
        try connection.execute("PRAGMA synchronous = FULL")
        try append(Turn(properties: [StoredProperty("synchronized", [])]))
        try connection.execute("PRAGMA synchronous = \(synchronization.rawValue)")
    }

    /// Looks for damage in the whole file.
    ///
    /// - Throws: `.corrupt`, with the first thing found.
    /// - Complexity: reads the whole file.
    public func check() throws(StorageError) {
        try connection.quickCheck()
    }

    /// The error for something stored that is not what was written.
    public func damage(_ finding: String) -> StorageError {
        StorageError(SQLITE_CORRUPT, message: finding, path: connection.path)
    }

    private func write(_ turn: Turn) throws(StorageError) {
        for batch in turn.batches { try insert(batch) }
        for property in turn.properties { try store(property) }
        if turn.clearsOrphans { try connection.execute("DELETE FROM orphans") }
    }

    private func insert(_ batch: StoredBatch) throws(StorageError) {
        insertBatch.bind(Int64(bitPattern: batch.origin), at: 1)
        insertBatch.bind(Int64(batch.first), at: 2)
        insertBatch.bind(Int64(batch.last), at: 3)
        try insertBatch.run(binding: batch.bytes, at: 4)
    }

    func store(_ property: StoredProperty) throws(StorageError) {
        guard let value = property.value else {
            removeProperty.bind(property.name, at: 1)
            return try removeProperty.run()
        }
        setProperty.bind(property.name, at: 1)
        try setProperty.run(binding: value, at: 2)
    }
}
