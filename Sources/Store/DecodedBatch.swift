public import SyncProtocol

/// A batch that was read from disk; batches can be decoded side by side.
public struct DecodedBatch: Sendable {
    public let head: BatchHead
    /// Nil if it is held already, and only kept because peers may still ask for it.
    public let batch: Batch?
    public let byteCount: Int

    /// - Parameter vector: What is held already.
    /// - Throws: `FrameError` if the bytes are not a batch, or another one than the entry says: a write that
    ///   went to another one's place is whole there, and what belongs there is lost.
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
    /// Whether its bytes are a batch, and the one that it says.
    ///
    /// - Complexity: O(size of the batch).
    public var isWhole: Bool {
        guard BatchCoding.isWhole(bytes), let head = try? BatchCoding.decodeHead(bytes) else {
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
