import DataTree
import JSONText

/// A run of a scenario as the page of a report reads it.
public struct ReportRecord: Sendable {
    /// A file of a scenario.
    public struct Source: Sendable {
        let path: String
        let lines: [String]

        /// A file at a path with these lines.
        public init(path: String, lines: [String]) { (self.path, self.lines) = (path, lines) }
    }

    /// One JSON object.
    public let json: String

    init(json: String) { self.json = json }

    /// Runs a scenario again, and records it.
    ///
    /// - Parameters:
    ///   - report: The outcome of the run with this seed.
    ///   - command: The command that repeats the run.
    ///   - source: The scenario's file.
    /// - Complexity: some ten times that of the run itself.
    public init(
        of scenario: Scenario, seed: UInt64, _ report: SimulationReport,
        repeatedBy command: String, source: Source
    ) {
        let drawn = scenario.drawn(seed: seed)
        let diagnosis = Diagnosis(of: drawn, seed: seed, report)
        var run = SimulatedRun(drawn, seed: seed)
        let moments = diagnosis.findings.map(\.event) + diagnosis.steps.map(\.event)
        var recorder = RunRecorder(&run, keeping: Set(moments))
        run.begin()
        while let event = run.step() { recorder.observe(event, in: &run) }
        recorder.finish(run)
        let script = ScriptLines(drawn, recorder)
        let failed = report.checks.filter { $0.verdict == .invalid }
        let columns = recorder.columns
        let members =
            RecordHead(
                title: report.scenario, seed: seed, command: command, report: report,
                sentences: diagnosis.sentences
            ).members
            + [
                "\"findings\":[\(diagnosis.findings.map { $0.json(in: columns) }.joined(separator: ","))]",
                "\"steps\":[\(diagnosis.steps.map { $0.json(in: columns) }.joined(separator: ","))]",
                "\"scenario\":\(script.json(failed: failed, source: source))",
            ] + columns.members
        json = "{\(members.joined(separator: ","))}"
    }
}

/// The members of a record that say which run it is, and what came out.
struct RecordHead {
    var title: String
    var seed: UInt64
    var command: String
    var kind: String?
    var sentences: [String]
    var checks: [CheckResult]

    init(
        title: String, seed: UInt64, command: String, report: SimulationReport,
        sentences: [String]
    ) {
        self.init(
            title: title, seed: seed, command: command, kind: report.failureKind?.rawValue,
            sentences: sentences, checks: report.checks)
    }

    init(
        title: String, seed: UInt64, command: String, kind: String?, sentences: [String],
        checks: [CheckResult]
    ) {
        (self.title, self.seed, self.command) = (title, seed, command)
        (self.kind, self.sentences, self.checks) = (kind, sentences, checks)
    }

    var members: [String] {
        [
            "\"format\":1", "\"title\":\(RecordColumns.text(title))", "\"seed\":\"\(seed)\"",
            "\"command\":\(RecordColumns.text(command))",
            "\"kind\":\(kind.map(RecordColumns.text) ?? "null")",
            "\"sentences\":[\(sentences.map(RecordColumns.text).joined(separator: ","))]",
            "\"checks\":[\(checks.map(RecordHead.json).joined(separator: ","))]",
        ]
    }

    private static func json(_ result: CheckResult) -> String {
        let witness = result.witness.map(RecordColumns.text).joined(separator: ",")
        return "[\"\(result.check.name)\",\"\(result.verdict.rawValue)\","
            + "\(RecordColumns.text(result.details)),[\(witness)]]"
    }
}

extension RunFinding {
    /// The finding with its event in a record.
    func json(in columns: RecordColumns) -> String {
        let event = event > 0 ? columns.event(upTo: event) : columns.event(atTime: time)
        let names = nodes.map(\.nodeName) + clients.map(\.clientName) + lanes
        let lanes = names.map(RecordColumns.text)
        return "{\"event\":\(event),\"text\":\(RecordColumns.text(text)),"
            + "\"lanes\":[\(lanes.joined(separator: ","))]}"
    }
}

extension CourseStep {
    /// The step with its event in a record, and 1 if a correct run would not take it.
    func json(in columns: RecordColumns) -> String {
        "[\(columns.event(upTo: event)),\(RecordColumns.text(text)),\(isDeviation ? 1 : 0)]"
    }
}

/// The lines of a scenario, and the events in which those of its script were executed.
private struct ScriptLines {
    private let lines: [String]
    /// By line, counted from 0.
    private var events: [(line: Int, event: Int)] = []

    init(_ scenario: Scenario, _ recorder: RunRecorder) {
        lines = scenario.text.split(separator: "\n").map(String.init)
        for (index, scripted) in scenario.script.enumerated() {
            let text = scripted.action.text(in: scenario)
            let line = lines.firstIndex(of: "at \(scripted.times.text) \(text)")
            if let line, let event = recorder.scripted[index] { events.append((line, event)) }
        }
    }

    /// - Parameter failed: The results of the checks that failed.
    func json(failed: [CheckResult], source: ReportRecord.Source) -> String {
        let texts = lines.map(RecordColumns.text).joined(separator: ",")
        let pairs = events.map { "[\($0.line),\($0.event)]" }.joined(separator: ",")
        return "{\"lines\":[\(texts)],\"events\":[\(pairs)],"
            + "\"failed\":\(ScriptLines.numbers(of: failed, in: lines)),"
            + "\"file\":\(RecordColumns.text(source.path)),"
            + "\"sourceLines\":\(ScriptLines.numbers(of: failed, in: source.lines))}"
    }

    /// The numbers of the lines that claim what failed, counted from 0.
    private static func numbers(of failed: [CheckResult], in lines: [String]) -> String {
        let numbers = lines.indices.filter { index in
            let line = lines[index].prefix { $0 != "#" }
            let words = line.split { $0 == " " || $0 == "," }
            switch words.first {
            case "check":
                let claim = words.dropFirst().joined(separator: " ")
                return failed.contains {
                    words.contains(Substring($0.check.name)) || $0.details.contains(claim)
                }
            // The results of expectations and invariants quote them.
            case "at":
                let text = words.dropFirst(2).joined(separator: " ")
                return text.contains(" expect ") && failed.contains { $0.details.contains(text) }
            default: return false
            }
        }
        return "[\(numbers.map { "\($0)" }.joined(separator: ","))]"
    }
}

extension Scenario {
    /// The run of a seed without the scenario's faults; nil if it has none.
    public func withoutFaults(seed: UInt64) -> Scenario? {
        var calm = drawn(seed: seed)
        let count = calm.script.count
        calm.script.removeAll { if case .fault = $0.action { true } else { false } }
        return calm.script.count < count ? calm : nil
    }
}
