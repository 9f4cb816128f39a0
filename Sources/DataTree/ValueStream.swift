/// A value as MessagePack, written in parts: a large value needs no second copy of itself.
///
///     var stream = ValueStream(value)
///     while stream.write(to: &writer, atLeast: 65_536) {
///         send(writer.bytes)
///         writer.removeAll()
///     }
///
/// The bytes are those that `MessagePackWriter.append` writes at once.
package struct ValueStream: Sendable {
    /// The value, until its first part is written.
    private var unread: Value?
    /// The objects whose children are not all written, the outermost one first.
    private var objects: [Children.Iterator] = []

    /// A stream at the start of a value.
    package init(_ value: Value) { unread = value }

    /// Appends the next part, which has somewhat more than `count` bytes unless it is the last. A string is never divided.
    ///
    /// - Returns: Whether more follows.
    package mutating func write(to writer: inout MessagePackWriter, atLeast count: Int) -> Bool {
        let end = writer.bytes.count + count
        if let value = unread.take() { begin(value, &writer) }
        while !objects.isEmpty {
            if writer.bytes.count >= end { return true }
            if let (key, child) = objects[objects.count - 1].next() {
                writer.append(key)
                begin(child, &writer)
            } else {
                objects.removeLast()
            }
        }
        return false
    }

    /// Writes a value, but of an object of many children only its head.
    private mutating func begin(_ value: Value, _ writer: inout MessagePackWriter) {
        guard case .object(let children) = value.content, !children.isPacked else {
            return writer.append(value)
        }
        if value.priority.isNull {
            writer.appendMapHead(children.count)
        } else {
            writer.appendMapHead(1 + children.count)
            writer.append(".priority")
            writer.append(value.priority)
        }
        objects.append(children.makeIterator())
    }
}
