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
    /// How often a check had nothing to check for which reason.
    private var emptyRuns: [Check: [String: Int]] = [:]
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
                    emptyRuns[result.check, default: [:]][result.details, default: 0] += 1
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

    /// A check that had nothing to check in some runs.
    struct Idleness {
        let check: Check
        let runs: Int
        /// The most frequent reason.
        let reason: String
    }

    /// The checks that had nothing to check in more than half of the runs.
    var idleChecks: [Idleness] {
        file.scenario.checks.compactMap(idleness).filter { 2 * $0.runs > runs }
    }

    /// The checks that had nothing to check with any seed. Fewer seeds than the scenario names prove nothing.
    var missedChecks: [Idleness] {
        guard hasAllRuns else { return [] }
        return file.scenario.checks.filter { !busyChecks.contains($0) }.map {
            idleness(of: $0)
                ?? Idleness(check: $0, runs: 0, reason: "it excused itself in each run")
        }
    }

    private func idleness(of check: Check) -> Idleness? {
        guard let reasons = emptyRuns[check],
            let main = reasons.min(by: { ($1.value, $0.key) < ($0.value, $1.key) })
        else { return nil }
        return Idleness(check: check, runs: reasons.values.reduce(0, +), reason: main.key)
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
