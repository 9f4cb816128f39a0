import Testing

@testable import ClusterSimulator

/// Scenarios that fail are made shorter.
@Suite struct ShrinkingTests {
    @Test func `a scenario that fails becomes shorter, and still fails`() throws {
        let scenario = try ScenarioFiles.scenario("moving-clients")
        var shrinking = try #require(
            Shrinking(scenario, seed: 1, limit: 200, run: Self.failingWhereClientsMove))
        #expect(shrinking.check == .replicasEqual)
        let before = shrinking.size
        while shrinking.step() {}
        #expect(shrinking.size < before)
        #expect(shrinking.runs <= 203)

        let text = shrinking.scenario.text
        let read = try Scenario(parsing: text, name: "short")
        #expect(read.checks == [.replicasEqual])
        #expect(read.seeds == shrinking.seed...shrinking.seed)
        #expect(Self.failingWhereClientsMove(read, seed: shrinking.seed).verdict == .invalid)
    }

    @Test func `a failure of the run itself is credited to no check`() throws {
        let scenario = try ScenarioFiles.scenario("three-nodes-converge")
        let shrinking = try #require(
            Shrinking(scenario, seed: 1, limit: 10) { scenario, seed in
                var report = Simulation.run(scenario, seed: seed)
                report.verdict = .invalid
                return report
            })
        #expect(shrinking.check == nil)
    }

    @Test func `a scenario that holds is not made shorter`() throws {
        let scenario = try ScenarioFiles.scenario("three-nodes-converge")
        #expect(Shrinking(scenario, seed: 1, limit: 100) == nil)
    }

    @Sendable private static func failingWhereClientsMove(
        _ scenario: Scenario, seed: UInt64
    ) -> SimulationReport {
        var report = Simulation.run(scenario, seed: seed)
        guard report.statistics.moves > 0 else { return report }
        report.verdict = .invalid
        report.checks = [
            CheckResult(check: .replicasEqual, verdict: .invalid, details: "a client moved")
        ]
        return report
    }
}
