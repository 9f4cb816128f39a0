import Marks
import SyncProtocol

// The log of a store: it reads batches for peers, truncates the log, and keeps the batches that an eviction
// orphaned.

extension DurableStore {
    /// The batches that a peer requested, up to the first damaged one.
    mutating func batches(for read: LogRead) throws(Failure) -> [[UInt8]] {
        let rows = try log(of: read.origin, from: read.from, byteLimit: read.byteLimit)
        return rows.prefix { $0.number <= read.through }.map(LogEntry.init)
            .prefix(while: \.isIntact).map(\.bytes)
    }

    /// The batches of an origin, beginning with the one that holds `sequence` or, if none does, the next.
    private mutating func log(
        of origin: WriterID, from sequence: UInt64, byteLimit: Int
    ) throws(Failure) -> [StoredRow] {
        let start = try tables.lastNumber(in: .batch, of: origin.bits, through: sequence)
        let rows = try tables.rows(
            in: .batch, of: origin.bits, (start ?? sequence)...(.max), byteLimit: byteLimit)
        guard let first = rows.first, first.last < sequence else { return rows }
        return try tables.rows(
            in: .batch, of: origin.bits, sequence...(.max), byteLimit: byteLimit)
    }

    /// The part of the log that a client asks for: of damaged batches, nothing.
    mutating func log(for search: LogSearch) throws(Failure) -> StoreReply {
        var merge = try LogMerge(
            &tables, beyond: search.held, byteLimit: min(limits.logBytes, search.byteLimit))
        var batches: [[UInt8]] = []
        var byteCount = 0
        while let entry = try merge.next(in: &tables) {
            byteCount += entry.bytes.count
            if !batches.isEmpty, byteCount > search.byteLimit {
                return .log(batches, isLast: false, for: search)
            }
            if entry.isIntact { batches.append(entry.bytes) }
        }
        return .log(batches, isLast: true, for: search)
    }

    /// Removes each origin's batches up to a sequence.
    mutating func truncate(_ bound: VersionVector) throws(Failure) -> StoreProgress {
        var rest = VersionVector()
        var byteCount = 0
        let limit = limits.truncatedBatches
        for (origin, sequence) in bound.entries {
            guard let last = try lastBatch(of: origin, endingBy: sequence) else { continue }
            var removed = RemovedRows()
            try change(.asConfigured) { tables throws(Failure) in
                removed = try tables.remove(
                    from: .batch, of: origin.bits, 0...last, limit: limit)
            }
            byteCount += removed.byteCount
            if removed.count == limit {
                sometimes(.truncationGoesOnInPieces)
                rest[origin] = sequence
            }
        }
        logByteCount -= byteCount
        return rest.entries.isEmpty ? .done : .unfinished(.truncate(rest))
    }

    /// Returns the start of the last batch of an origin that ends at or before `sequence`.
    private mutating func lastBatch(
        of origin: WriterID, endingBy sequence: UInt64
    ) throws(Failure) -> UInt64? {
        guard
            let number = try tables.lastNumber(in: .batch, of: origin.bits, through: sequence),
            let row = try tables.rows(
                in: .batch, of: origin.bits, number...number, byteLimit: 0
            ).first
        else { return nil }
        if row.last <= sequence { return number }
        sometimes(.truncationEndsWithinABatch)
        return number == 0
            ? nil : try tables.lastNumber(in: .batch, of: origin.bits, through: number - 1)
    }

    /// Keeps batches as orphans, beside the log and independent of it; returns all orphans.
    ///
    /// - Throws: also if one is damaged or missing: it may hold operations that only this node had.
    mutating func keepOrphans(
        of origin: WriterID, after sequence: UInt64, through end: UInt64
    ) throws(Failure) -> [[UInt8]] {
        let rows = try tables.rows(
            in: .batch, of: origin.bits, (sequence + 1)...(.max), byteLimit: .max)
        try require(rows, of: origin, after: sequence, through: end)
        try require(whole: rows.map(LogEntry.init))
        try change(.asConfigured) { tables throws(Failure) in
            for row in rows {
                let last = try tables.lastNumber(
                    in: .orphan, of: row.owner, through: row.number)
                if last != row.number { try tables.insert(row, into: .orphan) }
            }
        }
        if !rows.isEmpty { sometimes(.orphansAreKept) }
        return try orphans()
    }

