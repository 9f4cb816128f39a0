import Testing

@testable import ClusterSimulator

/// How a scenario names rules, and clients with identities.
@Suite struct RulesLineTests {
    private static let files = [
        "a.json": #"{"rules":{".read":true}}"#, "b.json": #"{"rules":{".write":"auth != null"}}"#,
        "wrong.json": #"{"rules":{".read":"auth"}}"#,
        "pattern.json": #"{"rules":{".write":"newData.val().matches(/a/)"}}"#,
    ]

    private func scenario(_ text: String) throws(ScenarioError) -> Scenario {
        try Scenario(parsing: Array(text.utf8), name: "test") { file in
            RulesLineTests.files[file].map { Array($0.utf8) }
        }
    }

    private static let text = """
        clients users=4
        workload users=20
        rules a.json
        seeds 1..10
        at 1s rules b.json on n2
        until 5s
        check writes-are-allowed

        """

    @Test func `rules and their changes are read, and written again`() throws {
        let scenario = try scenario(RulesLineTests.text)
        #expect(scenario.text == RulesLineTests.text)
        #expect(scenario.documents.map(\.file) == ["a.json", "b.json"])
        let again = try Scenario(parsing: scenario.text, like: scenario)
        #expect(again.text == RulesLineTests.text)
    }

    @Test func `rules that the seed draws need no file`() throws {
        let text = RulesLineTests.text.replacing("a.json", with: "drawn")
            .replacing("b.json", with: "drawn")
        let scenario = try scenario(text)
        #expect(scenario.text == text)
        #expect(scenario.documents.isEmpty)
        let report = Simulation.run(scenario, seed: 1)
        #expect(report.failure == nil, "\(report.failure ?? "")")
    }

    @Test(arguments: [
        ("rules", "found the end of the line at 1:6"),
        ("rules none.json", "cannot read the file \"none.json\", named at 1:7"),
        (
            "rules wrong.json",
            "wrong.json: 1:20: Expression must evaluate to a boolean., named at 1:7"
        ),
        (
            "rules pattern.json",
            "pattern.json has something by which the simulator cannot judge, named at 1:7"
        ),
        ("at 1s rules a.json n2", "found \"n2\" at 1:20"),
        ("at 1s rules a.json on n9", "found \"n9\" at 1:23"),
        ("clients users=2 rest=1", "found the end of the line at 3:1"),
    ])
    func `what is wrong is named with its place`(_ line: String, _ problem: String) {
        #expect {
            try scenario(line + "\ncheck writes-are-allowed\n")
        } throws: { error in
            (error as? ScenarioError)?.problem == problem
        }
    }
}
