import DataTree

/// A value as an order sees it, in two words whose order is the order of values.
///
/// Byte 0 is the kind. Then come, for a number, the bits of its double, so turned that they ascend,
/// and how far an integer was from its double; for a string, its first 14 bytes in the order of
/// UTF-16 and its length, or 255 for a longer one, which is kept whole in `long`.
/// Source: `firebase-semantics.md`, rules V2-V5; the same order as `Value.order(to:)`.
struct SortValue: Sendable {
    private let word0: UInt64
    private let word1: UInt64
    private let long: LongString?

    private init(_ word0: UInt64, _ word1: UInt64, long: LongString? = nil) {
        self.word0 = word0
        self.word1 = word1
        self.long = long
    }

    static let null = SortValue(0, 0)
    /// After everything else.
    static let greatest = SortValue(.max, .max)

    /// Takes a value, whose own priority plays no part.
    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .deferred: self.init(SortValue.head(.deferred), 0)
        case .boolean(let isTrue): self.init(SortValue.head(isTrue ? .true : .false), 0)
        case .integer(let number):
            let double = Double(number)
            // 2^63 is the one double that an integer rounds to and that is no integer.
            let distance =
                double < 0x1p63 ? number - Int64(double) : number - Int64.max - 1
            self.init(double, distance: distance)
        case .double(let number): self.init(number, distance: 0)
        case .string(let text): self.init(text)
        case .object: self.init(SortValue.head(.object), 0)
        case .prioritized(let value): self.init(value.content)
        }
    }

    private init(_ number: Double, distance: Int64) {
        let bits = number == 0 ? 0 : number.bitPattern
        let ascending = bits >> 63 == 1 ? ~bits : bits | 1 << 63
        // Doubles are at most 1024 apart where integers are: half of it, and room for the sign.
        self.init(
            SortValue.head(.number) | ascending >> 8,
            ascending << 56 | UInt64(bitPattern: distance + 2048))
    }

    private init(_ text: String) {
        let utf8 = text.utf8
        var words: (UInt64, UInt64) = (SortValue.head(.string), 0)
        var position = 1
        for byte in utf8.prefix(SortValue.inlineBytes) {
            let shift = UInt64(56 - 8 * (position & 7))
            if position < 8 {
                words.0 |= SortValue.inOrder(byte) << shift
            } else {
                words.1 |= SortValue.inOrder(byte) << shift
            }
            position += 1
        }
        if utf8.count <= SortValue.inlineBytes {
            self.init(words.0, words.1 | UInt64(utf8.count))
        } else {
            self.init(words.0, words.1 | 0xFF, long: LongString(text))
        }
    }

    private static let inlineBytes = 14

    private enum Kind: UInt64 { case null, deferred, `false`, `true`, number, string, object }

    private static func head(_ kind: Kind) -> UInt64 { kind.rawValue << 56 }

    /// UTF-16 puts the surrogates of four-byte characters before U+E000...U+FFFF.
    private static func inOrder(_ byte: UInt8) -> UInt64 {
        switch byte {
        case 0xEE, 0xEF: UInt64(byte) + 5
        case 0xF0...0xF4: UInt64(byte) - 2
        default: UInt64(byte)
        }
    }
}

extension SortValue: Comparable {
    @inline(__always)
    static func == (a: SortValue, b: SortValue) -> Bool {
        guard a.word0 == b.word0, a.word1 == b.word1 else { return false }
        guard let x = a.long, let y = b.long else { return true }
        return x === y || x.order(to: y) == .same
    }

    @inline(__always)
    static func < (a: SortValue, b: SortValue) -> Bool {
        if a.word0 != b.word0 { return a.word0 < b.word0 }
        if a.word1 != b.word1 { return a.word1 < b.word1 }
        guard let x = a.long, let y = b.long else { return false }
        return x.order(to: y) == .before
    }

    /// Adds all of the value: bounds of many listeners differ only at the end of a long text.
    func hash(into hasher: inout Hasher) {
        hasher.combine(word0)
        hasher.combine(word1)
        long?.hash(into: &hasher)
    }

    /// The words that are compared to sort many values; a comparison with a long value comes last.
    var words: (UInt64, UInt64) { (word0, word1) }
    var isLong: Bool { long != nil }
}

/// A string that does not fit into two words.
private final class LongString: Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Adds the bytes, by which strings are compared.
    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    func order(to other: LongString) -> Order {
        Value.string(text).order(to: .string(other.text))
    }
}
