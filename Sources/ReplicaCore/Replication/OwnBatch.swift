import Store
import SyncProtocol

/// The operations that this incarnation has accepted since its last batch.
struct OwnBatch: Sendable {
    /// A batch larger than this is closed before the turn ends.
    private let byteLimit: Int
    private var writer: BatchWriter
    /// The version vector when the last batch was closed.
    private var lastVector = VersionVector()

    init(of origin: WriterID, within limits: ReplicaLimits) {
        byteLimit = limits.batchBytes
        writer = BatchWriter(origin: origin)
    }

    var origin: WriterID { writer.origin }
    var isEmpty: Bool { writer.isEmpty }
    var isFull: Bool { writer.byteCount > byteLimit }

    /// Adds the next operation.
    mutating func append(_ operation: Operation) { writer.append(operation) }

    /// Closes the batch of all operations since the last one, of a replica that holds `vector`; nil if there
    /// are none.
    mutating func close(holding vector: VersionVector, wallMilliseconds: UInt64) -> LogEntry? {
        if isEmpty { return nil }
        let last = vector[origin]
        let first = last - UInt64(writer.count) + 1
        // Every replica applies the previous batch first, and so that batch's dependencies.
        var dependencies = vector.advanced(beyond: lastVector)
        dependencies[origin] = 0
        lastVector = vector
        let bytes = writer.finish(
            first: first, wallMilliseconds: wallMilliseconds, dependencies: dependencies)
        return LogEntry(origin: origin, first: first, last: last, bytes: bytes)
    }
}
