/// Joins the WebSocket messages of a Firebase client to messages of its protocol: a client sends the number of
/// chunks of a long one, and then the chunks.
///
/// Chunks are bytes here, since firebase-cpp-sdk cuts them inside characters.
package struct ChunkJoiner {
    /// What a client may send in one message, as at Firebase.
    static let byteLimit = 16 << 20
    static let chunkLimit = 9_999

    /// What has come with the last WebSocket message.
    package enum Joined: Equatable {
        /// A sign of life, or a part.
        case nothing
        case message([UInt8])
        /// One chunk is outstanding, yet these bytes may be all: firebase-cpp-sdk announces one chunk too many if the
        /// length is a multiple of its chunk size. If they are JSON, call `finish`.
        case perhaps([UInt8])
        case tooLarge
    }

    private var outstanding = 0
    private var bytes: [UInt8] = []

    /// The bytes of the message that is not complete.
    var waitingBytes: Int { bytes.count }

    /// A joiner between two messages.
    package init() {}

    /// Takes a WebSocket message.
    package mutating func append(_ text: [UInt8]) -> Joined {
        if outstanding > 0 { return append(chunk: text) }
        if text.isEmpty { return .nothing }
        guard let count = ChunkJoiner.count(in: text) else {
            return text.count > ChunkJoiner.byteLimit ? .tooLarge : .message(text)
        }
        if count > ChunkJoiner.chunkLimit { return .tooLarge }
        outstanding = count
        return .nothing
    }

    private mutating func append(chunk: [UInt8]) -> Joined {
        if bytes.count + chunk.count > ChunkJoiner.byteLimit { return .tooLarge }
        bytes += chunk
        outstanding -= 1
        if outstanding == 0 { return .message(finish()) }
        let mayBeAll =
            outstanding == 1 && bytes.count.isMultiple(of: ChunkCutter.limit)
            && bytes.last == UInt8(ascii: "}")
        return mayBeAll ? .perhaps(bytes) : .nothing
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
