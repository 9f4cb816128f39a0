/// Reads JSON with comments, trailing commas and raw line breaks in strings, as documents of rules are written.
///
/// A relaxed reader, for files of tests, takes names without quotes and strings in single quotes as well.
struct DocumentReader {
    enum Dialect {
        case rules
        case relaxed
    }

    let text: [UInt8]
    private let dialect: Dialect
    /// The next byte to look at.
    var offset: Int
    private var depth = 0

    init(_ text: [UInt8], dialect: Dialect, from offset: Int = 0) {
        self.text = text
        self.dialect = dialect
        self.offset = offset
    }

    /// Reads the whole text as one value.
    mutating func readDocument() throws(SourceError) -> DocumentNode {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        let value = try readValue()
        try skipSpace()
        if offset < text.count { throw unexpected }
        return value
    }

    /// Reads the value that begins here, and stops behind it.
    mutating func readValue() throws(SourceError) -> DocumentNode {
        try skipSpace()
        let start = offset
        let content: DocumentNode.Content =
            switch byte {
            case UInt8(ascii: "{"):
                .object(try nested { reader throws(SourceError) in try reader.readMembers() })
            case UInt8(ascii: "["):
                .array(try nested { reader throws(SourceError) in try reader.readElements() })
            case UInt8(ascii: "\""): .string(try readString())
            case UInt8(ascii: "'") where dialect == .relaxed: .string(try readString())
            default: try readScalar()
            }
        return DocumentNode(offset: start, content: content)
    }

    /// The byte here; nil at the end.
    var byte: UInt8? { offset < text.count ? text[offset] : nil }

    /// The error for what stands here.
    var unexpected: SourceError {
        guard offset < text.count else {
            return SourceError(offset: offset, text: "Unexpected end of input.")
        }
        let rest = String(decoding: text[offset...].prefix(4), as: UTF8.self)
        return SourceError(offset: offset, text: "Unexpected '\(rest.first!)'.")
    }
}

// MARK: - Objects and arrays

extension DocumentReader {
    private mutating func nested<Result>(
        _ body: (inout DocumentReader) throws(SourceError) -> Result
    ) throws(SourceError) -> Result {
        depth += 1
        if depth > RuleLimits.documentDepth {
            throw SourceError(
                offset: offset,
                text: "The text nests deeper than \(RuleLimits.documentDepth) levels.")
        }
        offset += 1
        let result = try body(&self)
        depth -= 1
        return result
    }

    private mutating func readMembers() throws(SourceError) -> [DocumentMember] {
        var members: [DocumentMember] = []
        while try !closes(with: UInt8(ascii: "}"), isFirst: members.isEmpty) {
            let name = try readName()
            try skipSpace()
            try expect(UInt8(ascii: ":"))
            members.append(DocumentMember(name: name, value: try readValue()))
        }
        return members
    }

    private mutating func readElements() throws(SourceError) -> [DocumentNode] {
        var elements: [DocumentNode] = []
        while try !closes(with: UInt8(ascii: "]"), isFirst: elements.isEmpty) {
            elements.append(try readValue())
        }
        return elements
    }

    /// Passes the comma before the next part, or the bracket, before which one comma may stand.
    private mutating func closes(
        with bracket: UInt8, isFirst: Bool
    ) throws(SourceError) -> Bool {
        try skipSpace()
        if !isFirst, byte != bracket {
            try expect(UInt8(ascii: ","))
            try skipSpace()
        }
        guard byte == bracket else { return false }
        offset += 1
        return true
    }

    private mutating func readName() throws(SourceError) -> DocumentText {
        if byte == UInt8(ascii: "\"") { return try readString() }
        if dialect == .relaxed {
            if byte == UInt8(ascii: "'") { return try readString() }
            let name = readWord()
            if !name.bytes.isEmpty { return name }
        }
        // Firebase's words: a comma where the first name should be is unexpected, a second comma is no name.
        let isAfterBrace = text[..<offset].last { !isSpace($0) } == UInt8(ascii: "{")
        if byte == nil || byte == UInt8(ascii: ",") && isAfterBrace { throw unexpected }
        throw SourceError(offset: offset, text: "Expected '\"'.")
    }

    /// Passes a sign that has to stand here.
    mutating func expect(_ expected: UInt8) throws(SourceError) {
        if byte == nil { throw unexpected }
        guard byte == expected else {
            let character = Character(Unicode.Scalar(expected))
            throw SourceError(offset: offset, text: "Expected '\(character)'.")
        }
        offset += 1
    }
}

// MARK: - Words and space

extension DocumentReader {
    private mutating func readScalar() throws(SourceError) -> DocumentNode.Content {
        let start = offset
        let word = readWord().text
        switch word {
        case "null": return .null
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: break
        }
        if let first = word.utf8.first, first == UInt8(ascii: "-") || isDigit(first),
            let number = Double(word), number.isFinite, !word.contains("x")
        {
            return .number(number)
        }
        offset = start
        throw unexpected
    }

    /// The letters, digits and signs from here on that can be part of a number or of a bare name.
    mutating func readWord() -> DocumentText {
        var word = DocumentText(at: offset)
        while let byte, isWordByte(byte) {
            word.append(byte, from: offset)
            offset += 1
        }
        return word
    }

    private func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }

    /// Passes white space and comments.
    mutating func skipSpace() throws(SourceError) {
        while let byte {
            if isSpace(byte) {
                offset += 1
            } else if text[offset...].starts(with: "//".utf8) {
                offset = text[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            } else if text[offset...].starts(with: "/*".utf8) {
                try skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(SourceError) {
        let start = offset
        offset += 2
        while offset + 1 < text.count {
            if text[offset] == UInt8(ascii: "*"), text[offset + 1] == UInt8(ascii: "/") {
                offset += 2
                return
            }
            offset += 1
        }
        throw SourceError(offset: start, text: "Unterminated comment.")
    }
}

/// Whether a byte is white space between the parts of a text.
func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}

/// Whether a byte is a decimal digit.
func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9")
}
