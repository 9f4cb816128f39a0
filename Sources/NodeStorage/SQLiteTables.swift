public import Storage
public import Store

/// A node's database: the tables of its store in SQLite.
///
/// One process uses it at a time, and in that one thread: usually a `StorageThread`, after recovery.
/// It closes when it is released.
public final class SQLiteTables: Tables {
    /// SQLite's errors, and the store's findings about a database.
    public typealias Failure = StorageError

    let connection: Connection
    private let synchronization: Synchronization
    /// Called with the error when the disk is full: waits for a moment, and returns whether to try
    /// again. Called with nil when writing works again.
    var waitForRoom: ((StorageError?) -> Bool)?
    private let batches, rows, received, orphans: TableStatements
    private let readProperty: Statement
    private let writeProperty: Statement

    /// Opens the database at `path`, or creates an empty one; `:memory:` means one without a file.
    ///
    /// - Throws: `.locked` if another process uses it, `.wrongFormat` if it is not of this version of
    ///   Hearth, `.cannotOpen`, `.corrupt`, `.diskFull`.
    public init(
        path: String, synchronization: Synchronization = .full
    ) throws(StorageError) {
        self.synchronization = synchronization
        connection = try Connection(
            path: path, synchronization: synchronization, locking: .exclusive)
        try Schema.prepare(connection)
        batches = try TableStatements(of: .batch, on: connection)
        rows = try TableStatements(of: .row, on: connection)
        received = try TableStatements(of: .received, on: connection)
        orphans = try TableStatements(of: .orphan, on: connection)
        readProperty = try connection.prepare("SELECT value FROM property WHERE name = ?1")
        writeProperty = try connection.prepare("INSERT OR REPLACE INTO property VALUES (?1, ?2)")
    }

    /// Frees the cached content of the file: after a recovery, which has read all of it once.
    public func freeCache() { connection.freeCache() }

    /// Checks the whole file for damage.
    ///
    /// - Throws: `.corrupt`, with the first damage found.
    /// - Complexity: reads the whole file.
    public func check() throws(StorageError) { try connection.quickCheck() }

    /// The error for a finding, which names the database file.
    public func failure(_ finding: StoreFinding) -> StorageError {
        switch finding {
        case .damage(let problem):
            StorageError(.corrupt, message: problem, path: connection.path)
        case .contradiction(let problem):
            StorageError(.contradiction, message: problem, path: connection.path)
        }
    }
}

// MARK: - Transactions

extension SQLiteTables {
    /// Runs `body` as one change; `flush` decides whether it waits for the disk, and a full disk makes
    /// it wait.
    public func transaction(
        _ flush: Flush, _ body: (inout SQLiteTables) throws(StorageError) -> Void
    ) throws(StorageError) {
        let usual = synchronization.rawValue
        let needed =
            switch flush {
            case .later: synchronization == .off ? usual : "normal"
            case .asConfigured: usual
            case .now: "full"
            }
        guard needed != usual else { return try waitingTransaction(body) }
        try connection.execute("PRAGMA synchronous = \(needed)")
        try waitingTransaction(body)
        try connection.execute("PRAGMA synchronous = \(usual)")
    }

    /// Runs `body` as one change; while the disk is full, repeats it until there is room or
    /// `waitForRoom` gives up.
    private func waitingTransaction(
        _ body: (inout SQLiteTables) throws(StorageError) -> Void
    ) throws(StorageError) {
        var hasWaited = false
        while true {
            do throws(StorageError) {
                try connection.transaction { () throws(StorageError) in
                    var tables = self
                    try body(&tables)
                }
                if hasWaited { _ = waitForRoom?(nil) }
                return
            } catch {
                guard error.code == .diskFull, waitForRoom?(error) == true else { throw error }
                hasWaited = true
                // The write-ahead log occupies space too.
                try rewrite()
            }
        }
    }

    /// Copies the content of the write-ahead log to the database, syncs that, and empties the log.
    public func rewrite() throws(StorageError) {
        do throws(StorageError) {
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            // Without room the content stays in the write-ahead log, which SQLite reads too.
            if error.code != .diskFull { throw error }
        }
    }
}

