/// The name of a child, stored so that comparing four words gives Firebase's key order.
///
/// Order: keys that read as 32-bit integers first, by number and then by length; then all others by
/// UTF-16 code unit. Keys are equal only if their bytes are (Swift's `String` equality is canonical
/// equivalence, which would merge different keys). Source: `firebase-semantics.md`, section 2.1.
///
/// The 31 bytes that fit inline hold the key's *sort form*, in which byte order is key order:
/// - a string key is its UTF-8 with the lead bytes EE...F4 exchanged, because UTF-16 sorts the
///   surrogates of a four-byte character before U+E000...U+FFFF;
/// - an integer key is the byte 01 (no string key starts so low), the number with its sign bit
///   flipped in four bytes, its length, and its text.
///
/// Byte 32 is the length of the sort form, or 255 for a longer one, kept whole in `overflow`.
public struct Key: Sendable {
    @usableFromInline let word0: UInt64
    @usableFromInline let word1: UInt64
    @usableFromInline let word2: UInt64
    @usableFromInline let word3: UInt64
    @usableFromInline let overflow: LongKey?

    /// The reserved child that holds a location's priority; sorts as the string it is.
    public static let priority = Key(unchecked: ".priority")

    /// Takes a key from text that a user or a peer sent.
    public init(_ text: String) throws(DataError) {
        var text = text
        let result: Result<Key, DataError> = text.withUTF8 { bytes in
            do throws(DataError) {
                return .success(try Key(validating: bytes))
            } catch {
                return .failure(error)
            }
        }
        self = try result.get()
    }

    /// Takes a key from UTF-8 bytes, checking every rule but the UTF-8 encoding itself.
    public init(validating utf8: UnsafeBufferPointer<UInt8>) throws(DataError) {
        if let flaw = Key.flaw(in: utf8) {
            throw DataError(
                problem: "invalid key \"\(String(decoding: utf8.prefix(80), as: UTF8.self))\": \(flaw)",
                fix: "use 1 to \(Limits.keyBytes) bytes without . # $ / [ ] or control characters")
        }
        self.init(uncheckedUTF8: utf8)
    }

    /// Takes a key that is known to be valid, such as a literal or a push ID.
    public init(unchecked text: String) {
        var text = text
        self = text.withUTF8 { Key(uncheckedUTF8: $0) }
    }

    /// Takes UTF-8 bytes that are known to be a valid key.
    public init(uncheckedUTF8 utf8: UnsafeBufferPointer<UInt8>) {
        if let number = IntegerKey.value(of: utf8) {
            self.init(integer: number, text: utf8)
        } else if utf8.count <= 31 {
            self.init(short: utf8)
        } else {
            self.init(long: utf8)
        }
    }

    /// The key as text.
    public var text: String {
        withUTF8 { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the key's UTF-8 bytes, which live no longer than the call.
    public func withUTF8<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        if let overflow { return overflow.utf8.withUnsafeBufferPointer(body) }
        var words = (word0.bigEndian, word1.bigEndian, word2.bigEndian, word3.bigEndian)
        return withUnsafeMutableBytes(of: &words) { raw in
            let bytes = raw.bindMemory(to: UInt8.self)
            if bytes[0] == IntegerKey.marker {
                return body(UnsafeBufferPointer(rebasing: bytes[6..<Int(bytes[31])]))
            }
            let text = UnsafeMutableBufferPointer(rebasing: bytes[..<Int(bytes[31])])
            if !isASCII { for index in text.indices { text[index] = SortForm.utf8(text[index]) } }
            return body(UnsafeBufferPointer(text))
        }
    }

    /// Length of the key in UTF-8 bytes.
    public var utf8Count: Int {
        if let overflow { return overflow.utf8.count }
        let length = Int(word3 & 0xFF)
        return isInteger ? length - 6 : length
    }

    /// The number of an integer key, or nil for a string key.
    public var integer: Int32? {
        guard isInteger else { return nil }
        return Int32(bitPattern: UInt32(truncatingIfNeeded: word0 >> 24) ^ 0x8000_0000)
    }

    var isInteger: Bool { word0 >> 56 == UInt64(IntegerKey.marker) }

    private var isASCII: Bool {
        // The length byte is at most 31 here, so its high bit is never set.
        (word0 | word1 | word2 | word3) & 0x8080_8080_8080_8080 == 0
    }
}

// MARK: - Order

extension Key: Comparable, Hashable {
    @inlinable
    public static func < (a: Key, b: Key) -> Bool {
        if a.word0 != b.word0 { return a.word0 < b.word0 }
        if a.word1 != b.word1 { return a.word1 < b.word1 }
        if a.word2 != b.word2 { return a.word2 < b.word2 }
        if a.word3 != b.word3 { return a.word3 < b.word3 }
        guard let x = a.overflow, let y = b.overflow else { return false }
        return x.precedes(y)
    }

