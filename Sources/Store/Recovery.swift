import Marks
public import SyncProtocol

/// The state with which a replica starts; it then replays the log.
public struct RecoveredState: Sendable {
    /// The last complete checkpoint; nil if there is none.
    public let checkpoint: RestoredCheckpoint?
    /// The named facts of earlier incarnations.
    public let properties: [Property]
    /// Orphaned batches.
    public let orphans: [[UInt8]]
}

/// Decodes what a recovery reads, many rows and batches at once: most of its work.
public struct Decoding: Sendable {
    /// The results in the order of the encoded values.
    public typealias Decoded<Value> = [Result<Value, FrameError>]

    let rows: @Sendable ([CheckpointRow]) -> Decoded<DecodedRow>
    let batches: @Sendable ([LogEntry], VersionVector) -> Decoded<DecodedBatch>

    /// Decoding by these functions, which preserve the order.
    public init(
        rows: @escaping @Sendable ([CheckpointRow]) -> Decoded<DecodedRow>,
        batches: @escaping @Sendable ([LogEntry], VersionVector) -> Decoded<DecodedBatch>
    ) {
        self.rows = rows
        self.batches = batches
    }

    /// Decoding one after the other.
    public static let serial = Decoding(
        rows: { rows in
            rows.map { row in Result { () throws(FrameError) in try DecodedRow(row) } }
        },
        batches: { batches, vector in
            batches.map { batch in
                Result { () throws(FrameError) in try DecodedBatch(batch, coveredBy: vector) }
            }
        })
}

extension DurableStore {
    /// Reads everything stored, once, before any other call: `begin` makes a replica of the checkpoint, and
    /// `replay` gives it the batches of the log, in about the order in which they were accepted. It writes
    /// nothing.
    ///
    /// - Throws: also if damage or a missing row is detected.
    /// - Complexity: O(checkpoint + log).
    public mutating func recover<Replica>(
        decoding: Decoding = .serial, begin: (RecoveredState) -> Replica,
        replay: (inout Replica, DecodedBatch) -> Void
    ) throws(Failure) -> Replica {
        let checkpoint = try ownCheckpoint(decoding)
        if let checkpoint {
            writer = CheckpointWriter(after: checkpoint, limits: limits.checkpoint)
            vector = checkpoint.head.vector
        }
        var replica = begin(
            RecoveredState(
                checkpoint: checkpoint, properties: try properties(), orphans: try orphans()))
        try replayLog(decoding) { replay(&replica, $0) }
        return replica
    }

    private mutating func properties() throws(Failure) -> [Property] {
        var properties: [Property] = []
        for name in Property.Name.allCases {
            guard let bytes = try tables.property(name.rawValue) else { continue }
            properties.append(Property(name, bytes: bytes))
        }
        return properties
    }

    /// Reads the last complete checkpoint, if there is one.
    private mutating func ownCheckpoint(
        _ decoding: Decoding
    ) throws(Failure) -> RestoredCheckpoint? {
        guard let bytes = try tables.property(headName) else { return nil }
        let head = try Result { () throws(FrameError) in try CheckpointHead(bytes) }
            .get(or: &self)
        return try checkpoint(head, in: .row, decoding).get(or: &self)
    }

    /// The checkpoint in the rows of a table; throws if one is damaged or missing.
    mutating func checkpoint(
        _ head: CheckpointHead, in table: Table, _ decoding: Decoding
    ) throws(Failure) -> Result<RestoredCheckpoint, FrameError> {
        var reader = CheckpointReader(head)
        var next: UInt64 = 0
        while next <= head.lastRow {
            let rows = try tables.rows(
                in: table, of: 0, next...head.lastRow, byteLimit: limits.decodedBytes)
            guard let last = rows.last else { break }
            for decoded in decoding.rows(rows.map(CheckpointRow.init)) {
                switch decoded {
                case .success(let row): reader.add(row)
                case .failure(let error): return .failure(error)
                }
            }
            next = last.number + 1
        }
        return Result { () throws(FrameError) in try reader.finish() }
    }

