import ClusterSimulator
import Foundation
import Testing

/// Each check finds a mistake that was planted for it.
@Suite struct PlantedDefectTests {
    @Test(arguments: SelfTest.rows)
    func `a planted mistake is found by the check that is meant for it`(row: SelfTest.Row) throws {
        let result = SelfTest.run(row, in: try ScenarioFiles.scenario(row.scenario))
        #expect(result.seeds != nil, "\(row.check.rawValue) does not find \(row.defect.name)")
        #expect(result.finding?.details.isEmpty == false)
        #expect((result.finding?.witness.count ?? 0) <= 4)
    }

    @Test func `the page lists each mistake, and each check with its guarantee`() throws {
        let page = try String(
            contentsOf: ScenarioFiles.folder.appendingPathComponent("README.md"), encoding: .utf8)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let mistakes = SelfTest.rows.map {
            "| `\($0.defect.name)` | `\($0.check.rawValue)` | \($0.scenario) |"
        }
        #expect(lines.suffix(mistakes.count).map(String.init) == mistakes)
        let rest = lines.dropLast(mistakes.count)
        for check in Check.allCases {
            #expect(rest.count { $0.hasPrefix("| `\(check.rawValue)` | ") } == 1, "\(check)")
        }
    }

    @Test func `a node that ignores gaps is found, and named with what it waits for`() throws {
        let scenario = try ScenarioFiles.scenario("three-nodes-converge")
        let report = Simulation.run(scenario, seed: 1, defect: .ignoresGaps)
        let liveness = report.checks.first { $0.check == .staysLive }
        #expect(liveness?.verdict == .invalid)
        #expect(liveness?.details.contains("waits for the operations") == true)
        #expect(report.checks.contains { $0.check == .replicasEqual && $0.verdict == .invalid })
    }

    @Test func `a failure of the run itself makes it invalid, and is credited to no check`() throws
    {
        var scenario = try ScenarioFiles.scenario("three-nodes-converge")
        scenario = try Scenario(
            parsing: scenario.text.replacing(/check .*\n/, with: "") + "check push-keys\n",
            name: "cut")
        let report = Simulation.run(scenario, seed: 1, defect: .cutsReplies)
        #expect(report.verdict == .invalid)
        #expect(report.failure?.contains("a client cannot read what a node sent") == true)
        #expect(report.checks.map(\.verdict) == [.valid])
        let shrinking = try #require(
            Shrinking(scenario, seed: 1, defect: .cutsReplies, limit: 10))
        #expect(shrinking.check == nil)
    }

    @Test func `every defect has a name that leads to it`() {
        #expect(PlantedDefect.names.allSatisfy { PlantedDefect(name: $0) != nil })
        #expect(PlantedDefect(name: "nothing") == nil)
    }
}
