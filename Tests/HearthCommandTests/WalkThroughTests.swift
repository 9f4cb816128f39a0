import Foundation
import Testing

/// The commands of the page on tokens.
@Suite struct WalkThroughTests {
    /// The commands of the first ```sh block of a page.
    private static func commands(of page: String) throws -> String {
        let text = try String(
            contentsOf: ReadmeTests.root.appendingPathComponent(page), encoding: .utf8)
        let start = try #require(text.range(of: "```sh\n"))
        let end = try #require(text.range(of: "\n```", range: start.upperBound..<text.endIndex))
        return String(text[start.upperBound..<end.lowerBound])
    }

    @Test(.timeLimit(.minutes(2)))
    func `tokens and rules work as the page describes`() throws {
        let folder = try TemporaryFolder()
        // The port is from a range of its own. The next two ports belong to the node, too.
        let port = 32_100 + Int(ProcessInfo.processInfo.processIdentifier) % 200 * 3
        func ported(_ text: String) -> String {
            (0..<3).reduce(text) {
                $0.replacingOccurrences(of: ":\(7001 + $1)", with: ":\(port + $1)")
            }
        }
        for name in ["users.json5", "users.rules.json"] {
            let text = try String(
                contentsOf: ReadmeTests.root.appendingPathComponent("configs/\(name)"),
                encoding: .utf8)
            try folder.write(Array(ported(text).utf8), to: name)
        }
        let script = """
            set -eu; cd "$1"; PATH="$(dirname "$0"):$PATH"
            trap 'kill $(jobs -p)' EXIT
            \(ported(try Self.commands(of: "Sources/Tokens/tokens.md")))
            hearth rules writes --config users.json5 --token root.token | sed 's/^.\\{24\\}//; s/ by [^ ]*//'
            hearth rules writes --uid eve --config users.json5 --token root.token
            hearth rules writes --config users.json5 || echo "exit code $?"
            """
        let outcome = try Command.shell(script, [folder.path])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.output == """
                {"name":"Ada"}
                exit code 77
                exit code 77
                "Ada"{"today":"rain"}{ "error" : "Permission denied", "fix" : \
                "send a token that permits this or an administrator's secret (Authorization: Bearer, or auth), or change the rules" }
                n1 administrator token:root  /.settings/rules
                n1 administrator token:root  /news/today
                n1 "ada"  /users/ada/name
                exit code 77

                """, "\(outcome.output)")
        #expect(outcome.errors.contains("the rules do not permit this client"))
    }
}
