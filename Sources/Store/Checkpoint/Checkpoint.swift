package import Convergence
public import DataTree
public import SyncProtocol

/// A state of a replica to be kept on disk: what readers see, what must be remembered of late
/// operations, and which operations are in it.
///
/// It shares its memory with the replica it came from, so it costs nothing until that changes, and it
/// may be written on another thread. The log keeps what came later.
public struct Checkpoint: Sendable {
    public let value: Value
    package let registers: Registers
    /// The operations that are in the tree.
    public let vector: VersionVector
    /// No operation with a stamp up to this time can arrive any more.
    package let stableTime: HybridTime
    /// The newest time that was issued or seen.
    package let time: HybridTime
    package let stamps: DeduplicationTable
    /// No row of the last checkpoint stays, because one of them is damaged.
    package var replacesAll = false

    package init(
        value: Value, registers: Registers, vector: VersionVector, stableTime: HybridTime,
        time: HybridTime, stamps: DeduplicationTable
    ) {
        self.value = value
        self.registers = registers
        self.vector = vector
        self.stableTime = stableTime
        self.time = time
        self.stamps = stamps
    }
}

extension Checkpoint: Equatable {
    /// A replica is in one state for each vector.
    public static func == (a: Checkpoint, b: Checkpoint) -> Bool {
        a.vector == b.vector && a.stableTime == b.stableTime && a.time == b.time
    }
}

/// How the rows of a checkpoint that is complete become the valid ones: in one transaction.
public struct CheckpointEnd: Equatable, Sendable {
    /// The IDs of the rows that are no part of the checkpoint any more.
    public let removed: [UInt64]
    /// What stands before the rows, with its checksum (`CheckpointHead`).
    public let head: [UInt8]
}

/// What describes a complete checkpoint: which operations it holds, and which rows.
public struct CheckpointHead: Equatable, Sendable {
    public var vector: VersionVector
    package var stableTime: HybridTime
    package var time: HybridTime
    package var stamps: DeduplicationTable
    /// Rows with a higher ID are of a checkpoint that was never completed.
    public var lastRow: UInt64
    public var rowCount: Int
    /// The sum of the rows' checksums: a row that is missing or too many shows.
    public var fingerprint: UInt64

    /// The bytes of the head: an array of its seven properties, and a checksum.
    public var bytes: [UInt8] {
        var writer = MessagePackWriter()
        writer.appendArrayHead(7)
        writer.append(vector)
        writer.append(stableTime.bits)
        writer.append(time.bits)
        writer.append(stamps)
        writer.append(lastRow)
        writer.append(UInt64(rowCount))
        writer.append(fingerprint)
        writer.appendChecksum()
        return writer.bytes
    }

    public init(_ bytes: [UInt8]) throws(FrameError) {
        let result: Result<CheckpointHead, FrameError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(FrameError) in
                var reader = MessagePackReader(
                    try Checksum.content(of: bytes, named: "the head of a checkpoint"))
                return try CheckpointHead(from: &reader)
            }
        }
        self = try result.get()
    }

    private init(from reader: inout MessagePackReader) throws(FrameError) {
        guard try reader.arrayHead("the head of a checkpoint") == 7 else {
            throw .ofCheckpoint("its head has another length than 7", at: 0)
        }
        // One that cannot be read would be taken for damaged, and put away.
        vector = try reader.vector()
        stableTime = try reader.time()
        time = try reader.time()
        stamps = try DeduplicationTable(from: &reader)
        lastRow = try reader.unsigned("the ID of a row")
        // The database takes IDs up to here.
        guard lastRow <= UInt64(Int64.max), stableTime <= time else {
            throw .ofCheckpoint("its head contradicts itself", at: reader.position)
        }
        rowCount = Int(clamping: try reader.unsigned("a number of rows"))
        fingerprint = try reader.unsigned("a fingerprint")
    }

    init(
        of checkpoint: Checkpoint, lastRow: UInt64, rowCount: Int, fingerprint: UInt64
    ) {
        vector = checkpoint.vector
        stableTime = checkpoint.stableTime
        time = checkpoint.time
        stamps = checkpoint.stamps
        self.lastRow = lastRow
        self.rowCount = rowCount
        self.fingerprint = fingerprint
    }
}
