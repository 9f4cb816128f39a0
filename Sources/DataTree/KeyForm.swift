// How the bytes of a key become its sort form, eight at a time: every operation names a few keys.

extension Key {
    /// Takes UTF-8 bytes that are known to be a valid key.
    public init(uncheckedUTF8 utf8: UnsafeBufferPointer<UInt8>) {
        if let number = IntegerKey.value(of: utf8) {
            self.init(integer: number, text: utf8)
            return
        }
        var words = (utf8.word(at: 0), utf8.word(at: 8), utf8.word(at: 16), utf8.word(at: 24))
        if (words.0 | words.1 | words.2 | words.3) & 0x8080_8080_8080_8080 != 0 {
            words.0 = SortForm.word(words.0)
            words.1 = SortForm.word(words.1)
            words.2 = SortForm.word(words.2)
            words.3 = SortForm.word(words.3)
        }
        if utf8.count <= 31 {
            words.3 |= UInt64(utf8.count)
            self.init(words)
        } else {
            words.3 |= 0xFF
            self.init(words, overflow: LongKey(Array(utf8)))
        }
    }

    private init(integer: Int32, text: UnsafeBufferPointer<UInt8>) {
        let ordered = UInt64(UInt32(bitPattern: integer) ^ 0x8000_0000)
        let start = text.word(at: 0)
        let end = text.word(at: 8)
        let head = UInt64(IntegerKey.marker) << 56 | ordered << 24 | UInt64(text.count) << 16
        self.init((head | start >> 48, start << 16 | end >> 48, end << 16, UInt64(6 + text.count)))
    }

    /// Whether the key is spelled by these bytes.
    func isSpelled(by utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        if utf8.count != utf8Count { return false }
        // Most keys are short ASCII text, which is compared as it is kept.
        guard isPlain else { return withUTF8 { $0.elementsEqual(utf8) } }
        if utf8.word(at: 0) != word0 { return false }
        if utf8.count <= 8 { return true }
        return utf8.word(at: 8) == word1 && utf8.word(at: 16) == word2
            && utf8.word(at: 24) | UInt64(utf8.count) == word3
    }

    /// The key of an array's element.
    ///
    /// - Parameter index: zero or more, and less than 2^31.
    public init(index: Int) {
        precondition(index >= 0 && index <= Int32.max, "an array has no element \(index)")
        self.init(unchecked: String(index))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The eight bytes from `offset` on, the first one highest, and zero for those past the end.
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 {
        let left = count &- offset
        if left <= 0 { return 0 }
        if left >= 8 { return wholeWord(at: offset) }
        if count >= 8 { return wholeWord(at: count &- 8) &<< UInt64(64 &- 8 &* left) }
        var word: UInt64 = 0
        for index in 0..<left { word |= UInt64(self[index]) &<< UInt64(56 &- 8 &* index) }
        return word
    }

    /// The eight bytes from `offset` on, which must exist.
    @inline(__always)
    fileprivate func wholeWord(at offset: Int) -> UInt64 {
        // Unchecked, for the callers have compared `offset` with the count.
        let start = UnsafeRawPointer(baseAddress.unsafelyUnwrapped)
        return UInt64(bigEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

/// The rules for keys. Source: `firebase-semantics.md`, rules K1 and K4.
enum KeyRules {
    static func allow(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !utf8.isEmpty, utf8.count <= Limits.keyBytes else { return false }
        if utf8.count < 8 {
            // Past the end stand zeros: harmless digits take their place.
            let padding = every(0x30) &>> UInt64(8 * utf8.count)
            return !hasForbiddenByte(utf8.word(at: 0) | padding)
        }
        var offset = 0
        while offset + 8 <= utf8.count {
            if hasForbiddenByte(utf8.wholeWord(at: offset)) { return false }
            offset += 8
        }
        // The last word overlaps the one before.
        return offset == utf8.count || !hasForbiddenByte(utf8.wholeWord(at: utf8.count - 8))
    }

    /// Says why `utf8`, which is not allowed, is not.
    static func failure(in utf8: UnsafeBufferPointer<UInt8>) -> String {
        if utf8.isEmpty { return "it is empty" }
        if utf8.count > Limits.keyBytes { return "it has \(utf8.count) bytes" }
        let forbidden = utf8.first { hasForbiddenByte(every(0x30) << 8 | UInt64($0)) }
        guard let forbidden, forbidden >= 0x20, forbidden != 0x7F else {
            return "it contains a control character"
        }
        return "it contains \"\(Character(UnicodeScalar(forbidden)))\""
    }

    /// Whether any of eight bytes is a control character or one of `. / # $ [ ]`.
    @inline(__always)
    private static func hasForbiddenByte(_ word: UInt64) -> Bool {
        // A byte below its subtrahend borrows, which sets its high bit; bytes above 7F do not count.
        var flags = (word &- every(0x20)) & ~word
        flags |= zeroes(word ^ every(0x7F))
        // A full stop is one less than a slash.
        flags |= zeroes((word | every(0x01)) ^ every(UInt8(ascii: "/")))
        flags |= zeroes(word ^ every(UInt8(ascii: "#")))
        flags |= zeroes(word ^ every(UInt8(ascii: "$")))
        flags |= zeroes(word ^ every(UInt8(ascii: "[")))
        flags |= zeroes(word ^ every(UInt8(ascii: "]")))
        return flags & every(0x80) != 0
    }

    /// Sets a high bit if any byte is zero (the lowest of them exactly, which is enough here).
    @inline(__always)
    private static func zeroes(_ word: UInt64) -> UInt64 { (word &- every(0x01)) & ~word }

    @inline(__always)
    private static func every(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }
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
enum SortForm {
    static func byte(_ utf8: UInt8) -> UInt8 {
        switch utf8 {
        case 0xEE, 0xEF: utf8 + 5  // U+E000...U+FFFF, after every surrogate pair.
        case 0xF0...0xF4: utf8 - 2  // Written as surrogates D800...DFFF in UTF-16.
        default: utf8
        }
    }

    static func word(_ utf8: UInt64) -> UInt64 {
        var word: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            word |= UInt64(byte(UInt8(truncatingIfNeeded: utf8 >> shift))) << shift
        }
        return word
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
        guard utf8.count <= 11, let first = utf8.first, first <= UInt8(ascii: "9") else {
            return nil
        }
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
