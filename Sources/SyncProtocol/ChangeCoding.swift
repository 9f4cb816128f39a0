public import DataTree
public import QueryEngine

extension FrameWriter {
    /// Appends a `value` message whose value is an object of these children, or null if there are none.
    public mutating func appendValue(id: UInt64, children: ShownChildren) {
        messages.appendMessageHead("value", 3)
        messages.append(id)
        children.write(to: &messages)
    }

    /// Appends a `change` message whose writes are encoded already, for one of many listeners.
    public mutating func appendChange(listen: UInt64, encodedWrites: UnsafeRawBufferPointer) {
        messages.appendMessageHead("change", 3)
        messages.append(listen)
        messages.append(encoded: encodedWrites)
    }

    /// Appends the messages of another frame.
    package mutating func append(messagesOf other: FrameWriter) {
        precondition(
            other.insertions.isEmpty, "the frame has \(other.insertions.count) large values")
        other.messages.bytes.withUnsafeBytes {
            messages.append(encoded: UnsafeRawBufferPointer(rebasing: $0.dropFirst()))
        }
    }
}

extension NodeMessage {
    /// Encodes the writes of a `change` message, for `appendChange`.
    public static func encode(changed writes: [Write], into writer: inout MessagePackWriter) {
        writer.appendChanges(writes)
    }
}
