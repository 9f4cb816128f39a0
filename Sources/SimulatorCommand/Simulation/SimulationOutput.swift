internal import ClusterSimulator
internal import CommandLineKit

/// Prints what comes out of runs: failures as they come, a line for each scenario, and at the end the command that
/// has the worst failure come out again.
struct SimulationOutput {
    enum Style {
        /// Runs that passed have a line of their own where there is one alone.
        case text
        /// Each run has a line.
        case everyRun
        case json
    }

    /// How many failing runs are investigated, which takes longer than the runs.
    private static let investigatedRuns = 3

    private let style: Style
    private var marks: MarkTally?
    private let total: Int?
    private var tallies: [ScenarioTally]
    /// Which scenarios have their line.
    private var shown = 0
    private var progress: Progress
    private var investigated = 0
    private var worst: (verdict: RunVerdict, scenario: Int, seed: UInt64)?
    private(set) var junit = JUnitReport()
    private var reports: RunReports?
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - total: How many runs there will be, if that is known.
    ///   - marks: A tally of marks, if they are to be printed.
    ///   - reports: Reports of runs, if they are to be written.
    init(
        _ files: [ScenarioFiles.File], _ style: Style, of total: Int?, _ progress: Progress,
        marks: MarkTally? = nil, reports: RunReports? = nil
    ) {
        self.marks = marks
        self.reports = reports
        self.style = style
        self.total = total
        self.progress = progress
        tallies = files.map { ScenarioTally($0) }
    }

    private var runs: Int { tallies.reduce(0) { $0 + $1.runs } }
    private var failed: Int { tallies.reduce(0) { $0 + $1.failed } }
    var hasFailed: Bool { worst != nil }
    /// The worst that came out.
    var verdict: RunVerdict { worst?.verdict ?? .passed }

    mutating func showProgress() { progress.show(runs) }

    /// Counts a run, and prints it if it failed or every run is printed.
    mutating func show(_ finished: SimulationRuns.Finished) {
        let report = finished.report
        let verdict = RunVerdict(finished)
        if total != nil { showTallies(before: finished.item.scenario) }
        tallies[finished.item.scenario].add(report, verdict)
        marks?.add(report.marks)
        junit.add(finished, verdict)
        let file = tallies[finished.item.scenario].file
        reports?.add(report, verdict, file)
        let command = verdict.command(file, seed: report.seed)
        if verdict.severity > worst?.verdict.severity ?? 0 {
            worst = (verdict, finished.item.scenario, report.seed)
        }
        if style == .json {
            print([RunJSON.object(report, verdict, reproducedBy: command)])
        } else if verdict != .passed || style == .everyRun || total == 1 {
            print([RunText.line(report, verdict)] + RunText.problems(of: report, verdict))
            investigate(report, verdict, tallies[finished.item.scenario].file.scenario)
        }
        showProgress()
    }

    /// Prints where the first few failing runs went wrong.
    private mutating func investigate(
        _ report: SimulationReport, _ verdict: RunVerdict, _ scenario: Scenario
    ) {
        guard case .failed = verdict, investigated < SimulationOutput.investigatedRuns else {
            return
        }
        investigated += 1
        let lines = Investigation.lines(of: scenario, seed: report.seed, report: report)
        print(lines.map { "    " + $0 })
    }

    /// The scenarios before one have no more runs.
    private mutating func showTallies(before scenario: Int) {
        while shown < scenario {
            if style != .json, tallies[shown].runs > 0, total != 1 {
                print(
                    [RunText.line(tallies[shown])]
                        + [RunText.bound(tallies[shown])].compactMap(\.self))
            }
            shown += 1
        }
    }

    private mutating func print(_ lines: [String]) {
        progress.clear()
        for line in lines { StandardOutput.shared.print(line) }
        StandardOutput.shared.flush()
    }

    // MARK: The end

