public import SyncProtocol

/// A batch in the log: the operations `first...last` of one origin, in the bytes that travel.
public struct LogEntry: Equatable, Sendable {
    public var origin: WriterID
    public var first: UInt64
    public var last: UInt64
    public var bytes: [UInt8]

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
    /// - Throws: when the bytes do not begin as a batch does.
    public init(_ bytes: [UInt8]) throws(FrameError) {
        let head = try BatchCoding.decodeHead(bytes)
        self.init(origin: head.origin, first: head.first, last: head.last, bytes: bytes)
    }
}
