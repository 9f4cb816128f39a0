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
    /// The runs in which a check excused itself, or acknowledged writes might be lost.
    private(set) var excusedRuns = 0
    /// How often which check excused itself for which reason.
    private(set) var excuses: [Excuse: Int] = [:]
    private var emptyRuns: [Check: Int] = [:]
    private var busyChecks: Set<Check> = []
    private var marks = MarkTally()

    /// A check, and why it says nothing of a run in which there was something to check.
    struct Excuse: Hashable {
        let check: String
        let reason: String
    }

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
        add(excusesOf: report)
        for result in report.checks {
            if result.verdict == .unknown {
                if !result.isExcused {
                    emptyResults += 1
                    emptyRuns[result.check, default: 0] += 1
                }
            } else {
                busyChecks.insert(result.check)
            }
        }
    }

    private mutating func add(excusesOf report: SimulationReport) {
        var found = report.checks.filter(\.isExcused).map {
            Excuse(check: $0.check.name, reason: $0.details)
        }
        if report.statistics.permitted > 0 {
            found.append(
                Excuse(
                    check: "acknowledged writes",
                    reason: "no disk that was left may have held some of them"))
        }
        if !found.isEmpty { excusedRuns += 1 }
        for excuse in found { excuses[excuse, default: 0] += 1 }
    }

    /// The checks that had nothing to check in more than half of the runs, with the number of these runs; none of a few runs.
    var idleChecks: [(check: Check, runs: Int)] {
        guard runs >= 10 else { return [] }
        return file.scenario.checks.compactMap { check in
            emptyRuns[check].flatMap { 2 * $0 > runs ? (check, $0) : nil }
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