// MARK: - Rows

extension SQLiteTables {
    private subscript(table: Table) -> TableStatements {
        switch table {
        case .batch: batches
        case .row: rows
        case .received: received
        case .orphan: orphans
        }
    }

    /// The owners of rows, in any order.
    public func owners(in table: Table) throws(StorageError) -> [UInt64] {
        try self[table].owners()
    }

    /// The rows of an owner with these numbers, ascending, up to the byte limit; at least one if there
    /// is any.
    public func rows(
        in table: Table, of owner: UInt64, _ numbers: ClosedRange<UInt64>, byteLimit: Int
    ) throws(StorageError) -> [StoredRow] {
        let select = self[table].select
        select.bind(owner, numbers)
        var rows: [StoredRow] = []
        var bytesLeft = byteLimit
        try select.forEachRow { row in
            let bytes = row.bytes(at: 2)
            guard rows.isEmpty || bytes.count <= bytesLeft else { return false }
            bytesLeft -= bytes.count
            rows.append(
                StoredRow(
                    owner: owner, number: UInt64(row.integer(at: 0)),
                    last: UInt64(row.integer(at: 1)), bytes: Array(bytes)))
            return true
        }
        return rows
    }

    /// The highest number of a row of an owner, up to some number.
    public func lastNumber(
        in table: Table, of owner: UInt64, through number: UInt64
    ) throws(StorageError) -> UInt64? {
        let last = self[table].last
        last.bind(owner, 0...number)
        let found = try last.firstRow { $0.optionalInteger(at: 0) } ?? nil
        return found.map(UInt64.init)
    }

    /// Adds a row; a row with the same key makes it fail.
    public func insert(_ row: StoredRow, into table: Table) throws(StorageError) {
        let insert = self[table].insert
        insert.bind(Int64(bitPattern: row.owner), at: 1)
        insert.bind(Int64(row.number), at: 2)
        insert.bind(Int64(row.last), at: 3)
        try insert.run(binding: row.bytes, at: 4)
    }

    /// Removes rows of an owner with these numbers, the lowest first, up to the limit.
    public func remove(
        from table: Table, of owner: UInt64, _ numbers: ClosedRange<UInt64>, limit: Int
    ) throws(StorageError) -> RemovedRows {
        let remove = self[table].remove
        remove.bind(owner, numbers)
        remove.bind(Int64(limit), at: 4)
        var removed = RemovedRows()
        try remove.forEachRow { row in
            removed.count += 1
            removed.byteCount += Int(row.integer(at: 0))
            return true
        }
        return removed
    }

    /// Replaces the rows of a table by those of another one, which is then empty.
    public func replaceRows(
        of table: Table, withThoseOf other: Table
    ) throws(StorageError) {
        let (name, otherName) = (TableStatements.name(of: table), TableStatements.name(of: other))
        try connection.execute(
            """
            DELETE FROM \(name);
            INSERT INTO \(name) SELECT * FROM \(otherName);
            DELETE FROM \(otherName);
            """)
    }

    /// The content under a name; nil if there is none.
    public func property(_ name: String) throws(StorageError) -> [UInt8]? {
        readProperty.bind(name, at: 1)
        return try readProperty.firstRow { Array($0.bytes(at: 0)) }
    }

    /// Replaces the content under a name.
    public func setProperty(_ name: String, _ bytes: [UInt8]) throws(StorageError) {
        writeProperty.bind(name, at: 1)
        try writeProperty.run(binding: bytes, at: 2)
    }
}

extension Statement {
    /// Binds an owner and a range of numbers, cut off at SQLite's maximum of 2⁶³ − 1.
    fileprivate func bind(_ owner: UInt64, _ numbers: ClosedRange<UInt64>) {
        bind(Int64(bitPattern: owner), at: 1)
        bind(Int64(clamping: numbers.lowerBound), at: 2)
        bind(Int64(clamping: numbers.upperBound), at: 3)
    }
}
