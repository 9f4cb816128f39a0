/// A moment of a run that a report leads to.
struct RunFinding {
    /// The number of the event in the run, counted from 1; 0 if only the time is known.
    var event: UInt64
    var time: Microseconds
    var text: String
    var nodes: [Int] = []
    var clients: [Int] = []
}

extension RunFinding {
    init(_ divergence: Divergence) {
        self.init(
            event: divergence.event, time: divergence.time, text: divergence.problem,
            nodes: divergence.nodes, clients: divergence.clients)
    }
}

extension OperationCourse {
    /// The moment of the course that explains the most; nil if nothing happened to the request.
    func finding(_ run: SimulatedRun) -> RunFinding? {
        let told = finish(run)
        guard event > 0, let request = told.lines.first else { return nil }
        // The sentence before names the request at length.
        let name = request.split(separator: " ").prefix(3).joined(separator: " ")
        let rest = told.lines.dropFirst().suffix(4).map { line in
            line.split(separator: "  ").last.map(String.init) ?? line
        }
        return RunFinding(
            event: event, time: time,
            text: "of the request “\(name)”, " + rest.joined(separator: "; "),
            nodes: told.nodes, clients: told.clients)
    }
}

extension CheckResult {
    /// The moment at which it shows that something is wrong; nil if the check names none.
    var finding: RunFinding? {
        moment.map { RunFinding(event: 0, time: $0.time, text: details, nodes: [$0.node]) }
    }
}

/// The two sentences in which a report says what is wrong with a run, and where it began.
struct FindingSentences {
    private let report: SimulationReport
    private let findings: [RunFinding]
    /// The faults of the run in order.
    private let faults: [(time: Microseconds, text: String)]

    init(
        _ report: SimulationReport, _ findings: [RunFinding],
        after faults: [(time: Microseconds, text: String)]
    ) {
        (self.report, self.findings, self.faults) = (report, findings, faults)
    }

    var sentences: [String] { [claim, beginning].compactMap(\.self) }

    /// What fails.
    private var claim: String {
        if let failure = report.failure { return "The run itself fails: \(failure.sentence)" }
        guard let failed = report.checks.first(where: { $0.verdict == .invalid }) else {
            return "All \(report.checks.count) checks of this run hold."
        }
        return "The check \(failed.check.name) fails: \(failed.details.sentence)"
    }

    /// Where that shows first.
    private var beginning: String? {
        guard report.verdict == .invalid else { return nil }
        guard let first = findings.min(by: { $0.time < $1.time }) else {
            return
                "Every node shows what its operations give, so look at the end of the run and at the requests of clients."
        }
        let fault = lastFault(before: first.time)
        return "It first shows at \(first.time.description): \(first.text)\(fault)."
    }

    private func lastFault(before time: Microseconds) -> String {
        guard let fault = faults.last(where: { $0.time <= time }) else { return "" }
        return ", \((time - fault.time).description) after the fault “\(fault.text)”"
    }
}

extension String {
    /// The text with a full stop, cut to a length that is still read.
    fileprivate var sentence: String {
        let text = cut(to: 320)
        return text.hasSuffix(".") || text.hasSuffix("…") ? text : text + "."
    }
}
