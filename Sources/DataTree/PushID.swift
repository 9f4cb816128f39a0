/// Makes keys that sort by the time at which they were made: Firebase's push IDs.
///
/// 20 characters: 8 for the milliseconds since 1970 and 12 for a random number, in base 64 with an
/// alphabet in ASCII order. Each key is greater than the previous one. If the clock stops or steps
/// back, the time of the previous key stays and the random number grows by one.
///
/// Source: `firebase-semantics.md`, rules P1-P9; unlike Firebase's clients it stays monotonic across
/// P7 (the random number overflows) and P8 (the clock steps back).
public struct PushIDGenerator: Sendable {
    private var last: PushID?

    /// A generator that has given nothing out yet.
    public init() {}

    /// The next key.
    ///
    /// - Parameters:
    ///   - milliseconds: Time since 1970, below 2^48 (the year 10889).
    ///   - random: Gives 72 bits when a new millisecond begins. Where keys must not be guessed, this
    ///     is a generator fit for cryptography.
    public mutating func next(
        at milliseconds: UInt64, random: inout some RandomNumberGenerator
    ) -> Key {
        if let last, milliseconds <= last.milliseconds {
            let following = last.incremented
            self.last =
                following ?? PushID(milliseconds: last.milliseconds + 1, random: &random)
        } else {
            last = PushID(milliseconds: milliseconds, random: &random)
        }
        return last!.key
    }
}

/// The time and the random number that a push ID spells.
public struct PushID: Equatable, Sendable {
    /// Time since 1970.
    public let milliseconds: UInt64
    // Two halves of 36 bits, six digits each.
    private let high: UInt64
    private let low: UInt64

    private static let halfLimit: UInt64 = 1 << 36
    private static let timeLimit: UInt64 = 1 << 48

    init(milliseconds: UInt64, random: inout some RandomNumberGenerator) {
        self.init(
            milliseconds, random.next(upperBound: PushID.halfLimit),
            random.next(upperBound: PushID.halfLimit))
    }

    private init(_ milliseconds: UInt64, _ high: UInt64, _ low: UInt64) {
        precondition(milliseconds < PushID.timeLimit, "push IDs end before \(milliseconds) ms")
        self.milliseconds = milliseconds
        self.high = high
        self.low = low
    }

    /// Reads a push ID, or returns nil for any other key.
    public init?(_ key: Key) {
        guard key.utf8Count == 20 else { return nil }
        var digits: (time: UInt64, high: UInt64, low: UInt64) = (0, 0, 0)
        let isValid = key.withUTF8 { text in
            for (index, character) in text.enumerated() {
                guard let digit = PushID.digit(of: character) else { return false }
                switch index {
                case 0..<8: digits.time = digits.time << 6 | digit
                case 8..<14: digits.high = digits.high << 6 | digit
                default: digits.low = digits.low << 6 | digit
                }
            }
            return true
        }
        guard isValid else { return nil }
        self.init(digits.time, digits.high, digits.low)
    }

    /// The ID that follows within the same millisecond, or nil after the last one.
    var incremented: PushID? {
        if low + 1 < PushID.halfLimit { return PushID(milliseconds, high, low + 1) }
        if high + 1 < PushID.halfLimit { return PushID(milliseconds, high + 1, 0) }
        return nil
    }

    /// The ID as the key of a child.
    public var key: Key {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            text.initialize(repeating: 0)
            PushID.write(milliseconds, to: text[0..<8])
            PushID.write(high, to: text[8..<14])
            PushID.write(low, to: text[14..<20])
            return Key(uncheckedUTF8: UnsafeBufferPointer(text))
        }
    }

    private static func write(
        _ number: UInt64, to digits: Slice<UnsafeMutableBufferPointer<UInt8>>
    ) {
        var rest = number
        for index in digits.indices.reversed() {
            digits.base[index] = character(of: rest & 63)
            rest >>= 6
        }
    }

    // The alphabet in ASCII order: - 0...9 A...Z _ a...z

    private static func character(of digit: UInt64) -> UInt8 {
        let digit = UInt8(digit)
        return switch digit {
        case 0: UInt8(ascii: "-")
        case 1...10: UInt8(ascii: "0") + digit - 1
        case 11...36: UInt8(ascii: "A") + digit - 11
        case 37: UInt8(ascii: "_")
        default: UInt8(ascii: "a") + digit - 38
        }
    }

    private static func digit(of character: UInt8) -> UInt64? {
        switch character {
        case UInt8(ascii: "-"): 0
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(character - UInt8(ascii: "0")) + 1
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt64(character - UInt8(ascii: "A")) + 11
        case UInt8(ascii: "_"): 37
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt64(character - UInt8(ascii: "a")) + 38
        default: nil
        }
    }
}
