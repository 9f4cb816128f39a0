import LineEditor
import Testing

@testable import ClusterAdministration
@testable import CommandLineKit
@testable import HearthCommand

@Suite struct ShellLineTests {
    @Test(arguments: [
        ("get /rooms --pretty", ["get", "/rooms", "--pretty"]),
        ("  get\t/a  ", ["get", "/a"]),
        ("set /a '{\"b\": 1}'", ["set", "/a", "{\"b\": 1}"]),
        (
            "set /a {\"b\": [1, \"} ]\"]} --concern all",
            [
                "set", "/a", "{\"b\": [1, \"} ]\"]}", "--concern", "all",
            ]
        ),
        ("set /a [1, [2]]", ["set", "/a", "[1, [2]]"]),
        ("get \"/a b\"", ["get", "/a b"]),
        ("get /a\\ b", ["get", "/a b"]),
        ("set /a \"\\\"x\\\"\"", ["set", "/a", "\"x\""]),
        ("set /a '\"x\"'", ["set", "/a", "\"x\""]),
        ("set /a ''", ["set", "/a", ""]),
        ("transaction /a 'value + 1' # counts", ["transaction", "/a", "value + 1"]),
        ("# only a remark", []),
        ("", []),
    ])
    func `a line is split as a shell does, with JSON as one word`(line: String, words: [String]) {
        let parsed = ShellLine(line)
        #expect(parsed.words == words)
        #expect(parsed.missing == nil)
    }

    @Test(arguments: [
        ("set /a '{\"b\"", Character("'")), ("set /a \"x", "\""), ("set /a {\"b\": [1", "]"),
        ("set /a {\"b", "\""),
    ])
    func `an unclosed quotation mark is named`(line: String, missing: Character) {
        #expect(ShellLine(line).missing == missing)
    }

    @Test func `the word in which a line ends is the one to be completed`() {
        #expect(ShellLine("get /roo").current == "/roo")
        #expect(ShellLine("get /roo").before == ["get"])
        #expect(ShellLine("get ").current == "")
        #expect(ShellLine("get ").before == ["get"])
        #expect(ShellLine("get /a\\ b").current == "/a b")
    }

    @Test func `escaped words are read back unchanged`() {
        for text in ["/a b", "/it's", "/say \"hi\"", "/back\\slash", "/{a}", "/zoë"] {
            #expect(ShellLine("get " + ShellLine.escaped(text)).words == ["get", text])
        }
    }
}

@Suite struct ShellCompletionTests {
    @Test func `one candidate is completed, with a space unless more may follow`() {
        #expect(ShellCompletion.completion(of: "/ro", by: ["/rooms/"]) == .insert("oms/"))
        #expect(ShellCompletion.completion(of: "/a", by: ["/a b"]) == .insert("\\ b "))
    }

    @Test func `several are completed as far as they agree, and then shown`() {
        let candidates = ["/rooms/lobby/", "/rooms/lounge"]
        #expect(ShellCompletion.completion(of: "/rooms/", by: candidates) == .insert("lo"))
        #expect(
            ShellCompletion.completion(of: "/rooms/lo", by: candidates)
                == .show("/rooms/lobby/\n/rooms/lounge\n"))
        #expect(ShellCompletion.completion(of: "x", by: []) == .nothing)
    }

    @Test(arguments: [
        ("exp", LineEditor.Completion.insert("ort ")),
        ("get --pre", .insert("tty ")),
        ("set /a 1 --concern maj", .insert("ority ")),
        ("help impo", .insert("rt ")),
        ("cluster stat", .insert("us ")),
        ("exi", .insert("t ")),
        ("nonsense /a", .nothing),
        ("get '/a", .nothing),
    ])
    func `verbs, options and their values are completed`(
        text: String, completion: LineEditor.Completion
    ) throws {
        let shell = Invocation(of: .shell, path: ["hearth", "shell"])
        #expect(ShellCompletion(of: ShellCommands(with: shell)).complete(text) == completion)
    }
}

@Suite struct ShellCommandsTests {
    /// The invocation from the shell's own options and a line.
    private func invocation(_ line: [String], in shell: [String]) throws -> Invocation {
        func parse(_ words: [String]) throws -> Invocation {
            guard case .run(let invocation) = try CommandParser(root: .hearth).parse(words) else {
                throw CommandError(.usage, "\(words)", fix: "")
            }
            return invocation
        }
        return ShellCommands(with: try parse(["shell"] + shell)).withDefaults(try parse(line))
    }

    @Test func `a command goes to the nodes of the shell, unless it names others`() throws {
        let shell = ["--node", "n2", "--timeout", "3"]
        let plain = try invocation(["get", "/a"], in: shell)
        #expect(plain.values(of: NodeOptions.node) == ["n2"])
        #expect(plain[NodeClient.timeout] == "3")
        let own = try invocation(["get", "/a", "--node", "n3"], in: shell)
        #expect(own.values(of: NodeOptions.node) == ["n3"])
    }

    @Test func `verbs for data run in the process of the shell, others do not`() {
        #expect(Verb.runsInShell(.get))
        #expect(Verb.runsInShell(.import))
        #expect(Verb.inShell.verbs.contains { $0.name == "exit" })
        #expect(!Verb.inShell.verbs.contains { $0.name == "shell" })
        #expect(!Verb.runsInShell(ClusterVerbs.verb))
        #expect(!Verb.runsInShell(.shell))
    }
}

@Suite struct SharedLinksTests {
    @Test func `once connections are kept, a command uses that of the one before it`() throws {
        SharedLinks.keep()
        func link(_ address: String) throws -> NodeLink {
            try SharedLinks.link(to: [address], names: [:], showing: nil)
        }
        let first = try link("http://127.0.0.1:9")
        #expect(try link("http://127.0.0.1:9").connection === first.connection)
        #expect(try link("http://127.0.0.1:10").connection !== first.connection)
    }
}
