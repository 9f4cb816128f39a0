/// Reads server-sent events, in whatever pieces they come.
///
/// Source: HTML, section 9.2.6.
struct EventLines {
    struct Event: Equatable {
        let name: String
        let data: [UInt8]
    }

    private var buffer: [UInt8] = []
    private var name = ""
    private var data: [UInt8]?

    /// Reads bytes; returns the events that are whole.
    mutating func receive(_ bytes: [UInt8]) -> [Event] {
        buffer += bytes
        var events: [Event] = []
        while let end = buffer.firstIndex(of: 10) {
            let line = buffer[..<end]
            if line.isEmpty {
                if let data { events.append(Event(name: name, data: data)) }
                (name, data) = ("", nil)
            } else {
                parse(line)
            }
            buffer.removeFirst(end + 1)
        }
        return events
    }

    private mutating func parse(_ line: ArraySlice<UInt8>) {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("event: ") {
            name = String(text.dropFirst(7))
        } else if text.hasPrefix("data: ") {
            data = (data.map { $0 + [10] } ?? []) + Array(line.dropFirst(6))
        }
    }
}
