/// The WebSocket messages to one Firebase client, in order: while those of a large value leave one by one, later ones
/// wait.
struct RealtimeOutgoing {
    private enum Waiting {
        case text([UInt8])
        case stream(ChunkStream)
    }

    /// With more bytes of texts, or more messages, behind a large value than this the session has to end.
    static let byteLimit = 16 << 20
    static let countLimit = 25_000
    /// About so much of a large value is sent at a time.
    private static let partBytes = 256 << 10

    private var waiting: [Waiting] = []
    private var waitingBytes = 0

    /// Whether messages wait until the connection has room.
    var isWaiting: Bool { !waiting.isEmpty }
    /// Whether too much waits.
    var isFull: Bool {
        waitingBytes > RealtimeOutgoing.byteLimit || waiting.count > RealtimeOutgoing.countLimit
    }

    /// The frames of a text that can be sent now.
    mutating func send(_ text: [UInt8]) -> [[UInt8]] {
        if waiting.isEmpty { return ChunkCutter.frames(of: text) }
        waiting.append(.text(text))
        waitingBytes += text.count
        return []
    }

    /// The first frames of a large value.
    mutating func send(_ stream: ChunkStream) -> [[UInt8]] {
        waiting.append(.stream(stream))
        return waiting.count == 1 ? next() : []
    }

    /// The next frames, once the earlier ones have left.
    mutating func next() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var room = RealtimeOutgoing.partBytes
        while room > 0, !waiting.isEmpty {
            let added = takeFrames()
            // A large value has ended; another one begins once this one has left.
            if added.isEmpty, case .stream? = waiting.first { break }
            room -= added.reduce(0) { $0 + $1.count }
            frames += added
        }
        return frames
    }

    private mutating func takeFrames() -> [[UInt8]] {
        switch waiting[0] {
        case .text(let text):
            waiting.removeFirst()
            waitingBytes -= text.count
            return ChunkCutter.frames(of: text)
        case .stream(var stream):
            let frame = stream.next()
            if frame == nil { waiting.removeFirst() } else { waiting[0] = .stream(stream) }
            return frame.map { [$0] } ?? []
        }
    }
}