    /// Throws if batches are missing: the log begins where the checkpoint ends, or before.
    private mutating func require(
        _ rows: [StoredRow], of origin: WriterID, after sequence: UInt64, through end: UInt64
    ) throws(Failure) {
        let head = try tables.property(headName).flatMap { try? CheckpointHead($0) }
        let begin = max(sequence, head?.vector[origin] ?? 0)
        var held = rows.first.map { min(begin, $0.number - 1) } ?? begin
        for row in rows where row.number == held + 1 { held = row.last }
        guard held >= end else {
            throw fail(.damage("the log of \(origin) goes to \(held), and held was \(end)"))
        }
    }

    /// The orphaned batches, by origin and then by sequence.
    mutating func orphans() throws(Failure) -> [[UInt8]] {
        var orphans: [[UInt8]] = []
        for owner in try tables.owners(in: .orphan).sorted() {
            orphans += try tables.rows(
                in: .orphan, of: owner, 0...(.max), byteLimit: .max
            ).map(\.bytes)
        }
        return orphans
    }

    /// Throws if a batch is damaged, or not the one that it is filed as: the next process sets the database
    /// aside.
    mutating func require(whole batches: [LogEntry]) throws(Failure) {
        for batch in batches where !batch.isIntact {
            throw fail(
                .damage("the batch of \(batch.origin) from \(batch.first) on is damaged"))
        }
    }
}

/// Reads a log from some sequences on: each origin's batches by sequence, and among origins the batch that
/// was accepted first, which is about the order of stamps.
struct LogMerge {
    private struct Cursor {
        let origin: WriterID
        /// Rows already read, the next one last.
        var rows: [StoredRow]
        var time: UInt64
    }

    private var cursors: [Cursor] = []
    /// How many bytes of an origin are read at once.
    private let byteLimit: Int

    /// Begins after the operations in `vector`.
    init<Rows: Tables>(
        _ tables: inout Rows, beyond vector: VersionVector, byteLimit: Int
    ) throws(Rows.Failure) {
        self.byteLimit = byteLimit
        for owner in try tables.owners(in: .batch).sorted() {
            let origin = WriterID(bits: owner)
            try addCursor(of: origin, from: vector[origin] + 1, in: &tables, at: cursors.count)
        }
    }

    /// Returns the next batch; nil after the last one.
    ///
    /// - Complexity: O(origins).
    mutating func next<Rows: Tables>(in tables: inout Rows) throws(Rows.Failure) -> LogEntry? {
        guard let index = cursors.indices.min(by: { cursors[$0].time < cursors[$1].time }),
            let row = cursors[index].rows.popLast()
        else { return nil }
        if let time = cursors[index].rows.last?.acceptedMilliseconds {
            cursors[index].time = time
        } else {
            let cursor = cursors.remove(at: index)
            try addCursor(of: cursor.origin, from: row.number + 1, in: &tables, at: index)
        }
        return LogEntry(row)
    }

    private mutating func addCursor<Rows: Tables>(
        of origin: WriterID, from sequence: UInt64, in tables: inout Rows, at index: Int
    ) throws(Rows.Failure) {
        let rows = try tables.rows(
            in: .batch, of: origin.bits, sequence...(.max), byteLimit: byteLimit)
        guard let first = rows.first else { return }
        cursors.insert(
            Cursor(origin: origin, rows: rows.reversed(), time: first.acceptedMilliseconds),
            at: index)
    }
}

extension StoredRow {
    fileprivate var acceptedMilliseconds: UInt64 {
        bytes.withUnsafeBytes { BatchCoding.wallMilliseconds(of: $0) }
    }
}
