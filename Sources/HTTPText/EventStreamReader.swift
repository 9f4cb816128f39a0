/// Reads server-sent events with bounded memory: the data of a large event are cut.
///
/// Source: HTML, section 9.2, "Server-sent events". Lines end with a line feed, with or without a carriage return.
public struct EventStreamReader: Sendable {
    /// An event that is complete.
    public struct Event: Equatable, Sendable {
        /// Its name, `put` for example; empty for an event without one.
        public var name = ""
        /// Its data, or the beginning of them.
        public var data: [UInt8] = []
        /// Whether the data are longer than the limit.
        public var isCut = false
    }

    /// Whether the first event has begun to arrive.
    public private(set) var hasBegun = false
    private let dataLimit: Int
    private var line: [UInt8] = []
    private var lineIsCut = false
    private var event = Event()
    private var hasFields = false

    /// - Parameter dataLimit: The bytes of a line that are kept.
    public init(dataLimit: Int) { self.dataLimit = dataLimit }

    /// Reads bytes that have arrived, and returns the events that they complete.
    public mutating func read(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: .lineFeed) {
            append(rest[..<end])
            rest = rest[(end + 1)...]
            if let event = endLine() { events.append(event) }
        }
        append(rest)
        return events
    }

    private mutating func append(_ part: ArraySlice<UInt8>) {
        let room = dataLimit - line.count
        line += part.prefix(room)
        if part.count > room { lineIsCut = true }
        if line.starts(with: EventStreamReader.data) { hasBegun = true }
    }

    /// Applies a line; returns the event that an empty line completes.
    private mutating func endLine() -> Event? {
        if line.last == .carriageReturn { line.removeLast() }
        defer {
            line.removeAll(keepingCapacity: true)
            lineIsCut = false
        }
        if line.isEmpty {
            defer { (event, hasFields) = (Event(), false) }
            return hasFields ? event : nil
        }
        if let value = EventStreamReader.value(of: EventStreamReader.name, in: line) {
            event.name = String(decoding: value, as: UTF8.self)
            hasFields = true
        } else if let value = EventStreamReader.value(of: EventStreamReader.data, in: line) {
            if !event.data.isEmpty { event.data.append(.lineFeed) }
            event.data += value.prefix(max(0, dataLimit - event.data.count))
            event.isCut = event.isCut || lineIsCut
            hasFields = true
        }
        return nil
    }

    private static let name = Array("event:".utf8)
    private static let data = Array("data:".utf8)

    private static func value(of field: [UInt8], in line: [UInt8]) -> ArraySlice<UInt8>? {
        guard line.starts(with: field) else { return nil }
        let value = line.dropFirst(field.count)
        return value.first == 0x20 ? value.dropFirst() : value
    }
}
