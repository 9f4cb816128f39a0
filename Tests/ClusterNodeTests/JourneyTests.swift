import Foundation
import Testing

/// What a user does with the command line, from end to end.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `The command line` {
    private static let languages = "/usr/share/iso-codes/json/iso_639-3.json"

    @Test func `runs the demo, and checks its output`() throws {
        let outcome = try Program.hearth("demo").end(within: 120)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("the three trees are equal, byte by byte"))
        #expect(!outcome.output.contains("✗"))
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: languages), "needs Debian's iso-codes"))
    func `imports a file at one node and exports it from the others`() throws {
        let cluster = try TestCluster()
        let imported = try run(cluster, "import", "/languages", Self.languages, "--node", "n1")
        #expect(imported.status == 0, "\(imported.errors)")
        let source = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(fileURLWithPath: Self.languages)))
        for node in ["n2", "n3"] {
            try eventually("\(node) has the languages") {
                let outcome = try run(cluster, "export", "/languages", "-", "--node", node)
                let exported = try? JSONSerialization.jsonObject(
                    with: Data(outcome.output.utf8), options: .fragmentsAllowed)
                return (source as? NSObject) == (exported as? NSObject)
            }
        }
    }

    @Test func `pushes lines to three nodes while one is killed twice, and none is lost`() throws {
        let cluster = try TestCluster()
        let count = 16_667
        // A busy machine may take longer than the usual patience to start a node twice.
        let patience = ["--timeout", "60"]
        let pushers = try (1...3).map { number in
            let lines = (1...count).map { "{\"from\":\"c\(number)\",\"line\":\($0)}" }
            let input = try cluster.folder.write(
                lines.joined(separator: "\n") + "\n", to: "lines\(number)")
            return try Program(
                Program.hearthPath,
                ["push", "/list", "--stdin", "--node", "n\(number)", "--dir", cluster.folder.path]
                    + patience,
                input: URL(fileURLWithPath: input))
        }
        for _ in 1...2 {
            usleep(100_000)
            try cluster.run("kill", "n2")
            try cluster.run("start", "n2")
        }
        var keys: [String] = []
        for pusher in pushers {
            let outcome = try pusher.end(within: 90)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let own = outcome.output.split(separator: "\n").map(String.init)
            #expect(own.count == count)
            #expect(own == own.sorted(), "keys are printed in the order of their lines")
            keys += own
        }
        #expect(Set(keys).count == 3 * count)
        for node in ["n1", "n2", "n3"] {
            try eventually("\(node) has every key, once, in order") {
                let outcome = try run(cluster, "get", "/list", "--node", node)
                return listKeys(outcome.output) == keys.sorted()
            }
        }
    }

    @Test(arguments: [
        (["get", "/a#b", "--node", "http://127.0.0.1:1"], 65, "contains \"#\""),
        (["set", "/a", "{\"x\": nope}", "--node", "http://127.0.0.1:1"], 65, "column 7"),
        (["get", "/a", "--nod", "n1"], 64, "--node"),
        (["gett", "/a"], 64, "get"),
        (["get", "/a", "--node", "http://127.0.0.1:1", "--timeout", "0.3"], 69, "127.0.0.1:1"),
        (["get", "/a", "--dir", "/nonexistent"], 69, "cluster up"),
        (["sim", "run", "/nonexistent"], 66, "/nonexistent"),
    ])
    func `names each problem and its fix`(
        words: [String], status: Int32, hint: String
    ) throws {
        let outcome = try Program(Program.hearthPath, words).end()
        #expect(outcome.status == status)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: "))
        #expect(outcome.errors.contains("\nfix: "))
        #expect(outcome.errors.contains(hint), "\(outcome.errors)")
    }

    @Test func `repeats a simulation in another process, to the last event`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Simulations/convergence/partition-heals.scenario").path
        let words = ["sim", "run", folder, "--seeds", "3..5", "--json"]
        let first = try Program(Program.hearthPath, words).end()
        let second = try Program(Program.hearthPath, words).end()
        #expect(first.status == 0, "\(first.output)")
        #expect(first.output.contains("\"traceHash\""))
        #expect(first.output == second.output)
    }

    private func run(_ cluster: TestCluster, _ words: String...) throws -> Program.Outcome {
        try Program(Program.hearthPath, words + ["--dir", cluster.folder.path]).end(within: 60)
    }

    /// The keys of a printed object, in the order in which they are printed.
    private func listKeys(_ json: String) -> [String] {
        json.split(separator: "\"").map(String.init).filter { $0.count == 20 && $0.hasPrefix("-") }
    }
}
