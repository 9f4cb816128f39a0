/// Writes server-sent events, as `EventSource` and Firebase's clients read them.
///
/// Source: HTML, section 9.2, "Server-sent events".
public enum EventStreamText {
    /// The bytes of an event, `event: put`, `data: {…}` and an empty line.
    ///
    /// - Parameters:
    ///   - event: The event's name, without line breaks.
    ///   - data: The data; each line of it gets a line of its own, which a client joins again with line feeds.
    public static func bytes(event: StaticString, data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + event.utf8CodeUnitCount + 24)
        bytes.append("event: ")
        bytes.append(event)
        bytes.append("\ndata: ")
        appendLines(data, to: &bytes)
        bytes.append("\n\n")
        return bytes
    }

    private static func appendLines(_ data: [UInt8], to bytes: inout [UInt8]) {
        // JSON is one line, as a rule.
        guard data.contains(where: { $0 == .lineFeed || $0 == .carriageReturn }) else {
            bytes += data
            return
        }
        var isAfterReturn = false
        for byte in data {
            switch byte {
            case .lineFeed where isAfterReturn: break
            case .lineFeed, .carriageReturn: bytes.append("\ndata: ")
            default: bytes.append(byte)
            }
            isAfterReturn = byte == .carriageReturn
        }
    }
}
