/// The first place where a text is not JSON5, and the reason. Foundation's decoder reports neither.
///
/// Source: https://spec.json5.org. Numbers and names are read more leniently, as the decoder has the last word.
struct JSON5Fault: Error, Equatable {
    /// From 1.
    let line: Int
    /// From 1, in characters of Unicode.
    let column: Int
    let problem: String

    /// Nil if the text is JSON5.
    init?(in text: [UInt8]) {
        var reader = JSON5Syntax(text: text)
        do throws(JSON5Fault) {
            try reader.readDocument()
            return nil
        } catch {
            self = error
        }
    }

    fileprivate init(_ problem: String, at offset: Int, of text: [UInt8]) {
        let before = text[..<offset]
        line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        column = 1 + text[start..<offset].count { $0 & 0xC0 != 0x80 }
        self.problem = problem
    }
}

/// Reads the syntax of JSON5, without the values.
private struct JSON5Syntax {
    /// Deeper values are refused: the reader recurs.
    private static let depthLimit = 500

    let text: [UInt8]
    private var offset = 0
    private var depth = 0

    init(text: [UInt8]) { self.text = text }

    mutating func readDocument() throws(JSON5Fault) {
        try skipSpace()
        if offset == text.count { throw fault("the file is empty") }
        try readValue()
        try skipSpace()
        if offset < text.count { throw fault("the file continues after its value") }
    }

    private mutating func readValue() throws(JSON5Fault) {
        switch peek {
        case "{": try readMembers(until: "}")
        case "[": try readMembers(until: "]")
        case "\"", "'": try readString()
        case nil: throw fault("the file ends where a value is expected")
        default: try readWord()
        }
    }

    /// Reads an object or a list.
    private mutating func readMembers(until close: Unicode.Scalar) throws(JSON5Fault) {
        let start = offset
        depth += 1
        defer { depth -= 1 }
        if depth > JSON5Syntax.depthLimit { throw fault("the values are nested too deeply") }
        offset += 1
        while true {
            try skipSpace()
            if takes(close) { return }
            if offset == text.count { throw unclosed(start, close) }
            if close == "}" { try readName() }
            try readValue()
            try skipSpace()
            if takes(",") || peek == close { continue }
            if offset == text.count { throw unclosed(start, close) }
            throw fault("expected a comma or \(close) before this")
        }
    }

    /// Reads the key of a member, and the colon behind it.
    private mutating func readName() throws(JSON5Fault) {
        if peek == "\"" || peek == "'" {
            try readString()
        } else {
            let start = offset
            while let byte = byte, JSON5Syntax.isNamePart(byte) { offset += 1 }
            if offset == start { throw fault("expected a key or } here") }
        }
        try skipSpace()
        if !takes(":") { throw fault("expected a colon after the key") }
        try skipSpace()
    }

    private mutating func readString() throws(JSON5Fault) {
        let start = offset
        let quote = text[start]
        offset += 1
        while let byte = byte, byte != UInt8(ascii: "\n") {
            offset += 1
            if byte == quote { return }
            if byte == UInt8(ascii: "\\"), offset < text.count { offset += 1 }
        }
        offset = start
        throw fault("this string has no end on its line")
    }

    /// Reads a number, `true`, `false` or `null`.
    private mutating func readWord() throws(JSON5Fault) {
        let start = offset
        while let byte = byte, JSON5Syntax.isNamePart(byte) || "+-.".utf8.contains(byte) {
            offset += 1
        }
        let word = String(decoding: text[start..<offset], as: UTF8.self)
        let unsigned = word.drop { $0 == "+" || $0 == "-" }
        if ["true", "false", "null"].contains(word) { return }
        if ["Infinity", "NaN"].contains(unsigned) || JSON5Syntax.isNumber(unsigned) { return }
        offset = start
        throw fault(word.isEmpty ? "expected a value here" : "\(word) is not a value: quote text")
    }

    private static func isNumber(_ word: Substring) -> Bool {
        if word.hasPrefix("0x") || word.hasPrefix("0X") {
            return word.count > 2 && word.dropFirst(2).allSatisfy(\.isHexDigit)
        }
        return word.contains { ("0"..."9").contains($0) }
            && word.allSatisfy { ("0"..."9").contains($0) || "+-.eE".contains($0) }
    }

    /// Skips white space and comments.
    private mutating func skipSpace() throws(JSON5Fault) {
        while offset < text.count {
            if text[offset] <= 0x20 {
                offset += 1
            } else if starts("\u{FEFF}") || starts("\u{A0}") {
                offset += starts("\u{A0}") ? 2 : 3
            } else if starts("//") {
                while let byte = byte, byte != UInt8(ascii: "\n") { offset += 1 }
            } else if starts("/*") {
                let start = offset
                offset += 2
                while !starts("*/") {
                    if offset == text.count {
                        offset = start
                        throw fault("this comment has no end")
                    }
                    offset += 1
                }
                offset += 2
            } else {
                return
            }
        }
    }

    // MARK: Characters

    private var byte: UInt8? { offset < text.count ? text[offset] : nil }
    private var peek: Unicode.Scalar? { byte.map { Unicode.Scalar($0) } }

    private func starts(_ word: String) -> Bool { text[offset...].starts(with: word.utf8) }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard peek == character else { return false }
        offset += 1
        return true
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
            UInt8(ascii: "\\"), 0x80...:
            true
        default: false
        }
    }

    private func fault(_ problem: String) -> JSON5Fault {
        JSON5Fault(problem, at: offset, of: text)
    }

    private func unclosed(_ start: Int, _ close: Unicode.Scalar) -> JSON5Fault {
        JSON5Fault("no \(close) closes this", at: start, of: text)
    }
}
