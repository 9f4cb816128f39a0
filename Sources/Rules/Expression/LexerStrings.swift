// Strings and regular expressions within expressions.

extension Lexer {
    /// Reads a string, whose quote stands here.
    mutating func readString() throws(SourceError) -> String {
        let start = offset
        let quote = source[start]
        var bytes: [UInt8] = []
        var index = start + 1
        while index < source.count, source[index] != quote {
            if source[index] == UInt8(ascii: "\\") {
                try readEscape(at: &index, into: &bytes)
            } else if source[index] == 0x0A || source[index] == 0x0D {
                break
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        guard index < source.count, source[index] == quote else {
            throw SourceError(offset: start, text: "Parse error.")
        }
        move(to: index + 1)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func readEscape(at index: inout Int, into bytes: inout [UInt8]) throws(SourceError) {
        let start = index
        guard index + 1 < source.count else {
            throw SourceError(offset: start, text: "Parse error.")
        }
        let letter = source[index + 1]
        index += 2
        switch letter {
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "x"): bytes += UTF8.encode(try scalar(at: &index, digits: 2, start))!
        case UInt8(ascii: "u"): bytes += UTF8.encode(try scalar(at: &index, digits: 4, start))!
        default: bytes.append(letter)
        }
    }

    /// The character of hexadecimal digits; two escapes give one above U+FFFF.
    private func scalar(
        at index: inout Int, digits: Int, _ start: Int
    ) throws(SourceError) -> Unicode.Scalar {
        let failure = SourceError(offset: start, text: "Parse error.")
        guard let unit = hexadecimal(source, at: index, digits: digits) else { throw failure }
        index += digits
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, index < source.count, source[index...].starts(with: "\\u".utf8),
            let low = hexadecimal(source, at: index + 2, digits: 4), (0xDC00..<0xE000).contains(low)
        else { throw failure }
        index += 6
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))!
    }

    /// Reads the regular expression whose slash is at an offset, with its flags.
    mutating func readPattern(from start: Int) throws(SourceError) -> Pattern {
        let end = try patternEnd(from: start + 1)
        let body = String(decoding: source[start + 1..<end], as: UTF8.self)
        var index = end + 1
        while index < source.count, Lexer.isNameByte(source[index]) {
            index += 1
        }
        let flags = source[end + 1..<index]
        if flags.contains(where: { $0 != UInt8(ascii: "i") }) || flags.count > 1 {
            throw SourceError(
                offset: end + 1, text: "regular expressions do not support flags other than i")
        }
        move(to: index)
        do {
            return try Pattern(body, ignoringCase: !flags.isEmpty)
        } catch {
            throw SourceError(
                offset: start, text: "Illegal regular expression, " + error.problem)
        }
    }

    private func patternEnd(from start: Int) throws(SourceError) -> Int {
        var index = start
        var isInClass = false
        while index < source.count, source[index] != 0x0A, source[index] != 0x0D {
            switch source[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass: return index
            default: break
            }
            index += 1
        }
        throw SourceError(offset: start - 1, text: "unterminated regular expression literal")
    }
}
