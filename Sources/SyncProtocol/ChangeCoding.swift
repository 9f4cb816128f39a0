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
}

extension NodeMessage {
    /// Encodes the writes of a `change` message, for `appendChange`.
    public static func encode(changed writes: [Write], into writer: inout MessagePackWriter) {
        writer.appendChanges(writes)
    }
}
