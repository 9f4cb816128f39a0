package import DataTree

/// A frame to a client with large values, which are encoded part by part while the frame is sent. Until then the values share
/// the memory of the tree.
public struct LargeFrame: Equatable, Sendable {
    /// A value in a frame.
    struct Insertion: Equatable, Sendable {
        /// Its place in the bytes of everything else.
        let offset: Int
        let value: Value
    }

    /// A value with more locations than this is large.
    private static let smallCount = 4_096

    /// Everything but the values.
    fileprivate let bytes: [UInt8]
    /// Ascending by place.
    fileprivate let insertions: [Insertion]

    init(_ bytes: [UInt8], _ insertions: [Insertion]) {
        (self.bytes, self.insertions) = (bytes, insertions)
    }

    /// Whether a value is encoded only while its frame is sent.
    ///
    /// - Complexity: O(1).
    package static func isLarge(_ value: Value) -> Bool {
        value.hasMoreLocations(than: smallCount)
    }

    /// The whole frame.
    ///
    /// - Complexity: O(size).
    public var encoded: [UInt8] {
        var reader = LargeFrameReader(self)
        return reader.next(atLeast: .max / 2)
    }
}

/// Reads a large frame part by part.
public struct LargeFrameReader: Sendable {
    private let frame: LargeFrame
    /// How much of the frame's own bytes is read.
    private var position = 0
    /// The insertion that is next, or being read.
    private var insertion = 0
    private var value: ValueStream?
    private var writer = MessagePackWriter()
    /// Whether the whole frame is read.
    public private(set) var isAtEnd = false

    /// A reader at the start of a frame.
    public init(_ frame: LargeFrame) { self.frame = frame }

    /// Returns the next part, which has somewhat more than `count` bytes unless it is the last.
    ///
    /// - Complexity: O(part).
    public mutating func next(atLeast count: Int) -> [UInt8] {
        writer.removeAll()
        while writer.bytes.count < count, !isAtEnd { readNext(atLeast: count) }
        return writer.bytes
    }

    /// Reads on in the present value, or the frame's own bytes up to the next value.
    private mutating func readNext(atLeast count: Int) {
        // Taken out, so that it is changed in place.
        if var stream = value.take() {
            if stream.write(to: &writer, atLeast: count - writer.bytes.count) { value = stream }
            return
        }
        let next = insertion < frame.insertions.count ? frame.insertions[insertion] : nil
        let end = next?.offset ?? frame.bytes.count
        frame.bytes[position..<end].withUnsafeBytes { writer.append(encoded: $0) }
        position = end
        insertion += 1
        value = next.map { ValueStream($0.value) }
        isAtEnd = next == nil
    }
}

extension FrameWriter {
    /// Appends a message whose large values are encoded only while the frame is sent.
    package mutating func append(deferring message: NodeMessage) {
        switch message {
        case .value(let id, let value) where LargeFrame.isLarge(value):
            messages.appendMessageHead("value", 3)
            messages.append(id)
            append(large: value)
        case .change(let listen, let writes) where writes.contains(where: \.isLarge):
            messages.appendMessageHead("change", 3)
            messages.append(listen)
            messages.appendArrayHead(writes.count)
            for write in writes {
                messages.appendArrayHead(2)
                messages.append(write.path)
                if write.isLarge {
                    append(large: write.value)
                } else {
                    messages.append(write.value)
                }
            }
        default: append(message)
        }
    }

    private mutating func append(large value: Value) {
        insertions.append(LargeFrame.Insertion(offset: messages.bytes.count, value: value))
    }

    /// Whether it has large values.
    package var isLarge: Bool { !insertions.isEmpty }

    /// The frame with its large values.
    package var largeFrame: LargeFrame { LargeFrame(messages.bytes, insertions) }
}

extension Write {
    /// Whether its value is encoded only while the frame is sent.
    package var isLarge: Bool { LargeFrame.isLarge(value) }
}
