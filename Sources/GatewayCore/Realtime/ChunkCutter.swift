internal import DataTree
internal import JSONText

/// Cuts long texts into chunks as Firebase's clients expect them: of at most 16,384 UTF-16 code units, between
/// characters. So a chunk has less than 65,536 bytes, which firebase-admin-java requires of a frame.
enum ChunkCutter {
    /// The most UTF-16 code units of a chunk.
    static let limit = 16_384

    /// Returns the end of the chunk that begins at an index; nil if the text ends before the chunk is full.
    static func end(of text: [UInt8], from start: Int, limit: Int = limit) -> Int? {
        if text.count - start <= limit { return nil }
        return text.withUnsafeBytes { text in
            let ahead = UnsafeRawBufferPointer(rebasing: text[start..<start + limit])
            // A byte of more than 7 bits is a part of a character, and the next one may be too.
            if text[start + limit] < 0x80, ahead.isASCII { return start + limit }
            return endOfCharacters(in: text, from: start, limit: limit)
        }
    }

    private static func endOfCharacters(
        in text: UnsafeRawBufferPointer, from start: Int, limit: Int
    ) -> Int? {
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
    static func frames(of text: [UInt8], limit: Int = limit) -> [[UInt8]] {
        guard var end = end(of: text, from: 0, limit: limit) else { return [text] }
        var chunks = [Array(text[..<end])]
        while let next = self.end(of: text, from: end, limit: limit) {
            chunks.append(Array(text[end..<next]))
            end = next
        }
        chunks.append(Array(text[end...]))
        return [Array(String(chunks.count).utf8)] + chunks
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes have 7 bits.
    fileprivate var isASCII: Bool {
        var bits: UInt64 = 0
        for index in stride(from: 0, to: count & ~7, by: 8) {
            bits |= loadUnaligned(fromByteOffset: index, as: UInt64.self)
        }
        for index in count & ~7..<count { bits |= UInt64(self[index]) }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}
