internal import ClusterSimulator
internal import CommandLineKit
internal import FoundationEssentials
internal import LoadTools

/// Writes reports of runs to a folder: of the first runs that fail, or of the first run if none does.
struct RunReports {
    /// How many reports one command writes; each takes several further runs.
    private static let limit = 3

    private struct Run {
        var file: ScenarioFiles.File
        var report: SimulationReport
        var command: String
    }

    private let folder: String
    private var failed: [Run] = []
    private var first: Run?
    /// By path of the scenario: a seed that passed, to compare with.
    private var passed: [String: UInt64] = [:]

    init(folder: String) { self.folder = folder }

    /// Adds a run that is over.
    mutating func add(
        _ report: SimulationReport, _ verdict: RunVerdict, _ file: ScenarioFiles.File
    ) {
        if file.scenario.hasDatabases { return }
        let run = Run(
            file: file, report: report, command: verdict.command(file, seed: report.seed))
        first = first ?? run
        if verdict == .passed {
            passed[file.path] = passed[file.path] ?? report.seed
        } else if failed.count < RunReports.limit {
            failed.append(run)
        }
    }

    /// Writes the reports; returns their paths.
    func write() throws(CommandError) -> [String] {
        try ReportFolder.make(folder)
        var paths: [String] = []
        for run in failed.isEmpty ? [first].compactMap(\.self) : failed {
            let name = "\(run.report.scenario)-seed-\(run.report.seed)"
            let records = [record(of: run)] + [comparison(with: run)].compactMap(\.self)
            let page = ReportPage(
                .run, title: "\(run.report.scenario), seed \(run.report.seed)",
                records: records.map(\.json))
            paths.append(try ReportFolder.write(page, named: name, to: folder))
        }
        return paths
    }

    private func record(of run: Run) -> ReportRecord {
        ReportRecord(
            of: run.file.scenario, seed: run.report.seed, run.report, repeatedBy: run.command,
            source: .init(named: run.file.path))
    }

    /// A run that passes, and differs from a failed one as little as possible: the same seed without faults, or another seed.
    private func comparison(with run: Run) -> ReportRecord? {
        guard run.report.verdict == .invalid else { return nil }
        let calm = run.file.scenario.withoutFaults(seed: run.report.seed)
        if let calm, let record = passing(calm, seed: run.report.seed, run, "without its faults") {
            return record
        }
        let seeds =
            [passed[run.file.path]].compactMap(\.self) + (1...4).map { run.report.seed &+ $0 }
        return seeds.lazy.compactMap { passing(run.file.scenario, seed: $0, run, nil) }.first
    }

    private func passing(
        _ scenario: Scenario, seed: UInt64, _ run: Run, _ note: String?
    ) -> ReportRecord? {
        let report = Simulation.run(scenario, seed: seed)
        guard report.verdict != .invalid else { return nil }
        let command = RunVerdict.passed.command(run.file, seed: seed)
        return ReportRecord(
            of: scenario, seed: seed, report,
            repeatedBy: note.map { "\(command)  # \($0)" } ?? command,
            source: .init(named: run.file.path))
    }
}

extension ReportRecord.Source {
    /// The file of a scenario.
    fileprivate init(named path: String) {
        let text = readFile(path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        self.init(
            path: path,
            lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
}

/// The folder that a command writes reports to.
enum ReportFolder {
    /// Makes the folder unless it is there.
    static func make(_ folder: String) throws(CommandError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandError(
                .cannotCreate, "cannot make the folder \(folder) for reports",
                fix: "name a folder that you may write to")
        }
    }

    /// Writes a page; returns its path.
    static func write(
        _ page: ReportPage, named name: String, to folder: String
    ) throws(CommandError) -> String {
        let path = (folder.hasSuffix("/") ? folder : folder + "/") + name + ".html"
        let file = try OutputFile(path)
        try file.write(Array(page.html.utf8))
        try file.finish()
        return path
    }
}
