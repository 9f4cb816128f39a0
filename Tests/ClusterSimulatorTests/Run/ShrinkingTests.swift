import Synchronization
import Testing

@testable import ClusterSimulator

/// Scenarios that fail are made shorter.
@Suite struct ShrinkingTests {
    @Test func `a scenario that fails becomes shorter, and still fails`() throws {
        let scenario = try ScenarioFiles.scenario("moving-clients")
        var shrinking = try #require(
            Shrinking(scenario, seed: 1, .init(runs: 200), run: Self.failingWhereClientsMove))
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
            Shrinking(scenario, seed: 1, .init(runs: 10)) { scenario, seed in
                var report = Simulation.run(scenario, seed: seed)
                report.verdict = .invalid
                return report
            })
        #expect(shrinking.check == nil)
    }

    @Test func `a scenario that holds is not made shorter`() throws {
        let scenario = try ScenarioFiles.scenario("three-nodes-converge")
        #expect(Shrinking(scenario, seed: 1, .init(runs: 100)) == nil)
    }

    @Test func `only the action that the failure needs is left, and the time until it`()
        throws
    {
        let scenario = try Scenario(
            parsing: """
                cluster replicas=5 clients=4
                network loss=5% delay=1ms..20ms
                workload operations=200 push=3 set=2
                seeds 4..9
                at 1s partition n1 n2 | n3 n4 n5
                at 2s pause n2
                at 2500ms resume n2
                at 3s crash n5
                at 3500ms restart n5
                at 5s heal
                until 8s
                check replicas-equal, stays-live
                """, name: "long")
        var shrinking = try #require(
            Shrinking(scenario, seed: 4, .init(runs: 2_000), run: Self.failingWhereNodePauses))
        while shrinking.step() {}
        #expect(shrinking.isConfirmed)
        #expect(
            shrinking.scenario.text.split(separator: "\n").dropFirst() == [
                "workload operations=1 push=1", "seeds 4..4", "at 2s pause n2", "until 2250ms",
                "check replicas-equal",
            ])
        #expect(shrinking.lineCount == 6)
    }

    @Test func `what does not fail a second time is not confirmed`() throws {
        let scenario = try ScenarioFiles.scenario("three-nodes-converge")
        let isFirst = Atomic(true)
        let shrinking = Shrinking(scenario, seed: 1, .init(runs: 5)) { scenario, seed in
            let report = Self.report(seed)
            guard isFirst.exchange(false, ordering: .relaxed) else { return report }
            return Self.failing(report)
        }
        #expect(try #require(shrinking).isConfirmed == false)
    }

    @Test func `once its time is over nothing more is run`() throws {
        let scenario = try ScenarioFiles.scenario("three-nodes-converge")
        var shrinking = try #require(
            Shrinking(scenario, seed: 1, .init(runs: 1_000) { true }) {
                Self.failing(Self.report($1))
            })
        #expect(shrinking.step() == false)
        #expect(shrinking.runs == 0)
    }

    /// A run of nothing, which is not needed to be a real one.
    private static func report(_ seed: UInt64) -> SimulationReport {
        SimulationReport(
            scenario: "short", seed: seed, verdict: .valid, traceHash: seed, events: 1,
            simulatedSeconds: 1, hasConverged: true, failure: nil, checks: [],
            statistics: SimulationStatistics())
    }

    private static func failing(_ report: SimulationReport) -> SimulationReport {
        var report = report
        report.verdict = .invalid
        report.checks = [
            CheckResult(check: .replicasEqual, verdict: .invalid, details: "it fails")
        ]
        return report
    }

    @Sendable private static func failingWhereNodePauses(
        _ scenario: Scenario, seed: UInt64
    ) -> SimulationReport {
        let text = scenario.text
        let hasWork =
            text.contains("operations=") && (text.contains("push=") || text.contains("set="))
        return text.contains("pause n2") && hasWork ? failing(report(seed)) : report(seed)
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
