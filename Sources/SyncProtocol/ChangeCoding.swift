public import DataTree

extension FrameWriter {
    /// Appends a `value` message whose value is an object of these children, ascending by key, or
    /// null if there are none.
    public mutating func appendValue(id: UInt64, children: [(key: Key, value: Value)]) {
        messages.appendMessageHead("value", 3)
        messages.append(id)
        if children.isEmpty { return messages.appendNil() }
        messages.appendMapHead(children.count)
        for (key, value) in children {
            messages.append(key)
            messages.append(value)
        }
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
