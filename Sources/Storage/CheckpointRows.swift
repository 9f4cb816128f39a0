/// Is a piece of a checkpoint, under a number that is never used for other bytes.
public struct StoredRow: Equatable, Sendable {
    public let id: UInt64
    public let bytes: [UInt8]

    public init(id: UInt64, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }
}

// The rows of checkpoints, beside the log.

extension LogFile {
    private static let headName = "checkpoint"

    /// What the last checkpoint says of itself; nil before the first one.
    public func checkpointHead() throws(StorageError) -> [UInt8]? {
        try property(Self.headName)
    }

    /// Hands every row up to the last valid one to `body`, by ID; the bytes lie where SQLite holds them,
    /// and only for the call.
    public func forEachRow(
        through last: UInt64, _ body: (_ id: UInt64, _ bytes: UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        try forEachRow(of: "row", through: last, body)
    }

    private func forEachRow(
        of table: String, through last: UInt64,
        _ body: (_ id: UInt64, _ bytes: UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        let select = try connection.prepare(
            "SELECT id, bytes FROM \(table) WHERE id <= ?1 ORDER BY id")
        select.bind(Int64(clamping: last), at: 1)
        try select.forEachRow { row in
            body(UInt64(row.integer(at: 0)), row.bytes(at: 1))
            return true
        }
    }

    /// The rows with IDs after `first` and up to `last`, as many as the limit allows, but at least one
    /// if there is any.
    public func rows(
        after first: UInt64, through last: UInt64, byteLimit: Int
    ) throws(StorageError) -> [StoredRow] {
        let select = try connection.prepare(
            "SELECT id, bytes FROM row WHERE id > ?1 AND id <= ?2 ORDER BY id")
        select.bind(Int64(clamping: first), at: 1)
        select.bind(Int64(clamping: last), at: 2)
        var rows: [StoredRow] = []
        var bytesLeft = byteLimit
        try select.forEachRow { row in
            let bytes = row.bytes(at: 1)
            guard rows.isEmpty || bytes.count <= bytesLeft else { return false }
            bytesLeft -= bytes.count
            rows.append(StoredRow(id: UInt64(row.integer(at: 0)), bytes: Array(bytes)))
            return true
        }
        return rows
    }

    /// Adds rows, which are not valid yet; the commit does not wait for the disk.
    ///
    /// - Throws: `.diskFull`; `.failed` also for an ID that is taken.
    public func insert(_ rows: [StoredRow]) throws(StorageError) {
        try insert(rows, into: "row")
    }

    private func insert(
        _ rows: [StoredRow], into table: String, clearing: Bool = false
    ) throws(StorageError) {
        try connection.execute("PRAGMA synchronous = NORMAL")
        let insert = try connection.prepare("INSERT INTO \(table) VALUES (?1, ?2)")
        try transaction { () throws(StorageError) in
            if clearing { try connection.execute("DELETE FROM \(table)") }
            for row in rows {
                insert.bind(Int64(clamping: row.id), at: 1)
                try insert.run(binding: row.bytes, at: 2)
            }
        }
        try connection.execute("PRAGMA synchronous = \(synchronization.rawValue)")
    }

    /// Makes the rows that were inserted valid, and takes others away, in one transaction that takes
    /// everything before it to the disk.
    public func completeCheckpoint(
        head: [UInt8], removing removed: [UInt64]
    ) throws(StorageError) {
        let remove = try connection.prepare("DELETE FROM row WHERE id = ?1")
        try transaction { () throws(StorageError) in
            for id in removed {
                remove.bind(Int64(clamping: id), at: 1)
                try remove.run()
            }
            try store(StoredProperty(Self.headName, head))
        }
    }

    /// Takes away the rows of a checkpoint that was never completed: those after the last valid one.
    public func removeRows(after last: UInt64) throws(StorageError) {
        let remove = try connection.prepare("DELETE FROM row WHERE id > ?1")
        remove.bind(Int64(clamping: last), at: 1)
        try transaction { () throws(StorageError) in try remove.run() }
    }
}

// Rows of another node's checkpoint, until all are there.

extension LogFile {
    /// Keeps rows, in place of all that were kept before if they are the first.
    public func receiveRows(_ rows: [StoredRow], areFirst: Bool) throws(StorageError) {
        try insert(rows, into: "received", clearing: areFirst)
    }

    /// Hands every row that is kept to `body`, by ID.
    public func forEachReceivedRow(
        _ body: (_ id: UInt64, _ bytes: UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        try forEachRow(of: "received", through: .max, body)
    }

    /// Drops the rows that are kept.
    public func dropReceivedRows() throws(StorageError) {
        try transaction { () throws(StorageError) in try connection.execute("DELETE FROM received")
        }
    }

    /// Makes the rows that are kept the node's checkpoint, and takes all batches from the log but those of
    /// some sequences of each origin, in one transaction.
    public func installReceivedRows(
        head: [UInt8], keepingBatches kept: (_ origin: UInt64) -> Range<UInt64>
    ) throws(StorageError) {
        var origins: [UInt64] = []
        try connection.prepare("SELECT DISTINCT origin FROM batch").forEachRow { row in
            origins.append(UInt64(bitPattern: row.integer(at: 0)))
            return true
        }
        let remove = try connection.prepare(
            "DELETE FROM batch WHERE origin = ?1 AND (first < ?2 OR last >= ?3)")
        try transaction { () throws(StorageError) in
            try connection.execute(
                """
                DELETE FROM row;
                INSERT INTO row SELECT id, bytes FROM received;
                DELETE FROM received;
                """)
            for origin in origins {
                remove.bind(Int64(bitPattern: origin), at: 1)
                remove.bind(Int64(clamping: kept(origin).lowerBound), at: 2)
                remove.bind(Int64(clamping: kept(origin).upperBound), at: 3)
                try remove.run()
            }
            try store(StoredProperty(Self.headName, head))
        }
    }
}
