// The sets of characters in RFC 9110 and 9112, as bits: the characters below 64, and the 64 above them.

extension UInt8 {
    /// Whether the byte is one of a set of ASCII characters.
    @inline(__always)
    private func isIn(_ low: UInt64, _ high: UInt64) -> Bool {
        guard self < 128 else { return false }
        return (self < 64 ? low : high) >> UInt64(self & 63) & 1 == 1
    }

    /// Whether the byte may be in a method or in a header's name (RFC 9110, section 5.6.2, `tchar`).
    @inline(__always)
    var isTokenCharacter: Bool { isIn(0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE) }

    /// Whether the byte may be in the name of a host: letters, digits, `-`, `.` and `_`.
    @inline(__always)
    var isHostCharacter: Bool { isIn(0x03FF_6000_0000_0000, 0x07FF_FFFE_87FF_FFFE) }

    /// Whether the byte may be in a target.
    ///
    /// The grammar has fewer, but people type quotes, braces, bars and UTF-8 after `curl`. A fragment belongs to no request.
    @inline(__always)
    var isTargetCharacter: Bool { self > 0x20 && self != 0x7F && self != UInt8(ascii: "#") }

    /// Whether the byte may be in a header's value: no control character but a tab (RFC 9110, section 5.5).
    @inline(__always)
    var isFieldCharacter: Bool { self >= 0x20 && self != 0x7F || isTab }

    @inline(__always)
    var isTab: Bool { self == 0x09 }

    /// Whether the byte is a space or a tab.
    @inline(__always)
    var isBlank: Bool { self == 0x20 || isTab }

    @inline(__always)
    var isDigit: Bool { self &- 0x30 < 10 }

    /// The byte with a letter from A to Z made small.
    @inline(__always)
    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of a hexadecimal digit.
    @inline(__always)
    var hexadecimalValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    @inline(__always)
    static var carriageReturn: UInt8 { 0x0D }
    @inline(__always)
    static var lineFeed: UInt8 { 0x0A }
}

extension Span<UInt8> {
    /// Whether the bytes of a range are a text, with letters from A to Z equal to small ones.
    ///
    /// - Parameter text: ASCII in small letters.
    @inline(__always)
    func matches(_ text: StaticString, in range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        var place = range.lowerBound
        return text.withUTF8Buffer { letters in
            for letter in letters {
                guard self[place].lowercased == letter else { return false }
                place += 1
            }
            return true
        }
    }

    /// The range without the spaces and tabs at its ends.
    @inline(__always)
    func trimming(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isBlank { start += 1 }
        while start < end, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// The place of the first line feed in a range, looked for in steps of eight bytes.
    func firstLineFeed(in range: Range<Int>) -> Int? {
        let words = bytes
        var place = range.lowerBound
        while place + 8 <= range.upperBound {
            let word = words.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
            let difference = word ^ 0x0A0A_0A0A_0A0A_0A0A
            let zeros = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
            if zeros != 0 { return place + UInt64(littleEndian: zeros).trailingZeroBitCount / 8 }
            place += 8
        }
        while place < range.upperBound {
            if self[place] == .lineFeed { return place }
            place += 1
        }
        return nil
    }
}
