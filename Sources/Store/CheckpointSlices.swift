import Marks
import SyncProtocol

// How a store writes a checkpoint: rows under IDs never used before, in slices between turns; then one
// transaction makes them valid.

/// The name under which the head of the checkpoint is stored.
let headName = "checkpoint"

extension DurableStore {
    /// Determines which rows a checkpoint needs, and removes the rows of an incomplete one by an earlier
    /// process.
    mutating func begin(_ checkpoint: Checkpoint) throws(Failure) -> StoreProgress {
        let last = writer.lastRow
        try change(.later) { tables throws(Failure) in
            _ = try tables.remove(from: .row, of: 0, (last + 1)...(.max), limit: .max)
        }
        writer.begin(checkpoint)
        return .unfinished(.continueCheckpoint)
    }

    /// Writes the next slice, or completes the checkpoint once all rows are written.
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

    /// Reads rows of the checkpoint for a peer; starts at the first row if the peer has those of another
    /// checkpoint.
    mutating func chunk(for read: RowRead) throws(Failure) -> CheckpointChunk {
        let bytes = try tables.property(headName) ?? []
        guard let head = try? CheckpointHead(bytes) else {
            sometimes(.checkpointIsReadBeforeThereIsOne)
            // There is no checkpoint, or the replica will find it damaged.
            return CheckpointChunk(head: bytes, after: 0, rows: [], isLast: true)
        }
        let after = read.checkpoint == head.lastRow ? read.after : 0
        let rows = try rows(after: after, through: head.lastRow, byteLimit: read.byteLimit)
        let hasMore = try !self.rows(
            after: rows.last?.number ?? after, through: head.lastRow, byteLimit: 0
        ).isEmpty
        if read.checkpoint != 0, read.checkpoint != head.lastRow {
            sometimes(.transferMeetsNewerCheckpoint)
        }
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
