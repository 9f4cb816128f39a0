public import SyncProtocol

/// A batch in the log: the operations `first...last` of one origin, encoded as on the wire.
public struct LogEntry: Equatable, Sendable {
    /// The node that accepted the operations, in one of its incarnations.
    public var origin: WriterID
    /// The sequence of the first operation.
    public var first: UInt64
    /// The sequence of the last operation.
    public var last: UInt64
    /// The encoded batch.
    public var bytes: [UInt8]

    /// An entry whose bytes are known to be this batch.
    public init(origin: WriterID, first: UInt64, last: UInt64, bytes: [UInt8]) {
        self.origin = origin
        self.first = first
        self.last = last
        self.bytes = bytes
    }
}

extension LogEntry {
    /// The entry of an encoded batch.
    ///
    /// - Throws: `FrameError` if the bytes do not begin as a batch does.
    public init(_ bytes: [UInt8]) throws(FrameError) {
        let head = try BatchCoding.decodeHead(bytes)
        self.init(origin: head.origin, first: head.first, last: head.last, bytes: bytes)
    }
}
