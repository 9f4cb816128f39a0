/// One word of a scenario file, and where it stands.
struct ScenarioWord: Equatable {
    var text: String
    var line: Int
    var column: Int
    /// Stands for the end of a line, where a word was wanted.
    var isEnd = false

    /// The parts before and after the first `=`; nil without one.
    var setting: (name: ScenarioWord, value: ScenarioWord)? {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = String(text[..<equals])
        let value = String(text[text.utf8.index(after: equals)...])
        return (
            ScenarioWord(text: name, line: line, column: column),
            ScenarioWord(text: value, line: line, column: column + name.utf8.count + 1)
        )
    }
}

/// A line of a scenario file as words, from left to right.
struct ScenarioLine {
    private var words: [ScenarioWord] = []
    private var next = 0
    private let end: ScenarioWord
    /// The line up to its comment.
    private let bytes: ArraySlice<UInt8>

    /// Splits at spaces, outside quotes, up to `#`.
    init(_ bytes: ArraySlice<UInt8>, number: Int) {
        var word: [UInt8] = []
        var isQuoted = false
        var column = 0
        var start = 1
        var comment = bytes.endIndex
        func finish() -> ScenarioWord {
            ScenarioWord(text: String(decoding: word, as: UTF8.self), line: number, column: start)
        }
        for byte in bytes {
            column += 1
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, byte == UInt8(ascii: "#") {
                comment = bytes.startIndex + column - 1
                break
            }
            if !isQuoted, ScenarioLine.isSpace(byte) {
                if !word.isEmpty { words.append(finish()) }
                word = []
            } else {
                if word.isEmpty { start = column }
                word.append(byte)
            }
        }
        if !word.isEmpty { words.append(finish()) }
        end = ScenarioWord(text: "", line: number, column: bytes.count + 1, isEnd: true)
        self.bytes = bytes[..<comment]
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    var isAtEnd: Bool { next == words.count }

    /// The next word, which stays; the end of the line if there is none.
    var peek: ScenarioWord { isAtEnd ? end : words[next] }

    /// Takes the next word; the end of the line if there is none.
    mutating func removeFirst() -> ScenarioWord {
        defer { if !isAtEnd { next += 1 } }
        return peek
    }

    /// The words from the next one on as one, with the spaces between them; the end of the line if there is none.
    var rest: ScenarioWord {
        var rest = peek
        if rest.isEnd { return rest }
        let text = bytes.dropFirst(rest.column - 1)
        let last = text.lastIndex { !ScenarioLine.isSpace($0) } ?? text.startIndex
        rest.text = String(decoding: text[...last], as: UTF8.self)
        return rest
    }

    /// Takes all words that are left, as one.
    mutating func takeRest() -> ScenarioWord {
        defer { next = words.count }
        return rest
    }

    /// Takes the next word of a list with commas.
    mutating func takeName(of what: String) throws(ScenarioError) -> ScenarioWord {
        var word = removeFirst()
        if word.text.hasSuffix(",") { word.text.removeLast() }
        if word.text.isEmpty { throw .expected("the name of \(what)", found: word) }
        return word
    }

    /// Checks that nothing follows.
    func finish() throws(ScenarioError) {
        if !isAtEnd { throw .expected("the end of the line", found: peek) }
    }
}
