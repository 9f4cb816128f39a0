import Foundation
import Testing

/// `hearth keys follow` beside a node, with issuers in the forms of the products that the manual names.
@Suite(.timeLimit(.minutes(4))) struct `The keys of an issuer` {
    @Test func `each recipe of the manual follows the keys of its issuer`() throws {
        let folder = try TemporaryFolder()
        let outcome = try Program(
            "/usr/bin/python3",
            [
                Fixture.path("key_recipes.py"), Program.hearthPath, folder.path,
                "\(try TestCluster.freePorts())",
            ]
        ).end(within: 180)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output == "all well\n")
    }

    @Test func `its unit is protected like that of a node, and runs the command`() throws {
        func lines(of unit: String) throws -> [Substring] {
            let file = Fixture.repository.appendingPathComponent("configs/\(unit)")
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        }
        let unit = try lines(of: "hearth-keys.service")
        let node = try lines(of: "hearth@.service")
        let protection = node.drop { !$0.hasPrefix("NoNewPrivileges=") }
        #expect(protection.count > 20 && unit.suffix(protection.count) == protection)
        let command = try #require(unit.first { $0.hasPrefix("ExecStart=") })
        let words = command.split(separator: " ").dropFirst().map { word in
            String(word).replacing("${HEARTH_KEYS_URL}", with: "http://127.0.0.1:1/keys")
                .replacing("${HEARTH_KEYS_FILE}", with: "/dev/null")
        }
        let outcome = try Program(Program.hearthPath, words + ["--once"]).end()
        #expect(outcome.status == 69, "\(outcome.errors)")
    }

    @Test(arguments: ["python3", "node"])
    func `a token that a program signs by the manual is accepted`(language: String) throws {
        let interpreter = "/usr/bin/" + language
        guard FileManager.default.isExecutableFile(atPath: interpreter) else { return }
        let folder = try TemporaryFolder()
        let created = try Program.hearth("keys", "signing-key", folder.file("signing.key")).end()
        try #require(created.status == 0, "\(created.errors)")
        let page = try String(
            contentsOf: Fixture.repository.appendingPathComponent(
                "Sources/Hearth/Hearth.docc/Users.md"), encoding: .utf8)
        let fence = language == "node" ? "```js\n" : "```python\n"
        let example = try #require(page.components(separatedBy: fence).dropFirst().first)
            .components(separatedBy: "```")[0]
        let program = try folder.write(
            example.replacing("signing.key", with: folder.file("signing.key")),
            to: language == "node" ? "sign.mjs" : "sign.py")
        let signed = try Program(interpreter, [program]).end()
        try #require(signed.status == 0, "\(signed.errors)")
        let configuration = try folder.write(
            """
            {cluster: 't', \(created.output) nodes: [{id: 'n1', client: 'http://127.0.0.1:1',
             requests: 'tcp://127.0.0.1:2', updates: 'tcp://127.0.0.1:3'}]}
            """, to: "cluster.json5")
        let shown = try Program.hearth(
            "token", "show", String(signed.output.dropLast()), "--config", configuration
        ).end()
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.contains(#""uid":"ada""#), "\(shown.output)")
    }
}
