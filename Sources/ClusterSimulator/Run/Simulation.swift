/// Runs scenarios: the cluster that ships, in virtual time, on a network, disks and clocks that fail
/// as the scenario says and the seed draws.
public enum Simulation {
    /// Runs a scenario with one seed.
    ///
    /// Equal arguments give equal reports, in every process and on every machine.
    public static func run(_ scenario: Scenario, seed: UInt64) -> SimulationReport {
        let scenario = scenario.drawn(seed: seed)
        var run = SimulatedRun(scenario, seed: seed)
        run.run()
        let evidence = Evidence(of: run)
        let results = scenario.checks.map { $0.judge(evidence) }
        var statistics = run.statistics
        statistics.complete(with: run)
        statistics.permitted = evidence.permittedCount
        return SimulationReport(
            scenario: scenario.name, seed: seed,
            verdict: verdict(of: results, run.quiescence.failure),
            traceHash: run.trace.bits, events: statistics.events,
            simulatedSeconds: run.now.inSeconds, failure: run.quiescence.failure, checks: results,
            statistics: statistics)
    }

    private static func verdict(of results: [CheckResult], _ failure: String?) -> Verdict {
        if failure != nil { return .invalid }
        if results.contains(where: { $0.verdict == .invalid }) { return .invalid }
        if results.contains(where: { $0.verdict == .unknown }) { return .unknown }
        return .valid
    }
}
