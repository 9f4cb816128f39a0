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
        guard KeyRules.allow(utf8) else {
            let text = String(decoding: utf8.prefix(80), as: UTF8.self)
            throw DataError(
                problem: "invalid key \"\(text)\": \(KeyRules.failure(in: utf8))",
                fix: "use 1 to \(Limits.keyBytes) bytes without . # $ / [ ] or control characters")
        }
        self.init(uncheckedUTF8: utf8)
    }

    /// Takes a key that is known to be valid, such as a literal or a push ID.
    public init(unchecked text: String) {
        var text = text
        self = text.withUTF8 { Key(uncheckedUTF8: $0) }
    }

    /// The key as text.
    public var text: String {
        withUTF8 { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether this is the key of a name, byte for byte.
    package func isNamed(_ name: String) -> Bool {
        var name = name
        return name.withUTF8(isSpelled)
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

    @usableFromInline
    init(_ words: (UInt64, UInt64, UInt64, UInt64), overflow: LongKey? = nil) {
        (word0, word1, word2, word3) = words
        self.overflow = overflow
    }

    var isInteger: Bool { word0 >> 56 == UInt64(IntegerKey.marker) }

    /// Whether its bytes are those of its text, in which nothing is exchanged.
    var isPlain: Bool { overflow == nil && !isInteger && isASCII }

    private var isASCII: Bool {
        // The length byte is at most 31 here, so its high bit is never set.
        (word0 | word1 | word2 | word3) & 0x8080_8080_8080_8080 == 0
    }
}

// MARK: - Order

extension Key: Comparable, Hashable {
    /// Whether the first comes before the second: integers first, then by bytes.
    @inlinable
    public static func < (a: Key, b: Key) -> Bool {
        if a.word0 != b.word0 { return a.word0 < b.word0 }
        if a.word1 != b.word1 { return a.word1 < b.word1 }
        if a.word2 != b.word2 { return a.word2 < b.word2 }
        if a.word3 != b.word3 { return a.word3 < b.word3 }
        guard let x = a.overflow, let y = b.overflow else { return false }
        return x.precedes(y)
    }

    /// Whether both have the same bytes.
    @inlinable
    public static func == (a: Key, b: Key) -> Bool {
        guard a.word0 == b.word0, a.word1 == b.word1, a.word2 == b.word2, a.word3 == b.word3
        else { return false }
        guard let x = a.overflow, let y = b.overflow else { return true }
        return x === y || x.utf8 == y.utf8
    }

    /// Adds the bytes of the key.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(word0)
        hasher.combine(word1)
        hasher.combine(word2)
        hasher.combine(word3)
        if let overflow { hasher.combine(overflow.utf8) }
    }
}

extension Key: CustomStringConvertible {
    /// The text of the key.
    public var description: String { text }
}
