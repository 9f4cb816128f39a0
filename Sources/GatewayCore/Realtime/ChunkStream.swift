/// A message with a value of any size. Its WebSocket messages are made one by one, so a large one needs no memory
/// of its own.
///
/// The number of chunks precedes them, so a large text is written twice. The first pass only counts. It is divided
/// into steps, so that other clients do not wait for it.
struct ChunkStream {
    /// What comes next.
    enum Step: Equatable {
        /// All WebSocket messages, as the text is not large.
        case whole([[UInt8]])
        /// One WebSocket message.
        case frame([UInt8])
        /// Nothing yet: not all chunks are counted.
        case counts
        case ended
    }

    private enum Phase {
        case unread(AnswerText)
        case counting(Chunks, count: Int, AnswerText)
        case sending(Chunks)
        case ended
    }

    /// So many chunks are counted at a time: as much text as a part has that is sent.
    private static let countedAtOnce = 16

    private let sizes: PartSizes
    private var phase: Phase

    /// The messages of a text.
    init(_ text: AnswerText, in sizes: PartSizes = PartSizes()) {
        (self.sizes, phase) = (sizes, .unread(text))
    }

    /// Returns what comes next.
    mutating func next() -> Step {
        // Taken out, so that it is changed in place.
        var present = Phase.ended
        swap(&present, &phase)
        switch present {
        case .unread(let text):
            var chunks = Chunks(text, of: sizes.chunkUnits)
            guard chunks.read(atLeast: sizes.textBytes) else {
                return .whole(ChunkCutter.frames(of: chunks.bytes, limit: sizes.chunkUnits))
            }
            phase = .counting(chunks, count: 0, text)
            return .counts
        case .counting(let chunks, let count, let text): return self.count(chunks, count, of: text)
        case .sending(var chunks):
            guard let chunk = chunks.next() else { return .ended }
            phase = .sending(chunks)
            return .frame(chunk)
        case .ended: return .ended
        }
    }

    private mutating func count(_ chunks: consuming Chunks, _ count: Int, of text: AnswerText)
        -> Step
    {
        var (chunks, count) = (chunks, count)
        for _ in 0..<ChunkStream.countedAtOnce {
            guard chunks.nextRange() != nil else {
                phase = .sending(Chunks(text, of: sizes.chunkUnits))
                return .frame(Array(String(count).utf8))
            }
            count += 1
        }
        phase = .counting(chunks, count: count, text)
        return .counts
    }
}

/// The chunks of a text, of which it holds a part in memory.
private struct Chunks {
    /// The most UTF-16 code units of a chunk.
    private let limit: Int
    private var text: AnswerText
    private(set) var bytes: [UInt8] = []
    /// The start of the next chunk.
    private var start = 0
    private var hasMore = true

    init(_ text: AnswerText, of limit: Int) { (self.text, self.limit) = (text, limit) }

    /// Reads on in the text; returns whether more follows.
    mutating func read(atLeast count: Int) -> Bool {
        bytes.removeSubrange(..<start)
        start = 0
        hasMore = text.write(to: &bytes, atLeast: count)
        return hasMore
    }

    mutating func next() -> [UInt8]? { nextRange().map { Array(bytes[$0]) } }

    /// Returns the range of the next chunk in `bytes`; nil at the end.
    mutating func nextRange() -> Range<Int>? {
        while true {
            if let end = ChunkCutter.end(of: bytes, from: start, limit: limit) {
                defer { start = end }
                return start..<end
            }
            guard hasMore else {
                defer { start = bytes.count }
                return start < bytes.count ? start..<bytes.count : nil
            }
            _ = read(atLeast: 4 * limit)
        }
    }
}
