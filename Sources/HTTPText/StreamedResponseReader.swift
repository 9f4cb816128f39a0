/// Reads a server's answer whose content has no end that is known, such as a stream of events, as it arrives.
public struct StreamedResponseReader: Sendable {
    private enum Framing {
        case head
        case chunks(ChunkedReader)
        case plain
        case ended
    }

    /// The status and the fields of the head, once it has arrived.
    public private(set) var head: ServerResponse?
    private let limits = HTTPLimits()
    private var framing = Framing.head
    private var waiting: [UInt8] = []

    /// Makes a reader for the answer to one request.
    public init() {}

    /// Whether the content has ended; without chunks, it ends with the connection.
    public var hasEnded: Bool { if case .ended = framing { true } else { false } }

    /// Reads bytes that have arrived.
    ///
    /// - Returns: The part of the content in them.
    /// - Throws: The problem with the answer; the connection is then useless.
    public mutating func read(_ bytes: [UInt8]) throws(ResponseReader.Failure) -> [UInt8] {
        if case .head = framing {
            waiting += bytes
            guard try readHead() else { return [] }
            let rest = waiting
            waiting = []
            return try content(of: rest)
        }
        return try content(of: bytes)
    }

    private mutating func readHead() throws(ResponseReader.Failure) -> Bool {
        while true {
            guard let (response, end) = try ResponseReader.head(in: waiting, limits) else {
                return false
            }
            waiting.removeSubrange(..<end)
            if (100..<200).contains(response.status) { continue }
            head = response
            let isChunked = !response.values(of: "transfer-encoding").isEmpty
            framing = isChunked ? .chunks(ChunkedReader()) : .plain
            return true
        }
    }

    private mutating func content(of bytes: [UInt8]) throws(ResponseReader.Failure) -> [UInt8] {
        guard case .chunks(var reader) = framing else { return hasEnded ? [] : bytes }
        var content: [UInt8] = []
        var place = 0
        do throws(RequestFailure) {
            let isComplete = try reader.read(
                bytes, at: &place, into: &content, bodyLimit: .max, limits: limits)
            framing = isComplete ? .ended : .chunks(reader)
        } catch {
            throw ResponseReader.Failure(problem: "has malformed chunks")
        }
        return content
    }
}
