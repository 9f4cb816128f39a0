extension LogFile {
    /// Hands every batch of the log to `body`, those of each origin by sequence, and among origins the
    /// one whose `time` is the least; the bytes lie where SQLite holds them, and only for the call.
    ///
    /// - Complexity: reads the whole log; O(origins) for each batch.
    public func forEachBatch(
        inOrderOf time: (UnsafeRawBufferPointer) -> UInt64,
        _ body: (
            _ origin: UInt64, _ first: UInt64, _ last: UInt64, _ bytes: UnsafeRawBufferPointer
        ) -> Void
    ) throws(StorageError) {
        var cursors: [(rows: Statement, row: Row, time: UInt64)] = []
        for origin in try origins() {
            let rows = try connection.prepare(
                "SELECT origin, first, last, bytes FROM batch WHERE origin = ?1 ORDER BY first")
            rows.bind(origin, at: 1)
            guard let row = try rows.nextRow() else { continue }
            cursors.append((rows, row, time(row.bytes(at: 3))))
        }
        defer { for cursor in cursors { cursor.rows.reset() } }
        while let next = cursors.indices.min(by: { cursors[$0].time < cursors[$1].time }) {
            let row = cursors[next].row
            body(
                UInt64(bitPattern: row.integer(at: 0)), UInt64(bitPattern: row.integer(at: 1)),
                UInt64(bitPattern: row.integer(at: 2)), row.bytes(at: 3))
            if let row = try cursors[next].rows.nextRow() {
                cursors[next].row = row
                cursors[next].time = time(row.bytes(at: 3))
            } else {
                cursors.remove(at: next).rows.reset()
            }
        }
    }

    /// The origins of the log, one look for each.
    private func origins() throws(StorageError) -> [Int64] {
        let least = try connection.prepare("SELECT min(origin) FROM batch WHERE origin > ?1")
        let exact = try connection.prepare("SELECT 1 FROM batch WHERE origin = ?1")
        exact.bind(.min, at: 1)
        var origins: [Int64] = try exact.firstRow { _ in [.min] } ?? []
        var last = Int64.min
        while true {
            least.bind(last, at: 1)
            guard let origin = try least.firstRow({ $0.optionalInteger(at: 0) }) ?? nil
            else { return origins }
            origins.append(origin)
            last = origin
        }
    }

    /// Keeps the batches of `origin` that begin after `sequence` beside the log, whatever becomes of
    /// that; returns all that is kept so.
    public func keepOrphans(
        _ origin: UInt64, after sequence: UInt64
    ) throws(StorageError) -> [[UInt8]] {
        let copy = try connection.prepare(
            """
            INSERT OR IGNORE INTO orphans
            SELECT origin, first, bytes FROM batch WHERE origin = ?1 AND first > ?2
            """)
        copy.bind(Int64(bitPattern: origin), at: 1)
        copy.bind(Int64(clamping: sequence), at: 2)
        try transaction { () throws(StorageError) in try copy.run() }
        return try orphans()
    }

    /// The batches that are kept beside the log, by origin and then by sequence.
    public func orphans() throws(StorageError) -> [[UInt8]] {
        var kept: [[UInt8]] = []
        try connection.prepare("SELECT bytes FROM orphans ORDER BY origin, first").forEachRow {
            row in
            kept.append(Array(row.bytes(at: 0)))
            return true
        }
        return kept
    }

    /// Takes up to a thousand batches of `origin` away, those that end at or before `sequence`; returns
    /// how many, and how large they were.
    public func removeBatches(
        of origin: UInt64, through sequence: UInt64
    ) throws(StorageError) -> (count: Int, byteCount: Int) {
        let remove = try connection.prepare(
            """
            DELETE FROM batch WHERE origin = ?1 AND first IN (
                SELECT first FROM batch WHERE origin = ?1 AND last <= ?2 ORDER BY first LIMIT 1000)
            RETURNING length(bytes)
            """)
        remove.bind(Int64(bitPattern: origin), at: 1)
        remove.bind(Int64(clamping: sequence), at: 2)
        var removed = (count: 0, byteCount: 0)
        try transaction { () throws(StorageError) in
            removed = (0, 0)
            try remove.forEachRow { row in
                removed.count += 1
                removed.byteCount += Int(row.integer(at: 0))
                return true
            }
        }
        return removed
    }

    /// Reads the batches of `origin` in order, beginning with the one that contains `sequence` or,
    /// where none does, the next.
    ///
    /// Ends before `byteLimit` would be exceeded, but returns at least one batch if there is any.
    public func batches(
        of origin: UInt64, from sequence: UInt64, byteLimit: Int
    ) throws(StorageError) -> [StoredBatch] {
        readBatchesOfOrigin.bind(Int64(bitPattern: origin), at: 1)
        readBatchesOfOrigin.bind(Int64(clamping: sequence), at: 2)
        var batches: [StoredBatch] = []
        var bytesLeft = byteLimit
        try readBatchesOfOrigin.forEachRow { row in
            let bytes = row.bytes(at: 2)
            guard batches.isEmpty || bytes.count <= bytesLeft else { return false }
            bytesLeft -= bytes.count
            batches.append(
                StoredBatch(
                    origin: origin, first: UInt64(row.integer(at: 0)),
                    last: UInt64(row.integer(at: 1)), bytes: Array(bytes)))
            return true
        }
        return batches
    }
}
