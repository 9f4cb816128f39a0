import SyncProtocol

// How a store writes a checkpoint: row after row under numbers never used before, in slices between turns;
// one transaction then makes them valid.

/// The name under which the head of the checkpoint is kept.
let headName = "checkpoint"

extension DurableStore {
    /// Finds out which rows a checkpoint needs, and removes what an earlier process began and did not complete.
    mutating func begin(_ checkpoint: Checkpoint) throws(Failure) -> StoreProgress {
        let last = writer.lastRow
        try change(.later) { tables throws(Failure) in
            _ = try tables.remove(from: .row, of: 0, (last + 1)...(.max), limit: .max)
        }
        writer.begin(checkpoint)
        return .unfinished(.continueCheckpoint)
    }

    /// Writes the next slice, or makes the rows a checkpoint once all are there.
    mutating func continueCheckpoint() throws(Failure) -> StoreProgress {
        let rows = writer.nextRows()
        guard rows.isEmpty else {
            try change(.later) { tables throws(Failure) in
                for row in rows { try tables.insert(StoredRow(row), into: .row) }
            }
            return .unfinished(.continueCheckpoint)
        }
        let end = writer.finish()
        try change(.now) { tables throws(Failure) in
            for id in end.removed {
                _ = try tables.remove(from: .row, of: 0, id...id, limit: 1)
            }
            try tables.setProperty(headName, end.head)
        }
        return .replied(.checkpointed)
    }

    /// Rows of the checkpoint for a peer, from the first on if it knows another one.
    mutating func chunk(for read: RowRead) throws(Failure) -> CheckpointChunk {
        let bytes = try tables.property(headName) ?? []
        guard let head = try? CheckpointHead(bytes) else {
            // There is none, or the replica finds it damaged.
            return CheckpointChunk(head: bytes, after: 0, rows: [], isLast: true)
        }
        let after = read.checkpoint == head.lastRow ? read.after : 0
        let rows = try rows(after: after, through: head.lastRow, byteLimit: read.byteLimit)
        let hasMore = try !self.rows(
            after: rows.last?.number ?? after, through: head.lastRow, byteLimit: 0
        ).isEmpty
        return CheckpointChunk(
            head: bytes, after: after, rows: rows.map(CheckpointRow.init), isLast: !hasMore)
    }

    private mutating func rows(
        after first: UInt64, through last: UInt64, byteLimit: Int
    ) throws(Failure) -> [StoredRow] {
        guard first < last else { return [] }
        return try tables.rows(in: .row, of: 0, (first + 1)...last, byteLimit: byteLimit)
    }
}
