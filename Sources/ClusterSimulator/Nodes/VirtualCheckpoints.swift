import ReplicaCore
import SyncProtocol

/// The checkpoint on a node's disk, and the one that is being written.
///
/// Rows are small, so that a small tree has many.
struct VirtualCheckpoints {
    private static let limits = CheckpointWriter.Limits(row: 200, slice: 600)

    private var writer = CheckpointWriter(limits: limits)
    private var head: [UInt8]?
    /// Ascending by ID.
    private var rows: [CheckpointRow] = []
    private var pending: (checkpoint: Checkpoint, turn: UInt64)?

    /// Begins to write a checkpoint of all that turns up to one have made.
    mutating func begin(_ checkpoint: Checkpoint, after turn: UInt64) {
        pending = (checkpoint, turn)
    }

    /// Completes the checkpoint if what it holds is durable; false if it has to wait.
    mutating func complete(stored turn: UInt64) -> Bool {
        guard let (checkpoint, last) = pending, turn >= last else { return false }
        pending = nil
        writer.begin(checkpoint)
        while case let slice = writer.nextRows(), !slice.isEmpty { rows += slice }
        let end = writer.finish()
        let removed = Set(end.removed)
        rows.removeAll { removed.contains($0.id) }
        head = end.head
        return true
    }

    /// The process ends; what is not complete is lost.
    mutating func crash() { pending = nil }

    /// What a new process reads, and goes on writing.
    mutating func restore() throws(FrameError) -> RestoredCheckpoint? {
        guard let head else {
            writer = CheckpointWriter(limits: VirtualCheckpoints.limits)
            return nil
        }
        var reader = CheckpointReader(try CheckpointHead(head))
        for row in rows { try VirtualCheckpoints.add(row, to: &reader) }
        let restored = try reader.finish()
        writer = CheckpointWriter(after: restored, limits: VirtualCheckpoints.limits)
        return restored
    }

    private static func add(
        _ row: CheckpointRow, to reader: inout CheckpointReader
    ) throws(FrameError) {
        let result: Result<Void, FrameError> = row.bytes.withUnsafeBytes { bytes in
            Result { () throws(FrameError) in try reader.add(bytes) }
        }
        try result.get()
    }
}
