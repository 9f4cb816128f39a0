import Marks

/// Runs scenarios: the cluster that ships, in virtual time, on a network, disks and clocks that fail
/// as the scenario says and the seed draws.
public enum Simulation {
    /// Runs a scenario with one seed.
    ///
    /// Equal arguments give equal reports, in every process and on every machine.
    public static func run(_ scenario: Scenario, seed: UInt64) -> SimulationReport {
        if scenario.hasDatabases { return DatabasesRun.report(of: scenario, seed: seed) }
        let start = SimulatedRun(scenario.drawn(seed: seed), seed: seed)
        let (run, marks) = MarkCounts.counting {
            var run = start
            run.run()
            return run
        }
        var report = report(of: run, seed: seed)
        report.marks = marks
        return report
    }

    /// Runs a scenario of one database with one seed, and hands over each event.
    public static func run<Failure: Error>(
        _ scenario: Scenario, seed: UInt64, _ body: (TracedEvent) throws(Failure) -> Void
    ) throws(Failure) -> SimulationReport {
        var run = SimulatedRun(scenario.drawn(seed: seed), seed: seed)
        run.record.performed = []
        run.begin()
        while let event = run.step() { try body(TracedEvent(event, in: run)) }
        run.end()
        return report(of: run, seed: seed)
    }

    /// Judges a run that is over.
    private static func report(of run: SimulatedRun, seed: UInt64) -> SimulationReport {
        let scenario = run.scenario
        // Priorities have events wait, and so clients.
        let checks = scenario.checks.filter { scenario.search.way != .priorities || !$0.isTimed }
        var statistics = run.record.statistics
        statistics.complete(with: run)
        var results: [CheckResult] = []
        if !checks.isEmpty {
            let evidence = Evidence(of: run)
            results = checks.map { check in
                let result = check.evaluate(evidence)
                return result.verdict == .invalid ? result.naming(run.record.names) : result
            }
            statistics.permitted = evidence.permittedCount
        }
        return SimulationReport(
            scenario: scenario.name, seed: seed,
            verdict: verdict(of: results, run.quiescence.failure),
            traceHash: run.trace.bits, events: statistics.events,
            simulatedSeconds: run.now.inSeconds,
            hasConverged: run.quiescence.converged != nil,
            failure: run.quiescence.failure.map(run.record.names.applied),
            checks: results,
            statistics: statistics)
    }

    static func verdict(of results: [CheckResult], _ failure: String?) -> Verdict {
        if failure != nil { return .invalid }
        if results.contains(where: { $0.verdict == .invalid }) { return .invalid }
        if results.contains(where: { $0.verdict == .unknown }) { return .unknown }
        return .valid
    }
}
