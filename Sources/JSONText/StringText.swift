/// Prints strings as JavaScript's `JSON.stringify` does: with as few escapes as JSON allows.
enum StringText {
    /// Appends a string in quotes.
    static func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { append($0, to: &bytes) }
    }

    /// Appends a string of UTF-8 bytes in quotes.
    static func append(_ utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        append(contents: utf8, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends any part of a string, without quotes.
    static func append(contents utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var start = 0
        while let index = firstEscaped(in: utf8, from: start) {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
            append(escaped: utf8[index], to: &bytes)
            start = index + 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
    }

    /// The place of the next control character, quote or backslash.
    private static func firstEscaped(
        in utf8: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Int? {
        var index = start
        while index + 8 <= utf8.count {
            let word = UnsafeRawPointer(utf8.baseAddress! + index).loadUnaligned(as: UInt64.self)
            if mayContainEscaped(word) { break }
            index += 8
        }
        while index < utf8.count {
            if isEscaped(utf8[index]) { return index }
            index += 1
        }
        return nil
    }

    /// Whether any of eight bytes may have to be escaped; never false if one has to.
    private static func mayContainEscaped(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // A byte becomes zero where it equals the sought one; subtracting borrows into its high bit.
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let control = (word &- ones &* 0x20) & ~word
        let equal = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return (control | equal) & (ones &* 0x80) != 0
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func append(escaped byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            bytes += "u00".utf8
            bytes.append(hexadecimalDigit(byte >> 4))
            bytes.append(hexadecimalDigit(byte & 15))
        default: bytes.append(byte)
        }
    }

    private static func hexadecimalDigit(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
}
