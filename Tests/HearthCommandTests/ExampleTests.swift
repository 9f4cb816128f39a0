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
                switch try CommandParser(root: .hearth).parse(Array(words.dropFirst())) {
                case .run(let invocation):
                    #expect(invocation.path.dropFirst().starts(with: path), "\(example)")
                case .start(let program):
                    #expect(verb.program == program || verb.program == nil, "\(example)")
                default: Issue.record("\(example) runs no verb")
                }
            }
            for below in verb.verbs { try check(below, path + [below.name]) }
        }
        try check(.hearth, [])
    }
}