    @inlinable
    public static func == (a: Key, b: Key) -> Bool {
        guard a.word0 == b.word0, a.word1 == b.word1, a.word2 == b.word2, a.word3 == b.word3
        else { return false }
        guard let x = a.overflow, let y = b.overflow else { return true }
        return x === y || x.utf8 == y.utf8
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(word0)
        hasher.combine(word1)
        hasher.combine(word2)
        hasher.combine(word3)
        if let overflow { hasher.combine(overflow.utf8) }
    }
}

extension Key: CustomStringConvertible {
    public var description: String { text }
}

// MARK: - Construction

extension Key {
    private init(short utf8: UnsafeBufferPointer<UInt8>) {
        self.init(length: UInt8(utf8.count)) { sortForm in
            for index in utf8.indices { sortForm[index] = SortForm.byte(utf8[index]) }
        }
    }

    private init(integer: Int32, text: UnsafeBufferPointer<UInt8>) {
        self.init(length: UInt8(6 + text.count)) { sortForm in
            let ordered = UInt32(bitPattern: integer) ^ 0x8000_0000
            sortForm[0] = IntegerKey.marker
            for index in 0..<4 {
                sortForm[1 + index] = UInt8(truncatingIfNeeded: ordered >> (24 - 8 * UInt32(index)))
            }
            sortForm[5] = UInt8(text.count)
            for index in text.indices { sortForm[6 + index] = text[index] }
        }
    }

    private init(long utf8: UnsafeBufferPointer<UInt8>) {
        self.init(length: 255, overflow: LongKey(Array(utf8))) { sortForm in
            for index in 0..<31 { sortForm[index] = SortForm.byte(utf8[index]) }
        }
    }

    private init(
        length: UInt8, overflow: LongKey? = nil,
        fill: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, UInt64(length).bigEndian)
        withUnsafeMutableBytes(of: &words) { fill($0.bindMemory(to: UInt8.self)) }
        word0 = words.0.bigEndian
        word1 = words.1.bigEndian
        word2 = words.2.bigEndian
        word3 = words.3.bigEndian
        self.overflow = overflow
    }

    /// Says why the bytes are not a valid key, or nil. Source: section 2, rule K1.
    private static func flaw(in utf8: UnsafeBufferPointer<UInt8>) -> String? {
        if utf8.isEmpty { return "it is empty" }
        if utf8.count > Limits.keyBytes { return "it has \(utf8.count) bytes" }
        for byte in utf8 {
            switch byte {
            case 0x00...0x1F, 0x7F: return "it contains a control character"
            case UInt8(ascii: "."), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "/"),
                UInt8(ascii: "["), UInt8(ascii: "]"):
                return "it contains \"\(Character(UnicodeScalar(byte)))\""
            default: continue
            }
        }
        return nil
    }
}

/// A key whose sort form does not fit inline.
@usableFromInline
final class LongKey: Sendable {
    @usableFromInline let utf8: [UInt8]

    init(_ utf8: [UInt8]) { self.utf8 = utf8 }

    @usableFromInline
    func precedes(_ other: LongKey) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8) { SortForm.byte($0) < SortForm.byte($1) }
    }
}

/// Exchanges lead bytes so that UTF-8 byte order becomes UTF-16 code unit order.
@usableFromInline
enum SortForm {
    @usableFromInline
    static func byte(_ utf8: UInt8) -> UInt8 {
        switch utf8 {
        case 0xEE, 0xEF: utf8 + 5  // U+E000...U+FFFF, after every surrogate pair.
        case 0xF0...0xF4: utf8 - 2  // Written as surrogates D800...DFFF in UTF-16.
        default: utf8
        }
    }

    static func utf8(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0xEE...0xF2: byte + 2
        case 0xF3, 0xF4: byte - 5
        default: byte
        }
    }
}

/// Which keys order as numbers: an optional minus and digits, at most 11 characters, in 32 bits.
enum IntegerKey {
    static let marker: UInt8 = 1

    static func value(of utf8: UnsafeBufferPointer<UInt8>) -> Int32? {
        guard let first = utf8.first, utf8.count <= 11 else { return nil }
        let negative = first == UInt8(ascii: "-")
        guard utf8.count > (negative ? 1 : 0) else { return nil }
        var magnitude: Int64 = 0
        for byte in utf8.dropFirst(negative ? 1 : 0) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            magnitude = magnitude * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return Int32(exactly: negative ? -magnitude : magnitude)
    }
}