    private mutating func replayLog(
        _ decoding: Decoding, _ replay: (DecodedBatch) -> Void
    ) throws(Failure) {
        var replayed = LogReplay(beyond: vector)
        var merge = try LogMerge(&tables, beyond: VersionVector(), byteLimit: limits.logBytes)
        var piece: [LogEntry] = []
        var byteCount = 0
        while let batch = try merge.next(in: &tables) {
            piece.append(batch)
            byteCount += batch.bytes.count
            guard byteCount >= limits.decodedBytes else { continue }
            sometimes(.recoveryReadsTheLogInPieces)
            if let finding = replayed.decode(piece, decoding, replay) { throw fail(finding) }
            logByteCount += byteCount
            (piece, byteCount) = ([], 0)
        }
        logByteCount += byteCount
        if let finding = replayed.decode(piece, decoding, replay) ?? replayed.missingEnd {
            throw fail(finding)
        }
        vector = replayed.vector
    }
}

/// Verifies a log: each batch continues its origin, and all batches are there that others depend on.
private struct LogReplay {
    /// The operations in the checkpoint.
    let covered: VersionVector
    /// The operations in the checkpoint and the batches so far.
    var vector: VersionVector
    /// The ends of the batches so far.
    private var ends = VersionVector()
    /// The dependencies of the batches so far.
    private var needed = VersionVector()

    init(beyond covered: VersionVector) {
        self.covered = covered
        vector = covered
    }

    /// Decodes batches and passes them on; returns the first problem found.
    mutating func decode(
        _ batches: [LogEntry], _ decoding: Decoding, _ replay: (DecodedBatch) -> Void
    ) -> StoreFinding? {
        for decoded in decoding.batches(batches, covered) {
            switch decoded {
            case .failure(let error):
                sometimes(.recoveryMeetsDamagedBatch)
                return .damage(error.problem)
            case .success(let stored):
                if let finding = follow(stored.head) { return finding }
                if let batch = stored.batch {
                    guard batch.first == vector[batch.origin] + 1 else {
                        return .damage(
                            "the log of \(batch.origin) goes from \(vector[batch.origin]) to "
                                + "\(batch.first)")
                    }
                    vector[batch.origin] = batch.last
                    needed.raise(to: batch.dependencies)
                }
                replay(stored)
            }
        }
        return nil
    }

    /// Reports a gap between an origin's batches, even if the checkpoint covers it: peers are given these, and
    /// an eviction may orphan them.
    private mutating func follow(_ head: BatchHead) -> StoreFinding? {
        let end = ends[head.origin]
        ends[head.origin] = head.last
        guard end > 0, head.first != end + 1 else { return nil }
        return .damage("the log of \(head.origin) goes from \(end) to \(head.first)")
    }

    /// Reports that the end of an origin's log is missing, which only the dependencies of other batches show.
    var missingEnd: StoreFinding? {
        guard let (origin, sequence) = needed.advanced(beyond: vector).entries.first else {
            return nil
        }
        sometimes(.recoveryMissesDependencies)
        return .damage(
            "the log of \(origin) ends at \(vector[origin]), and others rest on \(sequence)")
    }
}

extension Result where Failure == FrameError {
    /// The value; throws the store's error.
    fileprivate func get<Rows: Tables>(
        or store: inout DurableStore<Rows>
    ) throws(Rows.Failure) -> Success {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw store.fail(.damage(error.problem))
        }
    }
}

// MARK: - Without a replica

extension DurableStore {
    /// The operations in the checkpoint and the log, and the number of orphaned batches, without reading
    /// everything.
    ///
    /// - Throws: also if the head of the checkpoint is damaged.
    public mutating func inventory() throws(Failure) -> (vector: VersionVector, orphans: Int) {
        var held = VersionVector()
        if let bytes = try tables.property(headName) {
            guard let head = try? CheckpointHead(bytes) else {
                throw fail(.damage("the head of the checkpoint"))
            }
            held = head.vector
        }
        for owner in try tables.owners(in: .batch) {
            guard let number = try tables.lastNumber(in: .batch, of: owner, through: .max),
                let batch = try tables.rows(
                    in: .batch, of: owner, number...number, byteLimit: 0
                ).first
            else { continue }
            let origin = WriterID(bits: owner)
            held[origin] = max(held[origin], batch.last)
        }
        return (held, try orphans().count)
    }
}
