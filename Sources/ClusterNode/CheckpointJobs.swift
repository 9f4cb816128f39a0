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
        perform { _ in
            var writer = writer
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
    func truncate(_ vector: Vector) {
        perform { file throws(StorageError) in
            var rest = Vector()
            for (origin, sequence) in vector.entries {
                let count = try file.removeBatches(of: origin.bits, through: sequence)
                if count == 1_000 { rest[origin] = sequence }
            }
            return .truncated(rest: rest)
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
            let result: Result<String, BackupFlaw>
            if access(path, F_OK) == 0 {
                result = .failure(
                    BackupFlaw(problem: "\(path) exists already", fix: "choose another name"))
            } else {
                result = Result { () throws(StorageError) in
                    try file.backUp(to: path)
                    return path
                }.mapError { BackupFlaw(problem: $0.problem, fix: $0.fix) }
            }
            return .backedUp(result, id: id, for: session)
        }
    }
}

// MARK: - Between nodes

extension Journal {
    /// Reads rows for a peer, from the first on if it knows another checkpoint.
    func readRows(_ read: RowRead) {
        perform { file throws(StorageError) in
            guard let bytes = try file.checkpointHead(), let head = try? CheckpointHead(bytes)
            else {
                let none = CheckpointPart(head: [], after: 0, rows: [], isLast: true)
                return .foundRows(none, for: read)
            }
            let after = read.checkpoint == head.lastRow ? read.after : 0
            let rows = try file.rows(
                after: after, through: head.lastRow, byteLimit: read.byteLimit)
            let last = rows.last?.id ?? after
            let hasMore = try !file.rows(after: last, through: head.lastRow, byteLimit: 0).isEmpty
            let part = CheckpointPart(
                head: bytes, after: after, rows: rows.map(CheckpointRow.init), isLast: !hasMore)
            return .foundRows(part, for: read)
        }
    }

    /// Keeps rows of a peer's checkpoint.
    func stage(_ rows: [CheckpointRow], areFirst: Bool) {
        perform { file throws(StorageError) in
            try file.stage(rows.map(StoredRow.init), areFirst: areFirst)
            return .staged
        }
    }

    /// Keeps batches beside the log.
    func setAside(_ origin: WriterID, after sequence: UInt64) {
        submit()
        perform { file throws(StorageError) in
            .setAside(try file.setAside(origin.bits, after: sequence))
        }
    }

    /// Makes the rows that are kept the node's own checkpoint, if they are whole.
    func adopt(head: [UInt8], keepsLog: Bool) {
        submit()
        perform { file throws(StorageError) in
            guard let checkpoint = try file.stagedCheckpoint(head: head) else {
                try file.dropStagedRows()
                return .adopted(nil)
            }
            try file.adoptStagedRows(head: head, keepsLog: keepsLog)
            let log = try file.takeLog(beyond: checkpoint.head.vector)
            // What is announced from now on has to be on the disk.
            try file.synchronize()
            return .adopted((checkpoint, log: log))
        }
    }
}

extension LogFile {
    /// The checkpoint of the rows that are kept; nil if one is damaged or missing.
    fileprivate func stagedCheckpoint(head: [UInt8]) throws(StorageError) -> RestoredCheckpoint? {
        guard let head = try? CheckpointHead(head) else { return nil }
        var reader = CheckpointReader(head)
        var isWhole = true
        try forEachStagedRow { _, bytes in
            guard isWhole else { return }
            do throws(FrameError) { try reader.add(bytes) } catch { isWhole = false }
        }
        return isWhole ? try? reader.finish() : nil
    }

    /// The batches that go on where a checkpoint ends; takes away those after a gap, which peers have.
    fileprivate func takeLog(beyond vector: Vector) throws(StorageError) -> [[UInt8]] {
        var held = vector
        var log: [[UInt8]] = []
        var gaps: [(origin: UInt64, from: UInt64)] = []
        try forEachBatch { bits, first, last, bytes in
            let origin = WriterID(bits: bits)
            guard last > held[origin] else { return }
            guard first == held[origin] + 1 else { return gaps.append((bits, first)) }
            held[origin] = last
            log.append(Array(bytes))
        }
        for gap in gaps { try removeBatches(of: gap.origin, from: gap.from) }
        return log
    }
}

extension StoredRow {
    fileprivate init(_ row: CheckpointRow) { self.init(id: row.id, bytes: row.bytes) }
}

extension CheckpointRow {
    fileprivate init(_ row: StoredRow) { self.init(id: row.id, bytes: row.bytes) }
}
