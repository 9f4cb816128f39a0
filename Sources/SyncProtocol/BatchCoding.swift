import DataTree

/// The bytes of a batch, as they are stored, published and sent again.
///
/// A MessagePack array, then its CRC-32C in 4 bytes, little-endian:
///
/// The map contains the dependencies, ascending. An operation is `[time, writer, [path, value, path, value, …]]`.
/// `time` is the difference, modulo 2⁶⁴, to the time of the previous operation (of the first one, to zero).
/// `writer` is nil if it is the origin, and true if it equals that of the previous operation: a client that stamps
/// its own writes makes many in a row. The replay of an orphan and a transaction end with their alias, a time and a
/// writer. A transaction also has its term. Behind the writes may be records of on-disconnect writes, each with its
/// name in place of a path: `[writer, session], [member, principal, [path, value, …]]`, or nil for a removed one.
///
/// Runs are present if an operation was made for a user. A run is `[count, user, rules]`: the user of the next
/// `count` operations, nil for a client that was not signed in, and the digest of the rules that permitted them.
/// `rules` is omitted if it equals that of the previous run with a user. `[count]` is a run of operations without a
/// user. The operations after the last run have no user either.
public enum BatchCoding {
    /// The bytes of a whole batch.
    public static func encode(_ batch: Batch) -> [UInt8] {
        var writer = BatchWriter(origin: batch.origin)
        for operation in batch.operations { writer.append(operation) }
        return writer.finish(
            first: batch.first, wallMilliseconds: batch.wallMilliseconds,
            dependencies: batch.dependencies)
    }

    /// Checks the checksum, then decodes the whole batch.
    ///
    /// The origin has checked already that the writes of an operation are prefix-free.
    public static func decode(_ bytes: UnsafeRawBufferPointer) throws(FrameError) -> Batch {
        var reader = MessagePackReader(try Checksum.content(of: bytes, named: "a batch"))
        let head = try reader.batchHead()
        var operations = try reader.operations(of: head)
        if head.isAttributed { try reader.attribute(&operations) }
        guard reader.isAtEnd else {
            throw .expected("the checksum", found: "more elements", at: reader.position)
        }
        return Batch(
            origin: head.origin, first: head.first, wallMilliseconds: head.wallMilliseconds,
            dependencies: head.dependencies, operations: operations)
    }

    /// Checks the checksum alone.
    public static func check(_ bytes: UnsafeRawBufferPointer) throws(FrameError) {
        _ = try Checksum.content(of: bytes, named: "a batch")
    }

    /// Whether the checksum is right.
    public static func isIntact(_ bytes: [UInt8]) -> Bool {
        (try? check(bytes)) != nil
    }

    /// Decodes the elements before the operations; the checksum is not checked.
    ///
    /// - Complexity: O(dependencies), whatever the size of the batch.
    public static func decodeHead(_ bytes: UnsafeRawBufferPointer) throws(FrameError) -> BatchHead {
        var reader = MessagePackReader(bytes)
        return try reader.batchHead()
    }

    /// When the origin accepted the operations of a batch; 0 if that cannot be read.
    public static func wallMilliseconds(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        (try? decodeHead(bytes))?.wallMilliseconds ?? 0
    }

    /// Takes one; what is wrong with it is thrown.
    public static func decode(_ bytes: [UInt8]) throws(FrameError) -> Batch {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FrameError) in try decode(bytes) }
    }

    package static func check(_ bytes: [UInt8]) throws(FrameError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FrameError) in try check(bytes) }
    }

    package static func decodeHead(_ bytes: [UInt8]) throws(FrameError) -> BatchHead {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FrameError) in try decodeHead(bytes) }
    }
}

/// The elements before a batch's operations: enough to store it and to decide what to do with it.
public struct BatchHead: Equatable, Sendable {
    package let origin: WriterID
    /// The sequence of the first operation; 1 or more.
    public let first: UInt64
    package let wallMilliseconds: UInt64
    package let dependencies: VersionVector
    /// The number of operations; 1 or more.
    public let count: Int
    /// Whether attributions follow the operations.
    let isAttributed: Bool

    /// The sequence of the last operation.
    public var last: UInt64 { first + UInt64(count) - 1 }
}

extension MessagePackReader {
    fileprivate mutating func batchHead() throws(FrameError) -> BatchHead {
        let start = position
        let size = try arrayHead("a batch (an array of 5 or 6)")
        guard size == 5 || size == 6 else {
            throw .expected("a batch (an array of 5 or 6)", found: "another array", at: start)
        }
        let head = BatchHead(
            origin: try writerID(), first: try sequence(),
            wallMilliseconds: try wallMilliseconds(), dependencies: try vector(),
            count: try arrayHead("an array of operations"), isAttributed: size == 6)
        guard head.first > 0, head.count > 0 else {
            throw .expected(
                "one operation or more, from sequence 1 on",
                found: "\(head.count) from \(head.first) on", at: start)
        }
        return head
    }

    fileprivate mutating func operations(
        of head: BatchHead
    ) throws(FrameError) -> [Operation] {
        var operations: [Operation] = []
        operations.reserveCapacity(min(head.count, 256))
        var last = Stamp(time: .zero, writer: head.origin)
        for _ in 0..<head.count {
            let count = try operationHead()
            let time = try self.time(after: last.time)
            last = Stamp(
                time: time, writer: try writerID(after: last.writer, origin: head.origin))
            let (writes, records) = try pairs()
            let alias = count > 3 ? Stamp(time: try self.time(), writer: try writerID()) : nil
            let term = count > 5 ? try unsigned("the term of a transaction") : nil
            operations.append(
                Operation(
                    stamp: last, writes: writes, alias: alias, term: term, records: records))
        }
        return operations
    }

    private mutating func time(after last: HybridTime) throws(FrameError) -> HybridTime {
        let start = position
        let delta: UInt64
        switch try self.head() {
        case .integer(let number): delta = UInt64(bitPattern: number)
        case let other: throw .expected("a time difference", found: other.name, at: start)
        }
        let time = HybridTime(bits: last.bits &+ delta)
        guard time.milliseconds <= WireLimits.wallMilliseconds else {
            throw .expected("a time in reach", found: "\(time.milliseconds) ms", at: start)
        }
        return time
    }

    private mutating func writerID(
        after last: WriterID, origin: WriterID
    ) throws(FrameError) -> WriterID {
        let start = position
        switch try self.head() {
        case .nothing: return origin
        case .boolean(true): return last
        default:
            rewind(to: start)
            return try writerID()
        }
    }

    /// Takes writes and the records behind them.
    private mutating func pairs() throws(FrameError) -> ([Write], [DisconnectRecord]) {
        let start = position
        let count = try arrayHead("an array of paths and values")
        guard count.isMultiple(of: 2) else {
            throw .expected("a value for each path", found: "\(count) elements", at: start)
        }
        var (writes, records): ([Write], [DisconnectRecord]) = ([], [])
        writes.reserveCapacity(min(count / 2, 64))
        for _ in 0..<count / 2 {
            if nextIsShortArray {
                records.append(try disconnectRecord())
            } else {
                writes.append(Write(path: try operationPath(), value: try value()))
            }
        }
        return (writes, records)
    }

    /// The number of elements of the operation that begins here, which tells whether it has an alias and a term.
    private mutating func operationHead() throws(FrameError) -> Int {
        let start = position
        let count = try arrayHead("an operation (an array of 3, 5 or 6)")
        guard count == 3 || count == 5 || count == 6 else {
            throw .expected(
                "an operation (an array of 3, 5 or 6)", found: "another array", at: start)
        }
        return count
    }
}
