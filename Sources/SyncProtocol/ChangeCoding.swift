extension FrameWriter {
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
