public import SyncProtocol

/// A batch read from disk; batches can be decoded concurrently.
public struct DecodedBatch: Sendable {
    /// Which operations the batch holds, and what it depends on.
    public let head: BatchHead
    /// Nil if the replica holds it already; the log then keeps it only for peers.
    public let batch: Batch?
    /// The size of the encoded batch.
    public let byteCount: Int

    /// - Parameter vector: The operations that are held already.
    /// - Throws: `FrameError` if the bytes are not a batch, or not the one that the entry names. A write that hit
    ///   another row is intact there, and the row's own batch is lost.
    public init(_ entry: LogEntry, coveredBy vector: VersionVector) throws(FrameError) {
        try self.init(entry.bytes, coveredBy: vector)
        try entry.check(head)
    }

    /// - Throws: `FrameError` if the bytes are not a batch.
    public init(_ bytes: [UInt8], coveredBy vector: VersionVector) throws(FrameError) {
        head = try BatchCoding.decodeHead(bytes)
        byteCount = bytes.count
        if head.last > vector[head.origin] {
            batch = try BatchCoding.decode(bytes)
        } else {
            batch = nil
            try BatchCoding.check(bytes)
        }
    }
}

extension LogEntry {
    /// Whether the bytes are the batch that the entry names.
    ///
    /// - Complexity: O(size of the batch).
    public var isIntact: Bool {
        guard BatchCoding.isIntact(bytes), let head = try? BatchCoding.decodeHead(bytes) else {
            return false
        }
        return (try? check(head)) != nil
    }

    fileprivate func check(_ head: BatchHead) throws(FrameError) {
        guard head.origin == origin, head.first == first, head.last == last else {
            throw FrameError(
                offset: 0,
                problem: "a batch of \(head.origin) from \(head.first) on is filed as one of "
                    + "\(origin) from \(first) on",
                fix: "move the database away; the node gets its data from its peers")
        }
    }
}
