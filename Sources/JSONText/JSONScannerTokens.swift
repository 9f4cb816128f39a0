// How the scanner checks strings and numbers.

// MARK: - Strings

extension JSONScanner {
    /// Checks a string, from its opening to its closing quote.
    mutating func scanString() throws(Failure) {
        let start = offset
        offset += 1
        while offset < text.count {
            switch text[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"): try scanEscape()
            case 0..<0x20:
                throw failure(
                    "a string contains control character \(text[offset])",
                    "write it as \\n, \\t or \\u00XX")
            default: try scanCharacter()
            }
        }
        offset = start
        throw failure("a string has no closing quote", "close it with a quote")
    }

    private mutating func scanEscape() throws(Failure) {
        guard offset + 1 < text.count else {
            offset += 1
            return
        }
        switch text[offset + 1] {
        case UInt8(ascii: "u"): try scanUnicodeEscape()
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            offset += 2
        default:
            throw failure(
                "a string contains an unknown escape",
                "use \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u and four hexadecimal digits")
        }
    }

    /// Takes `\uXXXX`, or two of them where they make one character.
    private mutating func scanUnicodeEscape() throws(Failure) {
        guard let unit = codeUnit(at: offset) else {
            throw failure("\\u without four hexadecimal digits", "write for example \\u00e9")
        }
        switch unit {
        case 0xD800...0xDBFF:
            guard let second = codeUnit(at: offset + 6), (0xDC00...0xDFFF).contains(second) else {
                throw loneSurrogate
            }
            offset += 12
        case 0xDC00...0xDFFF: throw loneSurrogate
        default: offset += 6
        }
    }

    private func codeUnit(at start: Int) -> UInt16? {
        guard start + 6 <= text.count, text[start] == UInt8(ascii: "\\"),
            text[start + 1] == UInt8(ascii: "u")
        else { return nil }
        let digits = text[(start + 2)..<(start + 6)]
        // The initializer of an integer would take a sign as well.
        guard let first = digits.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-")
        else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private var loneSurrogate: Failure {
        failure(
            "a string contains half of a surrogate pair",
            "write both halves, as in \\ud83d\\ude00, or the character itself")
    }

    /// Takes one well-formed UTF-8 sequence. Source: Unicode 15, table 3-7.
    private mutating func scanCharacter() throws(Failure) {
        let first = text[offset]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0..<0x80: length = 1
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if first == 0xE0 { second = 0xA0...0xBF }
            if first == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            length = 4
            if first == 0xF0 { second = 0x90...0xBF }
            if first == 0xF4 { second = 0x80...0x8F }
        default: throw invalidUTF8
        }
        guard offset + length <= text.count,
            length < 2 || second.contains(text[offset + 1]),
            text[offset..<(offset + length)].dropFirst(2).allSatisfy({ $0 & 0xC0 == 0x80 })
        else { throw invalidUTF8 }
        offset += length
    }

    private var invalidUTF8: Failure {
        failure("the text is not valid UTF-8", "save or send it as UTF-8")
    }
}

// MARK: - Numbers

extension JSONScanner {
    /// Checks a number, and notes an integer that 64 bits cannot hold.
    mutating func scanNumber() throws(Failure) {
        let start = offset
        if current == UInt8(ascii: "-") { offset += 1 }
        let leadingZero = current == UInt8(ascii: "0")
        let digits = skipDigits()
        var isWellFormed = digits == 1 || (digits > 1 && !leadingZero)
        var isInteger = true
        if current == UInt8(ascii: ".") {
            offset += 1
            isWellFormed = skipDigits() > 0 && isWellFormed
            isInteger = false
        }
        if current | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { offset += 1 }
            isWellFormed = skipDigits() > 0 && isWellFormed
            isInteger = false
        }
        try check(start..<offset, isWellFormed: isWellFormed && isDelimited)
        if isInteger, isLarge(start..<offset) { largeIntegerEnds.append(offset) }
    }

    private mutating func skipDigits() -> Int {
        let start = offset
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(current) { offset += 1 }
        return offset - start
    }

    /// Whether the number ends here, rather than running into a letter or another point.
    private var isDelimited: Bool {
        guard offset < text.count else { return true }
        switch text[offset] {
        case 0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"):
            return true
        default: return false
        }
    }

    private mutating func check(_ range: Range<Int>, isWellFormed: Bool) throws(Failure) {
        let digits = String(decoding: text[range].prefix(40), as: UTF8.self)
        guard isWellFormed else {
            offset = range.lowerBound
            throw failure(
                "malformed number \"\(digits)\"", "write numbers as 0, -12, 3.5 or 6.02e23")
        }
        guard let number = Double(String(decoding: text[range], as: UTF8.self)), number.isFinite
        else {
            offset = range.lowerBound
            throw failure(
                "number \(digits) is too large", "stay below 1.8e308, or give it as a string")
        }
    }

    private func isLarge(_ range: Range<Int>) -> Bool {
        let digits = String(decoding: text[range], as: UTF8.self)
        return Int64(digits) == nil && UInt64(digits) == nil
    }

    /// The text with an exponent behind every large integer, so that it reads as a double.
    func textWithLargeIntegersAsDoubles() -> [UInt8] {
        var rewritten: [UInt8] = []
        rewritten.reserveCapacity(text.count + 2 * largeIntegerEnds.count + 64)
        var start = 0
        for end in largeIntegerEnds {
            rewritten += text[start..<end]
            rewritten += "e0".utf8
            start = end
        }
        rewritten += text[start...]
        return rewritten
    }
}
