import Foundation
import Testing

@testable import ClusterSimulator

/// The comments before the first statement of a scenario.
@Suite struct ScenarioHeaderTests {
    private func error(in text: String) -> ScenarioError? {
        do throws(ScenarioError) {
            _ = try Scenario(parsing: text, name: "test")
            return nil
        } catch {
            return error
        }
    }

    @Test func `a header has a claim, guarantees and a version`() throws {
        let scenario = try Scenario(
            parsing: """
                # Every write survives:
                # all of them.
                # guarantees: C1, D1
                # guarantees: C2
                # since: 0.2.0
                check replicas-equal, acknowledged-writes-survive, stays-live
                # since: never
                """, name: "test")
        #expect(scenario.claim == "Every write survives: all of them.")
        #expect(scenario.guarantees == [.c1, .d1, .c2])
        #expect(scenario.since == "0.2.0")
    }

    @Test func `fields may be missing`() throws {
        let scenario = try Scenario(parsing: "# A claim.\ncheck stays-live", name: "test")
        #expect(scenario.claim == "A claim." && scenario.guarantees.isEmpty)
        #expect(scenario.since == nil)
    }

    @Test(arguments: [
        ("# guarantee: C1", 3, "did you mean \"guarantees:\"?"),
        ("# guarantees: C1, C9", 19, "did you mean \"C1\"?"),
        ("# guarantees:", 14, "expected the name of a guarantee"),
        ("# since: 0.2", 10, "expected a version of Hearth, such as 0.3.0"),
        ("# since: 0.2.0 or later", 16, "expected the end of the line"),
        (
            "# guarantees: C1, D2", 19,
            "expected a guarantee with a check here; D2: restart-identity"
        ),
    ])
    func `a wrong field is named, with its place`(line: String, column: Int, fix: String) throws {
        let found = try #require(error(in: "# A claim.\n\(line)\ncheck replicas-equal"))
        #expect(found.line == 2 && found.column == column, "\(found)")
        #expect(found.fix == fix)
    }

    @Test(arguments: ScenarioFiles.names)
    func `a scenario of the package has a header with all fields`(name: String) throws {
        let scenario = try ScenarioFiles.scenario(name)
        #expect(!scenario.claim.isEmpty && scenario.claim.hasSuffix("."))
        #expect(!scenario.guarantees.isEmpty)
        #expect(Set(scenario.guarantees).count == scenario.guarantees.count)
        #expect(scenario.since != nil)
    }

    @Test func `the page of guarantees has the same titles and checks`() throws {
        let file = ScenarioFiles.folder.deletingLastPathComponent()
            .appendingPathComponent("Sources/ClusterSimulator/guarantees.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        for guarantee in Guarantee.allCases {
            let row = try #require(
                page.split(separator: "\n").first { $0.hasPrefix("| \(guarantee.rawValue) | ") })
            let cells = row.split(separator: "|")
            #expect(cells[1].contains("**\(guarantee.title)**"), "\(row)")
            let checks = guarantee.checks.map { "`\($0.name)`" }.joined(separator: ", ")
            #expect(cells[2] == " \(checks) ", "\(row)")
        }
        let rows = page.split(separator: "\n").filter { $0.contains(/^\| [A-Z]\d \| \*\*/) }
        #expect(rows.count == Guarantee.allCases.count)
    }
}
