internal import Glibc
internal import ReplicaCore
internal import Storage
internal import SyncProtocol

// What a journal does with checkpoints: in pieces, so that turns need not wait for long.

extension Journal {
    /// Begins to write a checkpoint.
    func write(_ checkpoint: Checkpoint) {
        submit()
        let writer = checkpointWriter
        perform { file throws(StorageError) in
            var writer = writer
            // What an earlier incarnation began and did not complete.
            try file.removeRows(after: writer.lastRow)
            writer.begin(checkpoint)
            return .wroteRows(writer)
        }
    }

    /// Writes the next slice of a checkpoint, or completes it.
    func writeRows(_ writer: CheckpointWriter) {
        perform { file throws(StorageError) in
            var writer = writer
            let rows = writer.nextRows()
            guard rows.isEmpty else {
                try file.insert(rows.map(StoredRow.init))
                return .wroteRows(writer)
            }
            let end = writer.finish()
            try file.completeCheckpoint(head: end.head, removing: end.removed)
            return .checkpointed(writer)
        }
    }

    /// Takes batches from the log, up to a thousand at a time.
    func truncate(_ vector: VersionVector) {
        perform { file throws(StorageError) in
            var rest = VersionVector()
            var byteCount = 0
            for (origin, sequence) in vector.entries {
                let removed = try file.removeBatches(of: origin.bits, through: sequence)
                byteCount += removed.byteCount
                if removed.count == 1_000 { rest[origin] = sequence }
            }
            return .truncated(byteCount: byteCount, rest: rest)
        }
    }
}

extension Journal {
    /// Writes a copy of the database to a new file in a folder.
    func backUp(to name: String, in folder: String, _ id: UInt64, for session: SessionID) {
        submit()
        perform { file in
            let path = "\(folder)/\(name).sqlite"
            mkdir(folder, 0o755)
            guard access(path, F_OK) != 0 else {
                let failure = BackupFailure(
                    problem: "\(path) exists already", fix: "choose another name")
                return .done(.backedUp(.failure(failure), id: id, for: session))
            }
            let result = Result { () throws(StorageError) in
                try file.backUp(to: path)
                return path
            }.mapError { BackupFailure(problem: $0.problem, fix: $0.fix) }
            return .done(.backedUp(result, id: id, for: session))
        }
    }
}

// MARK: - Between nodes

extension Journal {
    /// Reads rows for a peer, from the first on if it knows another checkpoint.
    func readRows(_ read: RowRead) {
        guard beginRead() else { return }
        perform { file throws(StorageError) in
            let bytes = try file.checkpointHead() ?? []
            guard let head = try? CheckpointHead(bytes) else {
                // There is none, or the replica finds it damaged.
                let none = CheckpointChunk(head: bytes, after: 0, rows: [], isLast: true)
                return .read(.foundRows(none, for: read))
            }
            let after = read.checkpoint == head.lastRow ? read.after : 0
            let rows = try file.rows(
                after: after, through: head.lastRow, byteLimit: read.byteLimit)
            let last = rows.last?.id ?? after
            let hasMore = try !file.rows(after: last, through: head.lastRow, byteLimit: 0).isEmpty
            let part = CheckpointChunk(
                head: bytes, after: after, rows: rows.map(CheckpointRow.init), isLast: !hasMore)
            return .read(.foundRows(part, for: read))
        }
    }

    /// Keeps rows of a peer's checkpoint.
    func receiveRows(_ rows: [CheckpointRow], areFirst: Bool) {
        perform { file throws(StorageError) in
            try file.receiveRows(rows.map(StoredRow.init), areFirst: areFirst)
            return .done(.rowsReceived)
        }
    }

    /// Keeps batches beside the log.
    func keepOrphans(_ origin: WriterID, after sequence: UInt64) {
        submit()
        perform { file throws(StorageError) in
            let end = try file.batches(
                of: origin.bits, from: sequence + 1, byteLimit: .max)
            try file.require(whole: end.map(LogEntry.init))
            return .done(.keepOrphans(try file.keepOrphans(origin.bits, after: sequence)))
        }
    }

    /// Makes the rows that are kept the node's own checkpoint, if they are whole.
    func install(head: [UInt8], keepsLog: Bool, holding held: VersionVector) {
        submit()
        perform { file throws(StorageError) in
            guard let checkpoint = try file.receivedCheckpoint(head: head) else {
                try file.dropReceivedRows()
                return .done(.installed(nil))
            }
            let vector = checkpoint.head.vector
            let (log, end) = keepsLog ? try file.log(beyond: vector) : ([], vector)
            guard end.covers(held) else { throw file.damage("batches are missing") }
            try file.installReceivedRows(head: head) { origin in
                let origin = WriterID(bits: origin)
                return vector[origin] + 1..<end[origin] + 1
            }
            // What is announced from now on has to be on the disk.
            try file.synchronize()
            return .installed(checkpoint, log: log)
        }
    }
}

extension LogFile {
    /// The checkpoint of the rows that are kept; nil if one is damaged or missing.
    fileprivate func receivedCheckpoint(head: [UInt8]) throws(StorageError) -> RestoredCheckpoint? {
        guard let head = try? CheckpointHead(head) else { return nil }
        var reader = CheckpointReader(head)
        var isWhole = true
        try forEachReceivedRow { id, bytes in
            guard isWhole else { return }
            do throws(FrameError) {
                reader.add(try DecodedRow(CheckpointRow(id: id, bytes: Array(bytes))))
            } catch {
                isWhole = false
            }
        }
        return isWhole ? try? reader.finish() : nil
    }

    /// The batches that go on where a checkpoint ends, and where they end; peers have what comes after a
    /// gap.
    fileprivate func log(
        beyond vector: VersionVector
    ) throws(StorageError) -> (batches: [[UInt8]], end: VersionVector) {
        var end = vector
        var batches: [LogEntry] = []
        try forEachBatch(inOrderOf: BatchCoding.wallMilliseconds(of:)) { bits, first, last, bytes in
            let origin = WriterID(bits: bits)
            guard first == end[origin] + 1 else { return }
            end[origin] = last
            batches.append(
                LogEntry(origin: origin, first: first, last: last, bytes: Array(bytes)))
        }
        try require(whole: batches)
        return (batches.map(\.bytes), end)
    }

    /// Fails if a batch is damaged, or another one than it is filed as: what this node alone had may be in it, and the next process sets the
    /// database aside.
    fileprivate func require(whole batches: [LogEntry]) throws(StorageError) {
        guard batches.allSatisfy(\.isWhole) else {
            throw damage("a batch is not what was written")
        }
    }
}

extension LogEntry {
    init(_ batch: StoredBatch) {
        self.init(
            origin: WriterID(bits: batch.origin), first: batch.first, last: batch.last,
            bytes: batch.bytes)
    }
}

extension StoredRow {
    fileprivate init(_ row: CheckpointRow) { self.init(id: row.id, bytes: row.bytes) }
}

extension CheckpointRow {
    fileprivate init(_ row: StoredRow) { self.init(id: row.id, bytes: row.bytes) }
}
