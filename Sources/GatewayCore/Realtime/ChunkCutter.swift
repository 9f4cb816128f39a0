internal import DataTree
internal import JSONText

/// Cuts long texts into chunks as Firebase's clients expect them: of at most 16,384 UTF-16 code units, between
/// characters. So a chunk has less than 65,536 bytes, which firebase-admin-java requires of a frame.
enum ChunkCutter {
    /// The most UTF-16 code units of a chunk.
    static let limit = 16_384

    /// Where the chunk ends that begins at an index; nil if the text ends before the chunk is full.
    static func end(of text: [UInt8], from start: Int) -> Int? {
        if text.count - start <= limit { return nil }
        var units = 0
        for index in start..<text.count {
            switch text[index] {
            case 0x80..<0xC0: continue
            case 0xF0...: units += 2
            default: units += 1
            }
            if units > limit { return index }
        }
        return nil
    }

    /// The WebSocket messages of a text: itself, or the number of its chunks, and these.
    static func frames(of text: [UInt8]) -> [[UInt8]] {
        guard var end = end(of: text, from: 0) else { return [text] }
        var chunks = [Array(text[..<end])]
        while let next = self.end(of: text, from: end) {
            chunks.append(Array(text[end..<next]))
            end = next
        }
        chunks.append(Array(text[end...]))
        return [Array(String(chunks.count).utf8)] + chunks
    }
}

/// A message with a large value, whose chunks are made one by one, so that it takes no memory of its own.
///
/// The number of chunks comes first; so the value is written twice.
struct ChunkStream {
    /// Values whose text is shorter are sent whole.
    static let threshold = 256 << 10

    private var isCounted = false
    private var writer: JSONWriter
    private let tail: [UInt8]
    private var bytes: [UInt8]
    private var hasMore = true

    /// The message that consists of a head, a value in export form, and a tail.
    init(_ head: [UInt8], _ value: Value, _ tail: [UInt8]) {
        writer = JSONWriter(value, form: .export)
        (bytes, self.tail) = (head, tail)
    }

    /// The next WebSocket message; nil at the end.
    mutating func next() -> [UInt8]? {
        if isCounted { return nextChunk() }
        isCounted = true
        var copy = self
        var count = 0
        while copy.nextChunk() != nil { count += 1 }
        return Array(String(count).utf8)
    }

    private mutating func nextChunk() -> [UInt8]? {
        while true {
            if let end = ChunkCutter.end(of: bytes, from: 0) {
                let chunk = Array(bytes[..<end])
                bytes.removeFirst(end)
                return chunk
            }
            guard hasMore else {
                defer { bytes = [] }
                return bytes.isEmpty ? nil : bytes
            }
            hasMore = writer.write(to: &bytes, atLeast: 4 * ChunkCutter.limit)
            if !hasMore { bytes += tail }
        }
    }
}
