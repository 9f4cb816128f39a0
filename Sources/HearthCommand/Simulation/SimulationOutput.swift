internal import ClusterSimulator
internal import CommandLineKit
internal import JSONText

/// Prints one line a run, and at the end the command that repeats the first failure.
///
/// A check without anything to check is not a success. In a swarm, where a seed may leave that out, at
/// least one seed must have something for each check.
struct SimulationOutput {
    /// A check that has had nothing to check in any run of a swarm so far.
    private struct Unseen {
        var check: Check
        var file: String
        var seed: UInt64
    }

    let isJSON: Bool
    private var runs = 0
    private var failures = 0
    private var permitted = 0
    private var firstFailure: String?
    private var unseen: [Unseen] = []
    private var seen: [String: Set<Check>] = [:]
    private let start = ContinuousClock.now

    init(isJSON: Bool) { self.isJSON = isJSON }

    mutating func show(_ report: SimulationReport, of file: ScenarioFiles.File) {
        runs += 1
        permitted += report.statistics.permitted
        if isJSON {
            StandardOutput.shared.print(SimulationOutput.json(report))
        } else {
            showLine(report)
        }
        if file.scenario.isSwarm { note(report, of: file) }
        if report.verdict == .invalid || report.verdict == .unknown && !file.scenario.isSwarm {
            fail(file.path, report.seed)
        }
        StandardOutput.shared.flush()
    }

    private mutating func note(_ report: SimulationReport, of file: ScenarioFiles.File) {
        for result in report.checks {
            if result.verdict != .unknown {
                seen[file.path, default: []].insert(result.check)
                unseen.removeAll { $0.file == file.path && $0.check == result.check }
            } else if seen[file.path]?.contains(result.check) != true,
                !unseen.contains(where: { $0.file == file.path && $0.check == result.check })
            {
                unseen.append(Unseen(check: result.check, file: file.path, seed: report.seed))
            }
        }
    }

    private mutating func fail(_ file: String, _ seed: UInt64) {
        failures += 1
        firstFailure = firstFailure ?? "hearth sim run \(file) --seed \(seed)"
    }

    mutating func finish() -> ExitStatus {
        for unseen in unseen {
            fail(unseen.file, unseen.seed)
            if isJSON { continue }
            StandardOutput.shared.print(
                "\(unseen.check.rawValue) had nothing to check with any seed of \(unseen.file)")
        }
        if !isJSON {
            let seconds = start.duration(to: .now) / .seconds(1)
            let losses =
                permitted == 0 ? "" : ", \(permitted) permitted losses"
            StandardOutput.shared.print(
                "\(runs) runs, \(failures) failed\(losses), in \(tenths(seconds)) s")
        }
        guard let firstFailure else { return .success }
        StandardOutput.shared.print(isJSON ? "{\"reproduce\":\"\(firstFailure)\"}" : firstFailure)
        return .checkFailed
    }

    private func showLine(_ report: SimulationReport) {
        let terminal = Terminal.standardOutput
        let counts = report.statistics
        let verdict = terminal.coloured(
            report.verdict.rawValue, report.verdict == .valid ? .green : .red)
        StandardOutput.shared.print(
            "\(verdict)  \(report.scenario) seed \(report.seed)  \(report.traceHashText)  "
                + "\(counts.acknowledged)/\(counts.operations) acknowledged, "
                + (counts.permitted == 0 ? "" : "\(counts.permitted) permitted losses, ")
                + "\(report.events) events, \(tenths(report.simulatedSeconds)) s simulated")
        if let failure = report.failure {
            StandardOutput.shared.print("    the run itself is invalid: \(failure)")
        }
        for result in report.checks where result.verdict != .valid {
            StandardOutput.shared.print(
                "    \(result.check.rawValue) is \(result.verdict.rawValue): \(result.details)")
            for line in result.witness { StandardOutput.shared.print("        " + line) }
        }
    }

    private static func json(_ report: SimulationReport) -> String {
        let checks = report.checks.map { result in
            let witness = result.witness.map { JSONWriter.text(of: .string($0)) }
            return
                "{\"check\":\"\(result.check.rawValue)\",\"verdict\":\"\(result.verdict.rawValue)\","
                + "\"details\":\(JSONWriter.text(of: .string(result.details))),"
                + "\"witness\":[\(witness.joined(separator: ","))]}"
        }
        let failure =
            report.failure.map { "\"failure\":\(JSONWriter.text(of: .string($0)))," } ?? ""
        return "{\"scenario\":\(JSONWriter.text(of: .string(report.scenario))),"
            + "\"seed\":\(report.seed),\"verdict\":\"\(report.verdict.rawValue)\","
            + "\"traceHash\":\"\(report.traceHashText)\",\"events\":\(report.events),"
            + "\"simulatedSeconds\":\(report.simulatedSeconds),"
            + "\"operations\":\(report.statistics.operations),"
            + "\"acknowledged\":\(report.statistics.acknowledged),"
            + "\"permitted\":\(report.statistics.permitted),"
            + failure + "\"checks\":[\(checks.joined(separator: ","))]}"
    }
}
