import Marks
import SyncProtocol

// How the checkpoint of a peer replaces this node's own.

extension DurableStore {
    /// Stores rows of a peer's checkpoint beside this node's own.
    mutating func receive(
        _ rows: [CheckpointRow], areFirst: Bool
    ) throws(Failure) -> StoreProgress {
        try change(.later) { tables throws(Failure) in
            if areFirst { try tables.removeAll(from: .received) }
            for row in rows { try tables.insert(StoredRow(row), into: .received) }
        }
        return .replied(.received)
    }

    /// Makes the received rows this node's checkpoint, and removes from the log what does not continue it;
    /// returns nil if rows are damaged or missing.
    ///
    /// - Throws: also if the result holds less than the replica does: operations that only this node had
    ///   may be lost.
    mutating func install(
        _ head: [UInt8], keepsLog: Bool, holding held: VersionVector
    ) throws(Failure) -> (RestoredCheckpoint, log: [[UInt8]])? {
        guard let checkpoint = try receivedCheckpoint(head) else {
            sometimes(.receivedCheckpointIsDamaged)
            try change(.later) { tables throws(Failure) in
                try tables.removeAll(from: .received)
            }
            return nil
        }
        let start = checkpoint.head.vector
        let (log, end) = keepsLog ? try log(beyond: start) : ([], start)
        guard end.covers(held) else { throw fail(.damage("batches of the log are missing")) }
        // The state that the node announces from this point must be on the disk.
        try change(.now) { tables throws(Failure) in
            try tables.replaceRows(of: .row, withThoseOf: .received)
            try tables.removeBatches(before: start, after: end)
            try tables.setProperty(headName, head)
        }
        writer = CheckpointWriter(after: checkpoint, limits: limits.checkpoint)
        vector = end
        logByteCount = log.reduce(0) { $0 + $1.count }
        return (checkpoint, log)
    }

    /// The checkpoint of the received rows; nil if one is damaged or missing.
    private mutating func receivedCheckpoint(
        _ head: [UInt8]
    ) throws(Failure) -> RestoredCheckpoint? {
        guard let head = try? CheckpointHead(head) else { return nil }
        let found = try checkpoint(head, in: .received, .serial)
        return try? found.get()
    }

    /// The batches that continue a checkpoint, and the vector at their end; after a gap, peers have the
    /// rest.
    private mutating func log(
        beyond start: VersionVector
    ) throws(Failure) -> (batches: [[UInt8]], end: VersionVector) {
        var end = start
        var batches: [LogEntry] = []
        var merge = try LogMerge(&tables, beyond: start, byteLimit: limits.logBytes)
        while let batch = try merge.next(in: &tables) {
            guard batch.first == end[batch.origin] + 1 else {
                sometimes(.logHasAGapAtInstallation)
                continue
            }
            end[batch.origin] = batch.last
            batches.append(batch)
        }
        try require(whole: batches)
        return (batches.map(\.bytes), end)
    }
}

extension Tables {
    /// Removes all batches except those between two vectors.
    fileprivate mutating func removeBatches(
        before start: VersionVector, after end: VersionVector
    ) throws(Failure) {
        for owner in try owners(in: .batch) {
            let origin = WriterID(bits: owner)
            _ = try remove(from: .batch, of: owner, 0...start[origin], limit: .max)
            _ = try remove(from: .batch, of: owner, (end[origin] + 1)...(.max), limit: .max)
        }
    }
}
