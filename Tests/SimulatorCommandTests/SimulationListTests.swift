import Foundation
import Testing

@testable import SimulatorCommand

/// `hearth sim list` and the index page that it generates.
@Suite struct SimulationListTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try write(
            """
            # One is durable.
            # guarantees: D1
            # since: 0.2.0
            check acknowledged-writes-survive, replicas-equal
            """, to: "a/one.scenario")
        try write("# Two converges.\ncheck replicas-equal\n", to: "b/two.scenario")
        try write(
            """
            Summary: A log loses a batch.
            Found by: one acknowledged-writes-survive 7
            Found by: two replicas-equal

            --- Sources/Store/Log.swift
            -a
            Found by: nothing at-all
            """, to: "seeded-bugs/Store/loses-a-batch.bug")
        try write(
            "Summary: A node starts twice.\nFound by: two replicas-equal\n\n--- Sources/x\n-a\n",
            to: "seeded-bugs/ReplicaCore/starts-twice.bug")
    }

    private func write(_ text: String, to path: String) throws {
        try folder.write(Array(text.utf8), to: path)
    }

    private func list(_ words: String...) throws -> Command.Outcome {
        try Command.run(["sim", "list", folder.path] + words)
    }

    @Test func `each scenario has its path, its claim and its fields`() throws {
        #expect(
            try list().output == """
                \(folder.path)/a/one.scenario
                    One is durable.
                    (D1; finds 1 seeded bug; since 0.2.0)
                \(folder.path)/b/two.scenario
                    Two converges.
                    (finds 2 seeded bugs)

                """)
    }

    @Test(arguments: [
        (["--guarantee", "D1"], ["one"]), (["--check", "replicas-equal"], ["one", "two"]),
        (["--check", "acknowledged-writes-survive"], ["one"]), (["--check", "push-keys"], []),
        (["--module", "Store"], ["one", "two"]), (["--module", "ReplicaCore"], ["two"]),
        (["--module", "ReplicaCore", "--guarantee", "D1"], []),
    ])
    func `filters select by guarantee, check and module`(words: [String], names: [String]) throws {
        let outcome = try Command.run(["sim", "list", folder.path, "--json"] + words)
        let found = try outcome.output.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return (object as? [String: Any])?["scenario"] as? String
        }
        #expect(found == names && outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `an object has all fields, and the bugs with the checks that find them`() throws {
        #expect(
            try list("--json", "--guarantee", "D1").output
                == "{\"scenario\":\"one\",\"path\":\"\(folder.path)/a/one.scenario\","
                + "\"claim\":\"One is durable.\",\"guarantees\":[\"D1\"],\"since\":\"0.2.0\","
                + "\"checks\":[\"acknowledged-writes-survive\",\"replicas-equal\"],"
                + "\"bugs\":[{\"name\":\"loses-a-batch\",\"module\":\"Store\","
                + "\"checks\":[\"acknowledged-writes-survive\"]}]}\n")
    }

    @Test(arguments: [
        (["--module", "Stores"], "name one of ReplicaCore, Store"),
        (["--guarantee", "D9"], "did you mean --guarantee D1?"),
        (["--check", "nothing"], "use one of replicas-equal, "),
    ])
    func `an unknown name is a usage error with the known ones`(words: [String], fix: String) throws
    {
        let outcome = try Command.run(["sim", "list", folder.path] + words)
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(outcome.errors.contains(fix), "\(outcome.errors)")
    }

    @Test func `the index has scenarios by subject and guarantee, and bugs by module`() throws {
        let index = try list("--markdown").output
        for lines in [
            "2 scenarios find 2 seeded bugs.\n",
            """
            ### a

            - [one](a/one.scenario): One is durable.
              (`D1`; finds 1 seeded bug; since 0.2.0)

            ### b
            """,
            "\n| D1 | Acknowledged writes survive | [one](a/one.scenario) |\n",
            """
            ### Store

            | Bug | Found by |
            |---|---|
            | loses-a-batch | one: `acknowledged-writes-survive`, two: `replicas-equal` |
            """,
        ] {
            #expect(index.contains(lines), "\(index)")
        }
    }

    @Test func `the index page of the package is up to date`() throws {
        let simulations = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Simulations").path
        let page = try String(contentsOfFile: simulations + "/INDEX.md", encoding: .utf8)
        let index = try Command.run(["sim", "list", simulations, "--markdown"]).output
        #expect(
            page == index,
            "run `scripts/hearth sim list Simulations --markdown > Simulations/INDEX.md`")
    }
}
