/// Reads the answers of an HTTP server as a client does, in whatever pieces they come; written without the code that ships.
///
/// Source: RFC 9112, sections 6 and 7.
struct AnswerReader {
    /// The status and the headers of an answer.
    struct Head: Equatable {
        let status: Int
        /// By their names in small letters.
        let fields: [String: String]
    }

    enum Event: Equatable {
        case head(Head)
        case body([UInt8])
        /// The answer is complete.
        case end
        /// It is no answer.
        case failure(String)
    }

    private enum State {
        case head
        case counted(Int)
        case chunkHead
        case chunk(Int)
        case chunkEnd
        case trailer
        /// The end of the connection is the end of the body.
        case untilEnd
        /// Another protocol, or nothing with a meaning.
        case over
    }

    private var state = State.head
    private var buffer: [UInt8] = []
    /// For each unanswered request, whether its answer is a head alone.
    private var expected: [Bool] = []

    /// How many requests have no answer yet.
    var openCount: Int { expected.count }

    /// Expects another answer.
    mutating func expect(headAlone: Bool = false) { expected.append(headAlone) }

    /// Reads bytes that have come.
    mutating func receive(_ bytes: [UInt8]) -> [Event] {
        buffer += bytes
        var events: [Event] = []
        while let event = next() {
            events.append(contentsOf: event)
        }
        return events
    }

    /// The connection has ended: the last event, or none if the end comes in the middle of an answer.
    mutating func finish() -> Event? {
        guard case .untilEnd = state else { return nil }
        state = .over
        return .end
    }

    /// Removes and returns what came behind an answer that ends HTTP.
    mutating func removeRest() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    // MARK: Steps

    /// The events of the next step; nil without enough bytes.
    private mutating func next() -> [Event]? {
        switch state {
        case .head: return nextHead()
        case .counted(let count): return nextCounted(count)
        case .chunkHead: return nextChunkHead()
        case .chunk(let count): return nextPiece(of: count)
        case .chunkEnd:
            guard let line = removeLine() else { return nil }
            state = .chunkHead
            return line.isEmpty ? [] : fail("a chunk does not end")
        case .trailer:
            guard let line = removeLine() else { return nil }
            return line.isEmpty ? end() : []
        case .untilEnd:
            guard !buffer.isEmpty else { return nil }
            return [.body(removeRest())]
        case .over: return nil
        }
    }

    private mutating func nextHead() -> [Event]? {
        guard let end = AnswerReader.endOfHead(in: buffer) else { return nil }
        let text = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end)
        guard let head = Head(text) else { return fail("no head of an answer: \(text)") }
        if head.status == 100 { return [.head(head)] }
        let headAlone = expected.isEmpty ? false : expected.removeFirst()
        if head.status == 101 {
            state = .over
            return [.head(head)]
        }
        if headAlone || head.status == 204 || head.status == 304 { return [.head(head), .end] }
        if head.fields["transfer-encoding"] == "chunked" {
            state = .chunkHead
        } else if let length = head.fields["content-length"] {
            guard let count = Int(length) else { return fail("\(length) is no length") }
            state = .counted(count)
        } else {
            state = .untilEnd
        }
        return [.head(head)]
    }

    private mutating func nextCounted(_ count: Int) -> [Event]? {
        if count == 0 { return end() }
        guard !buffer.isEmpty else { return nil }
        let piece = removeFirst(min(count, buffer.count))
        state = .counted(count - piece.count)
        return [.body(piece)]
    }

    private mutating func nextChunkHead() -> [Event]? {
        guard let line = removeLine() else { return nil }
        guard let count = Int(line, radix: 16) else { return fail("\(line) is no size of a chunk") }
        state = count == 0 ? .trailer : .chunk(count)
        return []
    }

    private mutating func nextPiece(of count: Int) -> [Event]? {
        guard !buffer.isEmpty else { return nil }
        let piece = removeFirst(min(count, buffer.count))
        state = piece.count == count ? .chunkEnd : .chunk(count - piece.count)
        return [.body(piece)]
    }

    private mutating func end() -> [Event] {
        state = .head
        return [.end]
    }

    private mutating func fail(_ problem: String) -> [Event] {
        state = .over
        return [.failure(problem)]
    }

    // MARK: Bytes

    private mutating func removeFirst(_ count: Int) -> [UInt8] {
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// A line without its end; nil unless it is whole.
    private mutating func removeLine() -> String? {
        guard let end = buffer.firstIndex(of: 10) else { return nil }
        let line = String(decoding: removeFirst(end + 1), as: UTF8.self)
        return line.hasSuffix("\r\n") ? String(line.dropLast()) : line
    }

    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 3..<bytes.count
        where bytes[index] == 10 && bytes[index - 1] == 13 && bytes[index - 2] == 10
            && bytes[index - 3] == 13
        {
            return index + 1
        }
        return nil
    }
}

extension AnswerReader.Head {
    /// Reads a head, by bytes, as characters take many times as long; nil if it is none.
    fileprivate init?(_ text: String) {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"))[...]
        guard lines.allSatisfy({ $0.last == UInt8(ascii: "\r") }), let first = lines.popFirst(),
            first.starts(with: "HTTP/1.1 ".utf8),
            let status = Int(Substring(first.dropFirst(9).prefix(3)))
        else { return nil }
        var fields: [String: String] = [:]
        for line in lines.map({ $0.dropLast() }) where !line.isEmpty {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = line[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") }
            fields[Substring(line[..<colon]).lowercased()] = String(Substring(value))
        }
        self.init(status: status, fields: fields)
    }
}
