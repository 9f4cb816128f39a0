package import Convergence
public import DataTree
public import SyncProtocol

/// A state of a replica to be kept on disk: the visible tree, the registers of late operations, and
/// the version vector of the operations that it includes.
///
/// It shares memory with the replica until that changes, so making one is free, and another thread
/// may write it. The log keeps what came later.
public struct Checkpoint: Sendable {
    /// The tree as readers see it.
    public let value: Value
    package let registers: Registers
    /// The operations that the tree includes.
    public let vector: VersionVector
    /// All operations with stamps up to this time have arrived.
    package let stableTime: HybridTime
    /// The newest time that the clock has issued or seen.
    package let time: HybridTime
    package let stamps: DeduplicationTable
    /// The rules of the cluster, which are no part of the tree.
    package let rules: RulesRecord?
    /// The on-disconnect writes of sessions, which are no part of the tree either.
    package let records: DisconnectRecords
    /// Whether all rows are written anew, because one of the last checkpoint's is damaged.
    package var replacesAll = false

    package init(
        value: Value, registers: Registers, vector: VersionVector, stableTime: HybridTime,
        time: HybridTime, stamps: DeduplicationTable, rules: RulesRecord? = nil,
        records: DisconnectRecords = DisconnectRecords()
    ) {
        self.records = records
        self.value = value
        self.registers = registers
        self.vector = vector
        self.stableTime = stableTime
        self.time = time
        self.stamps = stamps
        self.rules = rules
    }
}

extension Checkpoint: Equatable {
    /// Compares version vectors: a replica is in one state for each.
    public static func == (a: Checkpoint, b: Checkpoint) -> Bool {
        a.vector == b.vector && a.stableTime == b.stableTime && a.time == b.time
    }
}

/// How the rows of a complete checkpoint become valid: in one transaction.
public struct CheckpointEnd: Equatable, Sendable {
    /// The IDs of the rows that no longer belong to the checkpoint.
    public let removed: [UInt64]
    /// The head before the rows, with its checksum (`CheckpointHead`).
    public let head: [UInt8]
}

/// Describes a complete checkpoint: the operations that it includes, and its rows.
public struct CheckpointHead: Equatable, Sendable {
    /// The operations that the checkpoint includes.
    public var vector: VersionVector
    package var stableTime: HybridTime
    package var time: HybridTime
    package var stamps: DeduplicationTable
    /// The rules of the cluster; nil if it has none.
    package var rules: RulesRecord?
    /// The on-disconnect writes of sessions.
    package var records = DisconnectRecords()
    /// The highest ID of a row; rows above it belong to a checkpoint that was never completed.
    public var lastRow: UInt64
    /// The number of rows, by which a missing one shows.
    public var rowCount: Int
    /// The sum of the rows' checksums, by which a missing or superfluous row shows.
    public var fingerprint: UInt64

    /// The bytes of the head: an array of its seven properties, then the rules, and on-disconnect writes, as far as there are
    /// any, and a checksum.
    public var bytes: [UInt8] {
        var writer = MessagePackWriter()
        writer.appendArrayHead(!records.isEmpty ? 9 : rules == nil ? 7 : 8)
        writer.append(vector)
        writer.append(stableTime.bits)
        writer.append(time.bits)
        writer.append(stamps)
        writer.append(lastRow)
        writer.append(UInt64(rowCount))
        writer.append(fingerprint)
        if let rules {
            writer.append(rules)
        } else if !records.isEmpty {
            writer.appendNil()
        }
        if !records.isEmpty { writer.append(records) }
        writer.appendChecksum()
        return writer.bytes
    }

    /// Decodes what `bytes` returned.
    ///
    /// - Throws: `FrameError` if the bytes are damaged or contradict themselves.
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
        let count = try reader.arrayHead("the head of a checkpoint")
        guard 7...9 ~= count else {
            throw .ofCheckpoint("its head has another length than 7 to 9", at: 0)
        }
        // A vector that no reader accepts would make the whole checkpoint count as damaged.
        vector = try reader.vector()
        stableTime = try reader.time()
        time = try reader.time()
        stamps = try DeduplicationTable(from: &reader)
        lastRow = try reader.unsigned("the ID of a row")
        // SQLite's integers are signed: no row has a higher ID.
        guard lastRow <= UInt64(Int64.max), stableTime <= time else {
            throw .ofCheckpoint("its head contradicts itself", at: reader.position)
        }
        rowCount = Int(clamping: try reader.unsigned("a number of rows"))
        fingerprint = try reader.unsigned("a fingerprint")
        if count >= 8, !reader.takeNil() { rules = try reader.rulesRecord() }
        if count == 9 { records = try DisconnectRecords(from: &reader) }
    }

    init(
        of checkpoint: Checkpoint, lastRow: UInt64, rowCount: Int, fingerprint: UInt64
    ) {
        vector = checkpoint.vector
        stableTime = checkpoint.stableTime
        time = checkpoint.time
        stamps = checkpoint.stamps
        rules = checkpoint.rules
        records = checkpoint.records
        self.lastRow = lastRow
        self.rowCount = rowCount
        self.fingerprint = fingerprint
    }
}
