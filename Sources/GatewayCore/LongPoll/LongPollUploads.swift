internal import Marks

/// Puts the segments that the polls of a session bring in order, and joins them to messages.
///
/// Two polls can be on their way at once, so segments may come early, or twice if a browser repeats a request.
struct LongPollUploads {
    /// How far ahead of the next segment one may be.
    static let window = 1_000
    /// The most bytes of a message in base 64.
    static let byteLimit = ChunkJoiner.byteLimit / 3 * 4

    /// So much of a message beyond the limit is kept, in base 64, to find its number.
    private static let beginningBytes = 64 << 10

    /// Why a session cannot go on.
    enum Failure: Error {
        /// The segments are no messages.
        case invalid
        case tooLarge
    }

    /// The result of some segments.
    enum Upload: Equatable {
        case message([UInt8])
        /// A message beyond the limit, which begins with these bytes; the rest of it is dropped.
        case tooLarge([UInt8])
    }

    private var next = 0
    /// Segments that came before the one that is next.
    private var early: [Int: LongPollSegment] = [:]
    /// The beginning of the present message, and how many segments of it are missing.
    private var text: [UInt8] = []
    private var missing = 0
    /// Whether the present message is beyond the limit, so that only its beginning is kept.
    private var isTooLarge = false
    private var earlyBytes = 0

    /// The bytes that wait for others.
    var waitingBytes: Int { text.count + earlyBytes }

    /// Adds a segment; returns the messages that are complete now, in their order.
    mutating func append(_ segment: LongPollSegment) throws(Failure) -> [Upload] {
        guard segment.number >= next, early[segment.number] == nil else { return [] }
        guard segment.number - next < LongPollUploads.window else { throw .tooLarge }
        if segment.number > next { sometimes(.segmentComesEarly) }
        early[segment.number] = segment
        earlyBytes += segment.text.count
        var uploads: [Upload] = []
        while let segment = early.removeValue(forKey: next) {
            earlyBytes -= segment.text.count
            if let upload = try join(segment) { uploads.append(upload) }
        }
        // Segments that wait for a missing earlier one.
        guard earlyBytes <= LongPollUploads.byteLimit else { throw .tooLarge }
        return uploads
    }

    private mutating func join(_ segment: LongPollSegment) throws(Failure) -> Upload? {
        next += 1
        if missing == 0 { missing = segment.count }
        missing -= 1
        if !isTooLarge { text += segment.text }
        if text.count > LongPollUploads.byteLimit {
            isTooLarge = true
            text = Array(text.prefix(LongPollUploads.beginningBytes))
        }
        guard missing == 0 else { return nil }
        defer { (text, isTooLarge) = ([], false) }
        guard let message = LongPollUploads.decoded(text) else { throw .invalid }
        return isTooLarge ? .tooLarge(message) : .message(message)
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
