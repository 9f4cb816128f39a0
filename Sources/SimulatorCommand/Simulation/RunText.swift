internal import ClusterSimulator
internal import CommandLineKit

/// Runs as lines of text.
enum RunText {
    /// The line of one run.
    static func line(_ report: SimulationReport, _ verdict: RunVerdict) -> String {
        let counts = report.statistics
        let permitted = counts.permitted == 0 ? "" : "\(counts.permitted) permitted losses, "
        let kind = verdict.failure.map { " (\($0))" } ?? ""
        return
            "\(word(verdict == .passed))  \(report.scenario) seed \(report.seed)\(kind)  "
            + "\(report.traceHashText)  \(counts.acknowledged)/\(counts.operations) acknowledged, "
            + "\(permitted)\(report.events) events, \(tenths(report.simulatedSeconds)) s simulated"
    }

    /// The line of all runs of a scenario.
    static func line(_ tally: ScenarioTally) -> String {
        let failed = tally.failed == 0 ? "" : "\(tally.failed) of "
        let seeds = tally.runs == 1 ? "1 seed" : "\(tally.runs) seeds"
        return
            "\(word(tally.failed == 0))  \(tally.file.scenario.name)  \(failed)\(seeds), "
            + "\(tally.acknowledged)/\(tally.operations) acknowledged, "
            + "\(tally.events) events, \(tenths(tally.simulatedSeconds)) s simulated"
    }

    /// The guarantee of runs that priorities order; nil for other runs.
    static func bound(_ tally: ScenarioTally) -> String? {
        guard tally.processes > 0 else { return nil }
        let depth = tally.file.scenario.searchDepth
        let schedules = (1..<max(1, depth)).reduce(Double(tally.processes)) { product, _ in
            product * Double(max(1, tally.steps))
        }
        return
            "    up to \(tally.processes) processes, \(tally.steps) steps: a bug that \(depth) steps "
            + "in one order show is found in 1 of \(ExhaustiveText.rounded(schedules)) runs at least"
    }

    /// The violations of a run.
    static func problems(of report: SimulationReport, _ verdict: RunVerdict) -> [String] {
        var lines: [String] = []
        if verdict == .differed {
            lines.append("    a second run with this seed was another one")
        }
        if let failure = report.failure { lines.append("    the run itself: \(failure)") }
        let failed = report.checks.filter { $0.verdict == .invalid }
        // Replicas that never came to rest differ in everything, so their differences say nothing.
        let effects = failed.filter { verdict == .failed(.liveness) && $0.check.judgesTheEnd }
        for result in failed where !effects.contains(result) {
            lines.append("    \(result.check.name): \(result.details)")
            lines += result.witness.map { "        " + $0 }
        }
        if effects.isEmpty { return lines }
        let names = effects.map(\.check.name).joined(separator: ", ")
        return lines + ["    so these fail as well: \(names)"]
    }

    private static func word(_ hasPassed: Bool) -> String {
        Terminal.standardOutput.coloured(
            hasPassed ? "passed" : "failed", hasPassed ? .green : .red)
    }
}
