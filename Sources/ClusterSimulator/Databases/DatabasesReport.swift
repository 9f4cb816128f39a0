internal import Marks

extension DatabasesRun {
    /// Runs a scenario with several databases with one seed, and judges the run.
    static func report(of scenario: Scenario, seed: UInt64) -> SimulationReport {
        let (run, marks) = MarkCounts.counting {
            var run = DatabasesRun(scenario, seed: seed)
            run.run()
            return run
        }
        let results = scenario.checks.compactMap { $0.evaluate(run.record) }
        var report = SimulationReport(
            scenario: scenario.name, seed: seed, verdict: Simulation.verdict(of: results, nil),
            traceHash: run.hash, events: run.network.sentCount,
            simulatedSeconds: Double(run.milliseconds) / 1_000, hasConverged: run.hasComeToRest,
            failure: nil, checks: results, statistics: run.statistics)
        report.marks = marks
        return report
    }

    /// The events of a failing run about the database that the first violation concerns, as lines.
    static func course(of scenario: Scenario, seed: UInt64) -> [String] {
        var run = DatabasesRun(scenario, seed: seed, isTraced: true)
        run.run()
        return run.record.course
    }

    private var hash: UInt64 {
        var hash = record.hash
        hash.combine(network.hash.bits)
        return hash.bits
    }

    private var statistics: SimulationStatistics {
        var statistics = record.statistics
        statistics.events = network.sentCount
        statistics.framesSent = network.sentCount
        statistics.framesDropped = network.droppedCount
        return statistics
    }
}
