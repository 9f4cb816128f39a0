/// A moment of a run that a report leads to.
struct RunFinding {
    /// The number of the event in the run, counted from 1; 0 if only the time is known.
    var event: UInt64
    var time: Microseconds
    var text: String
    var nodes: [Int] = []
    var clients: [Int] = []
    /// Whether a node's tree differs from what its operations give, or from the tree of a node with the same operations.
    var isOfTree = false
}

extension RunFinding {
    init(_ divergence: Divergence) {
        self.init(
            event: divergence.event, time: divergence.time, text: divergence.problem,
            nodes: divergence.nodes, clients: divergence.clients,
            isOfTree: divergence.clients.isEmpty)
    }
}

extension OperationCourse {
    /// The moment of the course that explains the most; nil if nothing happened to the request.
    func finding(_ run: SimulatedRun) -> RunFinding? {
        let told = finish(run)
        guard event > 0, let request = told.lines.first else { return nil }
        // The sentence before names the request at length.
        let name = request.split(separator: " ").prefix(3).joined(separator: " ")
        let rest = told.lines.dropFirst().suffix(6).map { line in
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

/// The sentences in which a report says what is wrong with a run, where it began, and what tells causes apart.
struct FindingSentences {
    private let report: SimulationReport
    private let findings: [RunFinding]
    private let clues: FindingClues
    /// The faults of the run in order.
    private let faults: [(time: Microseconds, text: String)]

    init(
        _ report: SimulationReport, _ findings: [RunFinding], _ clues: FindingClues,
        after faults: [(time: Microseconds, text: String)]
    ) {
        (self.report, self.findings, self.clues) = (report, findings, clues)
        self.faults = faults
    }

    var sentences: [String] { [claim, beginning, clue].compactMap(\.self) }

    /// The failed check that explains the others: those of the end prove nothing about a cluster that was never at rest.
    private var failed: CheckResult? {
        let failed = report.checks.filter { $0.verdict == .invalid }
        return failed.first { $0.check.failureKind == report.failureKind } ?? failed.first
    }

    private var first: RunFinding? { findings.min { $0.time < $1.time } }

    /// What fails.
    private var claim: String {
        if let failure = report.failure { return "The run itself fails: \(failure.sentence)" }
        guard let failed else { return "All \(report.checks.count) checks of this run hold." }
        let witness = failed.witness.prefix(2).map { "; " + $0.cut(to: 160) }.joined()
        return "The check \(failed.check.name) fails: \((failed.details + witness).sentence)"
    }

    /// The first event that shows the failure.
    private var beginning: String? {
        guard report.verdict == .invalid else { return nil }
        guard let first else {
            return
                "Every node shows what its operations give, so look at the end of the run and at the requests of clients."
        }
        let fault = lastFault(before: first.time)
        // The check may have said the same.
        if claim.contains(first.text) {
            return "It first shows at \(first.time.description)\(fault)."
        }
        return "It first shows at \(first.time.description): \(first.text)\(fault)."
    }

    private var clue: String? {
        guard report.verdict == .invalid else { return nil }
        if report.failureKind == .liveness { return clues.repairs }
        return first.flatMap { $0.isOfTree ? clues.order(of: $0) : nil }
    }

    private func lastFault(before time: Microseconds) -> String {
        guard let fault = faults.last(where: { $0.time <= time }) else { return "" }
        return ", \((time - fault.time).description) after the fault “\(fault.text)”"
    }
}

extension String {
    /// The text with a full stop, cut to a length that is still read.
    fileprivate var sentence: String {
        let text = cut(to: 480)
        return text.hasSuffix(".") || text.hasSuffix("…") ? text : text + "."
    }
}
