internal import Marks

/// The WebSocket messages to one Firebase client, in order: while those of a large value leave one by one, later ones
/// wait.
struct RealtimeOutgoing {
    private enum Waiting {
        case text([UInt8])
        case value(ChunkStream)
    }

    /// With more bytes of texts, or more messages, behind a large value than this the session has to end.
    static let byteLimit = 16 << 20
    static let countLimit = 25_000

    private let sizes: PartSizes
    private var waiting: ArraySlice<Waiting> = []
    /// The bytes of the texts that wait.
    private(set) var waitingBytes = 0
    private var valueBytes = 0

    init(in sizes: PartSizes = PartSizes()) { self.sizes = sizes }

    /// Whether messages wait until the connection has room.
    var isWaiting: Bool { !waiting.isEmpty }
    /// Whether too much waits.
    var isFull: Bool {
        waitingBytes > RealtimeOutgoing.byteLimit || waiting.count > RealtimeOutgoing.countLimit
    }

    /// Begins to count the values of a turn.
    mutating func beginTurn() { valueBytes = 0 }

    /// The frames of a text that can be sent now.
    mutating func send(_ text: [UInt8]) -> [[UInt8]] {
        if waiting.isEmpty { return ChunkCutter.frames(of: text, limit: sizes.chunkUnits) }
        sometimes(.textWaitsBehindLargeValue)
        waiting.append(.text(text))
        waitingBytes += text.count
        return []
    }

    /// The frames of a text with a value that can be sent now.
    mutating func send(value text: AnswerText) -> [[UInt8]] {
        if !waiting.isEmpty { sometimes(.valueWaitsBehindAnother) }
        waiting.append(.value(ChunkStream(text, in: sizes)))
        guard waiting.count == 1, valueBytes < sizes.valueBytesPerTurn else { return [] }
        let frames = next()
        valueBytes += frames.reduce(0) { $0 + $1.count }
        return frames
    }

    /// The next frames, once the earlier ones have left; none while chunks are counted.
    mutating func next() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var room = sizes.sendBytes
        var hasEndedLarge = false
        while room > 0, let next = waiting.first {
            // Once a large value has left, another one begins.
            if hasEndedLarge, case .value = next { break }
            guard let added = removeFrames(&hasEndedLarge) else { break }
            room -= added.reduce(0) { $0 + $1.count }
            frames += added
        }
        return frames
    }

    /// The next frames of what waits first; nil while its chunks are counted.
    private mutating func removeFrames(_ hasEndedLarge: inout Bool) -> [[UInt8]]? {
        switch waiting[waiting.startIndex] {
        case .text(let text):
            waiting.removeFirst()
            waitingBytes -= text.count
            return ChunkCutter.frames(of: text, limit: sizes.chunkUnits)
        case .value(var stream):
            // Nothing else holds it, so that it is changed in place.
            waiting[waiting.startIndex] = .text([])
            let step = stream.next()
            switch step {
            case .whole(let frames):
                waiting.removeFirst()
                return frames
            case .frame(let frame):
                waiting[waiting.startIndex] = .value(stream)
                return [frame]
            case .counts:
                waiting[waiting.startIndex] = .value(stream)
                return nil
            case .ended:
                waiting.removeFirst()
                hasEndedLarge = true
                return []
            }
        }
    }
}
