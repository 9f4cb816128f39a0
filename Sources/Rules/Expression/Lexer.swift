/// A word of an expression.
struct Token: Equatable {
    enum Kind: Equatable {
        case number(Double)
        case string(String)
        case name(String)
        /// An operator, a bracket or another sign.
        case symbol(String)
        case end
    }

    let kind: Kind
    let span: Range<Int>
}

/// Divides an expression into its words, as JavaScript does.
struct Lexer {
    let source: [UInt8]
    private(set) var offset = 0

    init(_ source: [UInt8]) { self.source = source }

    private var byte: UInt8? { offset < source.count ? source[offset] : nil }

    private func stands(_ text: String) -> Bool { source[offset...].starts(with: text.utf8) }

    /// The next word; at the end again and again the end.
    mutating func next() throws(SourceError) -> Token {
        try skipSpace()
        let start = offset
        guard let byte else { return Token(kind: .end, span: start..<start) }
        let kind: Token.Kind =
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): .string(try readString())
            case _ where isDigit(byte): .number(try readNumber())
            case UInt8(ascii: ".") where offset + 1 < source.count && isDigit(source[offset + 1]):
                .number(try readNumber())
            case _ where Lexer.isNameByte(byte): .name(readName())
            default: .symbol(try readSymbol())
            }
        return Token(kind: kind, span: start..<offset)
    }

    /// Whether a byte may be part of a name.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: isDigit(byte)
        }
    }

    /// Whether all of a text may be the name of a variable.
    static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !isDigit(first) else { return false }
        return text.utf8.allSatisfy(isNameByte)
    }

    /// Goes on at another place.
    mutating func move(to offset: Int) { self.offset = offset }

    private mutating func skipSpace() throws(SourceError) {
        var reader = DocumentReader(source, dialect: .rules, from: offset)
        do {
            try reader.skipSpace()
        } catch {
            throw SourceError(offset: error.offset, text: "Parse error.")
        }
        offset = reader.offset
    }

    private mutating func readName() -> String {
        let start = offset
        while let byte, Lexer.isNameByte(byte) { offset += 1 }
        return String(decoding: source[start..<offset], as: UTF8.self)
    }
}

// MARK: - Numbers and signs

extension Lexer {
    private mutating func readNumber() throws(SourceError) -> Double {
        let start = offset
        while let byte, Lexer.isNameByte(byte) || byte == UInt8(ascii: ".") || isSign(at: offset) {
            offset += 1
        }
        var text = String(decoding: source[start..<offset], as: UTF8.self)
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        if text.hasSuffix(".") { text += "0" }
        // Swift reads hexadecimal fractions too, with a binary exponent behind `p`; JavaScript does not.
        if let number = Double(text), !text.contains("p"), !text.contains("P"),
            !isHexadecimal || !text.contains(".")
        {
            return number
        }
        throw SourceError(offset: start, text: "Parse error.")
    }

    /// Whether an offset has the sign of a decimal exponent.
    private func isSign(at offset: Int) -> Bool {
        guard source[offset] == UInt8(ascii: "-") || source[offset] == UInt8(ascii: "+"),
            offset > 1, source[offset - 1] | 0x20 == UInt8(ascii: "e")
        else { return false }
        // The e of 0x1e is a digit.
        let word = source[..<offset].reversed().prefix { Lexer.isNameByte($0) }
        return !word.contains { $0 | 0x20 == UInt8(ascii: "x") }
    }

    private static let symbols = [
        "==", "!=", "<=", ">=", "&&", "||", "(", ")", "[", "]", "?", ":", ",", ".", "+", "-", "*",
        "/", "%", "<", ">", "!",
    ]

    /// Longest first.
    private static let refused = [
        ">>>", "**", "++", "--", "<<", ">>", "&", "|", "^", "~",
    ]

    private mutating func readSymbol() throws(SourceError) -> String {
        // JavaScript's strict comparisons: here all are.
        for (long, short) in [("===", "=="), ("!==", "!=")] where stands(long) {
            offset += long.utf8.count
            return short
        }
        let symbol = Lexer.symbols.first(where: stands)
        if symbol?.utf8.count != 2, let error = refusal { throw error }
        guard let symbol else { throw SourceError(offset: offset, text: "Parse error.") }
        offset += symbol.utf8.count
        return symbol
    }

    /// The error for an operator of JavaScript that rules do not have.
    private var refusal: SourceError? {
        if stands("=") {
            return SourceError(
                offset: offset, text: "Rule expressions may not contain assignments.")
        }
        guard let sign = Lexer.refused.first(where: stands) else { return nil }
        return SourceError(
            offset: offset, text: "Rule expressions may not contain operator \(sign).")
    }
}