    /// Prints a short scenario with which the worst failure comes again.
    mutating func shrinkWorst() {
        guard let worst, !StopRequest.isThere, case .failed = worst.verdict,
            !tallies[worst.scenario].file.scenario.hasDatabases
        else { return }
        progress.clear()
        var output = ShrinkingOutput(
            tallies[worst.scenario].file.scenario, seed: worst.seed, for: ShrinkingOutput.time,
            runs: .max)
        _ = output?.run()
    }

    /// Writes the reports, and prints their paths.
    mutating func writeReports() throws(CommandError) {
        guard let reports, runs > 0 else { return }
        progress.clear()
        for path in try reports.write() {
            if style == .json {
                Terminal.standardError.print("report: \(path)")
            } else {
                print(["report: \(path)"])
            }
        }
    }

    mutating func finish(isInterrupted: Bool) -> ExitStatus {
        showTallies(before: tallies.count)
        progress.clear()
        var hasMissed = false
        for tally in tallies {
            for missed in tally.missedChecks {
                hasMissed = true
                junit.add(missed: missed, of: tally.file.scenario.name)
                Terminal.standardError.print(
                    "warning: \(missed.check.name) had nothing to check with any of the "
                        + "\(tally.runs) seeds of \(tally.file.path): \(missed.reason)")
            }
        }
        for tally in tallies {
            for mark in tally.missedMarks {
                hasMissed = true
                Terminal.standardError.print(
                    "warning: none of the \(tally.runs) seeds of \(tally.file.path) reached "
                        + mark.name)
            }
        }
        if let marks { print(style == .json ? [marks.json] : marks.lines) }
        if style != .json { print([summary(isInterrupted)] + emptyResults + excuses) }
        if style != .json, let worst {
            print([worst.verdict.command(tallies[worst.scenario].file, seed: worst.seed)])
        }
        if isInterrupted { return .interrupted }
        return worst?.verdict.status ?? (hasMissed ? .coverageMissed : .success)
    }

    private func summary(_ isInterrupted: Bool) -> String {
        let seconds = start.duration(to: .now) / .seconds(1)
        let permitted = tallies.reduce(0) { $0 + $1.permitted }
        let losses = permitted == 0 ? "" : ", \(permitted) permitted losses"
        let wanted = total.map { " of \($0)" } ?? ""
        let runs = isInterrupted ? "interrupted: \(runs)\(wanted)" : "\(runs)"
        return "\(runs) runs, \(self.runs - failed) passed, \(failed) failed\(losses), "
            + "in \(tenths(seconds)) s"
    }

    /// How often a check had nothing to check: neither a success nor a failure of its run.
    private var emptyResults: [String] {
        let empty = tallies.reduce(0) { $0 + $1.emptyResults }
        let all = tallies.reduce(0) { $0 + $1.results }
        // A few runs of many scenarios say little about each of them.
        let judged = tallies.count == 1 ? tallies : tallies.filter { $0.runs >= 10 }
        let idle = judged.flatMap { tally in
            tally.idleChecks.map { idle in
                "    \(tally.file.scenario.name): \(idle.check.name) in \(idle.runs) of \(tally.runs) runs: "
                    + idle.reason
            }
        }
        return empty == 0
            ? [] : ["\(empty) of \(all) checks had nothing to check in their run"] + idle
    }

    /// How often checks excused themselves, by scenario and reason.
    private var excuses: [String] {
        let excused = tallies.reduce(0) { $0 + $1.excusedRuns }
        if excused == 0 { return [] }
        let lines = tallies.flatMap { tally in
            tally.excuses.sorted { ($1.value, $0.key.check) < ($0.value, $1.key.check) }.map {
                "    \(tally.file.scenario.name): \($0.key.check) in \($0.value) of \(tally.runs) runs: "
                    + $0.key.reason
            }
        }
        return ["in \(excused) of \(runs) runs a check excused itself"] + lines
    }
}
