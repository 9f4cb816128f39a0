// Strings of a document: JSON's escapes, and raw line breaks and tabs, since long expressions are written over several lines.

extension DocumentReader {
    /// Reads a string, whose quote stands here.
    mutating func readString() throws(SourceError) -> DocumentText {
        var string = DocumentText(at: offset)
        let quote = text[offset]
        let start = offset
        offset += 1
        while let byte, byte != quote {
            if byte == UInt8(ascii: "\\") {
                try readEscape(into: &string)
            } else {
                string.append(byte, from: offset)
                offset += 1
            }
        }
        guard byte == quote else {
            throw SourceError(offset: start, text: "Unterminated string.")
        }
        offset += 1
        return string
    }

    private mutating func readEscape(into string: inout DocumentText) throws(SourceError) {
        let start = offset
        let letter = offset + 1 < text.count ? text[offset + 1] : 0
        offset += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"):
            if letter == UInt8(ascii: "'"), text[string.start] == UInt8(ascii: "\"") {
                throw invalidEscape(at: start)
            }
            string.append(letter, from: start)
        case UInt8(ascii: "b"): string.append(0x08, from: start)
        case UInt8(ascii: "f"): string.append(0x0C, from: start)
        case UInt8(ascii: "n"): string.append(0x0A, from: start)
        case UInt8(ascii: "r"): string.append(0x0D, from: start)
        case UInt8(ascii: "t"): string.append(0x09, from: start)
        case UInt8(ascii: "u"): string.append(try readScalar(escapedAt: start), from: start)
        default: throw invalidEscape(at: start)
        }
    }

    /// The character of `\uXXXX`, or of two such escapes for one above U+FFFF.
    private mutating func readScalar(
        escapedAt start: Int
    ) throws(SourceError) -> Unicode.Scalar {
        guard let unit = hexadecimal(text, at: offset, digits: 4) else {
            throw invalidEscape(at: start)
        }
        offset += 4
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, text[offset...].starts(with: "\\u".utf8),
            let low = hexadecimal(text, at: offset + 2, digits: 4), (0xDC00..<0xE000).contains(low)
        else { throw invalidEscape(at: start) }
        offset += 6
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))!
    }

    private func invalidEscape(at start: Int) -> SourceError {
        let escape = String(decoding: text[start...].prefix(5), as: UTF8.self).prefix(2)
        return SourceError(offset: start, text: "Invalid escape: '\(escape)'")
    }
}

/// The number of some hexadecimal digits of a text, or nil.
func hexadecimal(_ text: [UInt8], at offset: Int, digits count: Int) -> UInt32? {
    guard offset + count <= text.count else { return nil }
    var number: UInt32 = 0
    for byte in text[offset..<offset + count] {
        guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
        number = number << 4 | UInt32(digit)
    }
    return number
}
