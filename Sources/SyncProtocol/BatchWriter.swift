import DataTree

/// Encodes operations one at a time while a turn runs, and puts the head in front when it ends.
///
/// Each operation is encoded once, and its bytes are moved once, into an array of the exact size.
/// `finish` leaves the writer empty, with its memory kept for the next turn. The bytes are those
/// that `BatchCoding` describes.
public struct BatchWriter: Sendable {
    package let origin: WriterID
    /// The operations appended since the last `finish`.
    public private(set) var count = 0
    private var operations = MessagePackWriter()
    private var attributions = AttributionRuns()
    private var head = MessagePackWriter()
    private var tail = MessagePackWriter()
    private var last: Stamp

    package init(origin: WriterID) {
        self.origin = origin
        last = Stamp(time: .zero, writer: origin)
    }

    package var isEmpty: Bool { count == 0 }

    /// The size of the operations appended so far; the batch has some tens of bytes more.
    public var byteCount: Int { operations.bytes.count + attributions.byteCount }

    package mutating func append(_ operation: Operation) {
        let stamp = operation.stamp
        operations.appendArrayHead(
            operation.alias == nil ? 3 : operation.term == nil ? 5 : 6)
        // Mostly a byte instead of nine: the stamps of a turn are close together.
        operations.append(Int64(bitPattern: stamp.time.bits &- last.time.bits))
        if stamp.writer == origin {
            operations.appendNil()
        } else if stamp.writer == last.writer {
            operations.append(true)
        } else {
            operations.append(stamp.writer.bits)
        }
        last = stamp
        operations.appendArrayHead(2 * (operation.writes.count + operation.records.count))
        for write in operation.writes {
            operations.append(write.path)
            operations.append(write.value)
        }
        for record in operation.records { operations.append(record) }
        if let alias = operation.alias {
            operations.append(alias.time.bits)
            operations.append(alias.writer.bits)
        }
        if let term = operation.term { operations.append(term) }
        attributions.append(operation.attribution, after: count)
        count += 1
    }

    /// The batch of the operations appended, of which the first has the sequence `first`.
    ///
    /// At least one operation must have been appended.
    public mutating func finish(
        first: UInt64, wallMilliseconds: UInt64, dependencies: VersionVector
    ) -> [UInt8] {
        precondition(count > 0, "a batch of \(origin) without operations")
        head.removeAll()
        head.appendArrayHead(attributions.isEmpty ? 5 : 6)
        head.append(origin.bits)
        head.append(first)
        head.append(wallMilliseconds)
        head.append(dependencies)
        head.appendArrayHead(count)
        tail.removeAll()
        if !attributions.isEmpty { tail.append(attributions) }
        let bytes = BatchWriter.joined(head.bytes, operations.bytes, tail.bytes)
        operations.removeAll()
        attributions.removeAll()
        last = Stamp(time: .zero, writer: origin)
        count = 0
        return bytes
    }

    private static func joined(
        _ head: [UInt8], _ operations: [UInt8], _ tail: [UInt8]
    ) -> [UInt8] {
        let size = head.count + operations.count + tail.count
        return [UInt8](unsafeUninitializedCapacity: size + 4) { bytes, initializedCount in
            _ = bytes.initialize(from: head)
            _ = bytes[head.count...].initialize(from: operations)
            _ = bytes[(head.count + operations.count)...].initialize(from: tail)
            let content = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<size]))
            let checksum = Checksum.crc32c(of: content)
            withUnsafeBytes(of: checksum.littleEndian) { checksum in
                _ = bytes[size...].initialize(from: checksum)
            }
            initializedCount = size + 4
        }
    }
}
