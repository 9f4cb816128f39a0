/// Joins the WebSocket messages of a Firebase client to messages of its protocol: a client sends the number of
/// chunks of a long one, and then the chunks.
///
/// Chunks are bytes here, since firebase-cpp-sdk cuts them inside characters.
package struct ChunkJoiner {
    /// The largest message of a client, as at Firebase.
    static let byteLimit = 16 << 20
    static let chunkLimit = 9_999

    /// The result of the last WebSocket message.
    package enum Joined: Equatable {
        /// A sign of life, or a part.
        case nothing
        case message([UInt8])
        /// One chunk is outstanding, yet these bytes may be all: firebase-cpp-sdk announces one chunk too many if the
        /// length is a multiple of its chunk size. If they are JSON, call `finish`.
        case perhaps([UInt8])
        /// The message is beyond the limits, and begins with these bytes; the rest of it is dropped.
        case tooLarge([UInt8])
    }

    private var outstanding = 0
    private var bytes: [UInt8] = []
    /// Whether the present message is beyond the limits: from the number of its chunks on, or since it was refused.
    private var hasTooManyChunks = false
    private var isRefused = false

    /// The bytes of the message that is not complete.
    var waitingBytes: Int { bytes.count }

    /// A joiner between two messages.
    package init() {}

    /// Takes a WebSocket message.
    package mutating func append(_ text: [UInt8]) -> Joined {
        if outstanding > 0 { return append(chunk: text) }
        if text.isEmpty { return .nothing }
        guard let count = ChunkJoiner.count(in: text) else {
            return text.count > ChunkJoiner.byteLimit ? .tooLarge(text) : .message(text)
        }
        outstanding = count
        hasTooManyChunks = count > ChunkJoiner.chunkLimit
        return .nothing
    }

    private mutating func append(chunk: [UInt8]) -> Joined {
        outstanding -= 1
        if isRefused { return drop() }
        if hasTooManyChunks || bytes.count + chunk.count > ChunkJoiner.byteLimit {
            let beginning = bytes.isEmpty ? chunk : bytes
            _ = drop()
            return .tooLarge(beginning)
        }
        bytes += chunk
        if outstanding == 0 { return .message(finish()) }
        let mayBeAll =
            outstanding == 1 && bytes.count.isMultiple(of: ChunkCutter.limit)
            && bytes.last == UInt8(ascii: "}")
        return mayBeAll ? .perhaps(bytes) : .nothing
    }

    /// Drops a chunk of a message beyond the limits, and what there is of it.
    private mutating func drop() -> Joined {
        bytes = []
        isRefused = outstanding > 0
        return .nothing
    }

    /// Ends the present message; returns its bytes.
    @discardableResult
    mutating func finish() -> [UInt8] {
        outstanding = 0
        defer { bytes = [] }
        return bytes
    }

    /// The number that a text of at most six characters is.
    private static func count(in text: [UInt8]) -> Int? {
        guard text.count <= 6, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
