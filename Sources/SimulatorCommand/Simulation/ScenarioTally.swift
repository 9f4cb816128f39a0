internal import ClusterSimulator
internal import Marks

/// The runs of one scenario, in numbers.
struct ScenarioTally {
    let file: ScenarioFiles.File
    private(set) var runs = 0
    private(set) var failed = 0
    private(set) var operations = 0
    private(set) var acknowledged = 0
    private(set) var permitted = 0
    private(set) var events: UInt64 = 0
    private(set) var simulatedSeconds = 0.0
    /// The most processes and steps of a run that priorities order.
    private(set) var processes = 0
    private(set) var steps = 0
    /// How many results of checks there are, and how many of them had nothing to check.
    private(set) var results = 0
    private(set) var emptyResults = 0
    private var busyChecks: Set<Check> = []
    private var marks = MarkTally()

    /// Nothing has run yet of this file.
    init(_ file: ScenarioFiles.File) { self.file = file }

    /// Counts a run.
    mutating func add(_ report: SimulationReport, _ verdict: RunVerdict) {
        runs += 1
        if verdict != .passed { failed += 1 }
        operations += report.statistics.operations
        acknowledged += report.statistics.acknowledged
        permitted += report.statistics.permitted
        events += report.events
        processes = max(processes, report.statistics.processes)
        steps = max(steps, report.statistics.steps)
        simulatedSeconds += report.simulatedSeconds
        results += report.checks.count
        marks.add(report.marks)
        for result in report.checks {
            if result.verdict == .unknown {
                emptyResults += 1
            } else {
                busyChecks.insert(result.check)
            }
        }
    }

    /// The checks that had nothing to check with any seed. Fewer seeds than the scenario names prove nothing.
    var missedChecks: [Check] {
        hasAllRuns ? file.scenario.checks.filter { !busyChecks.contains($0) } : []
    }

    /// The marks that the scenario wants reached and no seed has, in a program that counts them.
    var missedMarks: [Mark] {
        hasAllRuns && MarkCounts.isOn ? file.scenario.marks.filter(marks.missed.contains) : []
    }

    private var hasAllRuns: Bool {
        let seeds = file.scenario.seeds
        return UInt64(runs) > seeds.upperBound - seeds.lowerBound
    }
}
