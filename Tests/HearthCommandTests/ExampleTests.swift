import Testing

@testable import CommandLineKit
@testable import HearthCommand

@Suite struct `Examples` {
    @Test func `every verb of hearth has an example that parses as that verb`() throws {
        func check(_ verb: Verb, _ path: [String]) throws {
            #expect(!verb.examples.isEmpty, "\(path) has no example")
            for example in verb.examples {
                let words = ShellWords.split(example)
                #expect(words.first == "hearth", "\(example)")
                let command = try CommandParser(root: .hearth).parse(Array(words.dropFirst()))
                guard case .run(let invocation) = command else {
                    Issue.record("\(example) runs no verb")
                    continue
                }
                #expect(invocation.path.dropFirst().starts(with: path), "\(example)")
            }
            for below in verb.verbs { try check(below, path + [below.name]) }
        }
        try check(.hearth, [])
    }
}

/// Splits an example as a shell does, as far as examples go: at spaces, but not within quotes; what
/// a pipe or a redirection feeds is left out.
enum ShellWords {
    static func split(_ line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        var isBegun = false
        for character in line.split(separator: " | ").last ?? "" {
            if character == "'" {
                isQuoted.toggle()
                isBegun = true
            } else if character == " ", !isQuoted {
                if isBegun { words.append(word) }
                word = ""
                isBegun = false
            } else {
                word.append(character)
                isBegun = true
            }
        }
        if isBegun { words.append(word) }
        return Array(words.prefix { $0 != "<" && $0 != ">" })
    }
}
