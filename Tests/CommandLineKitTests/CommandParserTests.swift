import Testing

@testable import CommandLineKit

@Suite struct CommandParserTests {
    private static let key = Argument("KEY", "A key.")
    private static let rest = Argument("REST", "More keys.", arity: .optional)
    private static let count = Option("count", "N", "How many.")
    private static let mode = Option("mode", "MODE", "How.", values: .oneOf(["commit", "memory"]))
    private static let quiet = Option(flag: "quiet", "Say nothing.")

    private static let tool = Verb(
        "tool", "A tool.",
        verbs: [
            Verb(
                "show", "Shows.", arguments: [key, rest], options: [count, mode, quiet],
                examples: ["tool show a"]
            ) { _ in .success },
            Verb(
                "group", "Groups.",
                verbs: [Verb("up", "Starts.", examples: ["tool group up"]) { _ in .success }],
                examples: ["tool group up"]),
        ],
        examples: ["tool show a"])

    private func parse(_ words: String...) throws -> ParsedCommand {
        try CommandParser(root: CommandParserTests.tool).parse(words)
    }

    private func invocation(_ words: String...) throws -> Invocation {
        let command = try CommandParser(root: CommandParserTests.tool).parse(words)
        guard case .run(let invocation) = command else {
            Issue.record("\(words) runs nothing")
            throw CommandError(.software, "", fix: "")
        }
        return invocation
    }

    private func failure(_ words: String...) -> CommandError? {
        do throws(CommandError) {
            _ = try CommandParser(root: CommandParserTests.tool).parse(words)
            return nil
        } catch {
            return error
        }
    }

    @Test func `options may be anywhere, with a space or an equals sign`() throws {
        let spaced = try invocation("show", "--count", "3", "a", "--quiet")
        #expect(try spaced.integer(CommandParserTests.count, in: 1...9) == 3)
        #expect(spaced.has(CommandParserTests.quiet))
        #expect(spaced[CommandParserTests.key] == "a")
        let joined = try invocation("show", "a", "b", "--count=x=y", "--count=4")
        #expect(joined.values(of: CommandParserTests.count) == ["x=y", "4"])
        #expect(joined.words(of: CommandParserTests.rest) == ["b"])
    }

    @Test func `negative numbers and words after two dashes are arguments`() throws {
        #expect(try invocation("show", "-5")[CommandParserTests.key] == "-5")
        #expect(try invocation("show", "--", "--count")[CommandParserTests.key] == "--count")
        #expect(try invocation("show", "-")[CommandParserTests.key] == "-")
    }

    @Test func `verbs below verbs are found`() throws {
        #expect(try invocation("group", "up").name == "tool group up")
    }

    @Test(arguments: [
        (["shwo"], "did you mean `tool show`?"),
        (["gro"], "did you mean `tool group`?"),
        (["zebra"], "use one of show, group"),
        (["group", "pu"], "did you mean `tool group up`?"),
        (["show", "a", "--cuont", "1"], "did you mean --count?"),
        (["show", "a", "--zebra"], "see `tool show --help`"),
        (["show", "a", "--mode", "comit"], "did you mean --mode commit?"),
        (["show", "a", "--mode", "zebra"], "use one of commit, memory"),
        (["show", "a", "--count"], "write --count N"),
        (["show"], "write `tool show KEY [REST] [options]`"),
        (["show", "a", "b", "c"], "see `tool show --help`"),
        (["show", "a", "--quiet=1"], "see `tool show --help`"),
    ])
    func `a wrong word is a usage error with a fix`(words: [String], fix: String) {
        do throws(CommandError) {
            _ = try CommandParser(root: CommandParserTests.tool).parse(words)
            Issue.record("\(words) was taken")
        } catch {
            #expect(error.status == .usage)
            #expect(error.fix == fix)
        }
    }

    @Test func `help is given at every level and shows an example`() throws {
        for words in [["--help"], ["-h"], ["group", "-h"], ["show", "a", "--help"]] {
            guard
                case .help(let text) = try CommandParser(root: CommandParserTests.tool).parse(words)
            else {
                Issue.record("\(words) gives no help")
                continue
            }
            #expect(text.contains("example:\n  tool "))
        }
    }

    @Test func `a letter stands for its option, with the value behind it or in the next word`()
        throws
    {
        let lines = Option("lines", letter: "n", "NUMBER", "How many.")
        let loud = Option(flag: "loud", letter: "l", "Shout.")
        let rest = Argument("WORD", "Words.", arity: .any)
        let tool = Verb(
            "tool", "A tool.",
            verbs: [
                Verb(
                    "say", "Says.", arguments: [rest], options: [lines, loud],
                    examples: ["tool say"]
                ) { _ in .success }
            ], examples: ["tool say"])
        for words in [
            ["say", "-n", "5", "-l"], ["say", "-n5", "-l"], ["say", "-l", "--lines=5"],
        ] {
            guard case .run(let invocation) = try CommandParser(root: tool).parse(words) else {
                Issue.record("\(words) runs nothing")
                continue
            }
            #expect(invocation[lines] == "5")
            #expect(invocation.has(loud))
            #expect(invocation.words(of: rest) == [], "none is fine")
        }
        let error = #expect(throws: CommandError.self) {
            try CommandParser(root: tool).parse(["say", "-z"])
        }
        #expect(error?.problem == "tool say: unknown option -z")
    }

    @Test(arguments: ["-v", "--version"])
    func `the version is asked for in both ways`(word: String) throws {
        guard case .version = try parse(word) else {
            Issue.record("\(word) shows no version")
            return
        }
    }

    @Test func `a number out of range names the range`() throws {
        let invocation = try invocation("show", "a", "--count", "12")
        let error = #expect(throws: CommandError.self) {
            _ = try invocation.integer(CommandParserTests.count, in: 1...9)
        }
        #expect(error?.problem == "--count 12: not a whole number from 1 to 9")
    }
}
