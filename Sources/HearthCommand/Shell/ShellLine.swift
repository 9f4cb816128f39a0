/// Splits a line of the shell into words, by the simplest rules of a POSIX shell.
///
/// Spaces separate words; `'…'`, `"…"` and `\` quote them. Unlike in POSIX, a word that begins with `{` or
/// `[` is JSON and goes on to the bracket that closes it, with its quotes: `set /a {"b": [1, 2]}`.
struct ShellLine: Equatable {
    private(set) var words: [String] = []
    /// The last word, where the line ends in it; empty where it ends behind a space.
    private(set) var current = ""
    /// The missing end of the line, such as a quotation mark; nil if the line is complete.
    private(set) var missing: Character?

    init(_ line: String) {
        var reader = Reader(rest: Substring(line))
        while let word = reader.next() {
            words.append(word.text)
            missing = word.missing
            current = reader.endsInWord ? word.text : ""
        }
    }

    /// The words before the one in which the line ends.
    var before: [String] { current.isEmpty ? words : words.dropLast() }

    /// The text so written that it is read as part of one word.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if " \t'\"\\{[#".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}

/// Reads words from the front of a line.
private struct Reader {
    var rest: Substring
    private(set) var endsInWord = false

    init(rest: Substring) { self.rest = rest }

    mutating func next() -> (text: String, missing: Character?)? {
        endsInWord = false
        rest = rest.drop { $0 == " " || $0 == "\t" }
        guard let first = rest.first, first != "#" else { return nil }
        if first == "{" || first == "[" { return json() }
        var text = ""
        while let character = rest.popFirst() {
            switch character {
            case " ", "\t": return (text, nil)
            case "'", "\"":
                guard let quoted = quoted(by: character) else {
                    endsInWord = true
                    defer { rest = "" }
                    return (text + rest, character)
                }
                text += quoted
            case "\\": text.append(rest.popFirst() ?? "\\")
            default: text.append(character)
            }
        }
        endsInWord = true
        return (text, nil)
    }

    /// The text before the mark that closes a quotation; nil, with nothing consumed, without one.
    private mutating func quoted(by mark: Character) -> String? {
        var text = ""
        var tail = rest
        while let character = tail.popFirst() {
            if character == mark {
                rest = tail
                return text
            }
            if character == "\\", mark == "\"", let next = tail.first, next == mark || next == "\\"
            {
                text.append(tail.removeFirst())
            } else {
                text.append(character)
            }
        }
        return nil
    }

    /// Everything up to the bracket that closes the first one, as it stands.
    private mutating func json() -> (text: String, missing: Character?) {
        var text = ""
        var closing: [Character] = []
        var isQuoted = false
        while let character = rest.popFirst() {
            text.append(character)
            switch character {
            case "\\" where isQuoted: if let next = rest.popFirst() { text.append(next) }
            case "\"": isQuoted.toggle()
            case "{" where !isQuoted: closing.append("}")
            case "[" where !isQuoted: closing.append("]")
            case "}" where !isQuoted, "]" where !isQuoted: _ = closing.popLast()
            default: break
            }
            if closing.isEmpty { return (text, nil) }
        }
        endsInWord = true
        return (text, isQuoted ? "\"" : closing.last)
    }
}
