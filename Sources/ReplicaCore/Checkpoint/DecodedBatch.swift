public import SyncProtocol

/// A batch that was read from disk; batches can be decoded side by side.
public struct DecodedBatch: Sendable {
    public let head: BatchHead
    /// Nil if it is held already, and only kept because peers may still ask for it.
    let batch: Batch?
    let byteCount: Int

    /// - Parameter vector: What is held already.
    /// - Throws: `FrameError` if the bytes are not a batch.
    public init(_ bytes: [UInt8], coveredBy vector: Vector) throws(FrameError) {
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
