import Foundation
import Testing

@testable import CommandLineKit
@testable import HearthCommand

/// The commands that pages show exist.
@Suite struct `Commands on pages` {
    /// All pages but the changelog, which names options of earlier versions.
    static let pages: [String] = {
        let names =
            FileManager.default.enumerator(atPath: ReadmeTests.root.path)?
            .compactMap { $0 as? String } ?? []
        return names.filter {
            $0.hasSuffix(".md") && !$0.hasPrefix(".build") && $0 != "CHANGELOG.md"
        }.sorted()
    }()

    /// The verbs of another program, which `hearth` starts.
    private static let others: Set = ["sim", "soak", "bench"]

    /// The words behind each `hearth` in code, up to the end of the command.
    static func commands(in text: String) -> [[String]] {
        var commands: [[String]] = []
        var isCode = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") { isCode.toggle() }
            let spans =
                isCode ? [String(line)] : line.matches(of: /`([^`]+)`/).map { String($0.output.1) }
            for span in spans {
                guard
                    let match = span.firstMatch(of: /(?:^|[\s;$(])(?:scripts\/)?hearth ([a-z].*)$/)
                else { continue }
                let command = match.output.1.prefix { !";|#&<>()".contains($0) }
                commands.append(ShellWords.split(String(command)))
            }
        }
        return commands
    }

    /// Why a command cannot be right; nil if nothing is known against it.
    static func problem(with words: [String]) -> String? {
        if let first = words.first, others.contains(first) { return nil }
        var verb = Verb.hearth
        var rest = words[...]
        while let name = rest.first, let next = verb.verbs.first(where: { $0.name == name }) {
            verb = next
            rest = rest.dropFirst()
        }
        if !verb.verbs.isEmpty, let word = rest.first, word.contains(/^[a-z]/) {
            return "`\(verb.name)` has no verb \(word)"
        }
        let names = Set((verb.options + [.help] + HelpText.globalOptions).map { "--" + $0.name })
        return rest.first { $0.hasPrefix("--") && !names.contains($0) }
            .map { "`\(verb.name)` has no option \($0)" }
    }

    @Test(arguments: pages)
    func `name verbs and options that exist`(page: String) throws {
        let text = try String(
            contentsOf: ReadmeTests.root.appendingPathComponent(page), encoding: .utf8)
        for words in Self.commands(in: text) {
            #expect(
                Self.problem(with: words) == nil, "\(page): hearth \(words.joined(separator: " "))")
        }
    }

    @Test func `are found in code and between backquotes, and judged`() {
        let text = """
            Run `hearth get /a --stable` or `hearth gett`.
            ```sh
            x=$(scripts/hearth cluster up --nodes 3)  # --not-an-option
            hearth set /a '{"--b": 1}' --nod n1
            ```
            """
        let commands = Self.commands(in: text)
        #expect(
            commands == [
                ["get", "/a", "--stable"], ["gett"], ["cluster", "up", "--nodes", "3"],
                ["set", "/a", "{\"--b\": 1}", "--nod", "n1"],
            ])
        #expect(
            commands.map(Self.problem) == [
                nil, "`hearth` has no verb gett", nil, "`set` has no option --nod",
            ])
    }
}
