internal import Marks

/// Puts the segments that the polls of a session bring in order, and joins them to messages.
///
/// Two polls can be on their way at once, so segments may come early, or twice if a browser repeats a request.
struct LongPollUploads {
    /// How far ahead of the next segment one may be.
    static let window = 1_000
    /// The most bytes of a message in base 64.
    static let byteLimit = ChunkJoiner.byteLimit / 3 * 4

    /// Why a session cannot go on.
    enum Failure: Error {
        /// The segments are no messages.
        case invalid
        case tooLarge
    }

    private var next = 0
    /// Segments that came before the one that is next.
    private var early: [Int: LongPollSegment] = [:]
    /// The beginning of the present message, and how many segments of it are missing.
    private var text: [UInt8] = []
    private var missing = 0
    private var earlyBytes = 0

    /// The bytes that wait for others.
    var waitingBytes: Int { text.count + earlyBytes }

    /// Adds a segment; returns the messages that are complete now, in their order.
    mutating func append(_ segment: LongPollSegment) throws(Failure) -> [[UInt8]] {
        guard segment.number >= next, early[segment.number] == nil else { return [] }
        guard segment.number - next < LongPollUploads.window else { throw .tooLarge }
        if segment.number > next { sometimes(.segmentComesEarly) }
        early[segment.number] = segment
        earlyBytes += segment.text.count
        guard waitingBytes <= LongPollUploads.byteLimit else { throw .tooLarge }
        var messages: [[UInt8]] = []
        while let segment = early.removeValue(forKey: next) {
            earlyBytes -= segment.text.count
            if let message = try join(segment) { messages.append(message) }
        }
        return messages
    }

    private mutating func join(_ segment: LongPollSegment) throws(Failure) -> [UInt8]? {
        next += 1
        if missing == 0 { missing = segment.count }
        text += segment.text
        missing -= 1
        guard missing == 0 else { return nil }
        defer { text = [] }
        guard let message = LongPollUploads.decoded(text) else { throw .invalid }
        return message
    }

    /// The bytes of a text in the base 64 of URLs, filled up with dots.
    static func decoded(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let digits = text.count - text.suffix(2).count(where: { $0 == UInt8(ascii: ".") })
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (bits, bitCount): (UInt32, Int) = (0, 0)
        for character in text[..<digits] {
            guard let digit = digit(character) else { return nil }
            bits = bits << 6 | digit
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
