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
    /// The names of further nodes and clients.
    var lanes: [String] = []
}

extension RunFinding {
    init(_ divergence: Divergence) {
        self.init(
            event: divergence.event, time: divergence.time, text: divergence.problem,
            nodes: divergence.nodes, clients: divergence.clients,
            isOfTree: divergence.clients.isEmpty)
    }
}

extension RunFinding {
    init(_ step: CourseStep) {
        self.init(event: step.event, time: step.time, text: step.text)
        lanes = step.lanes
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
    /// The first step that a correct run would not take.
    private let deviation: RunFinding?
    private let kind: FailureFocus.Kind
    private let clues: FindingClues
    /// The faults of the run in order.
    private let faults: [(time: Microseconds, text: String)]

    init(
        _ report: SimulationReport, _ findings: [RunFinding], _ deviation: RunFinding?,
        _ kind: FailureFocus.Kind, _ clues: FindingClues,
        after faults: [(time: Microseconds, text: String)]
    ) {
        (self.report, self.findings, self.clues) = (report, findings, clues)
        (self.deviation, self.kind) = (deviation, kind)
        self.faults = faults
    }

    var sentences: [String] { [claim, beginning, decision, clue].compactMap(\.self) }

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
                "All nodes show what their operations give, and all listeners show what their nodes show."
        }
        // Until then, a listener has only not received the value yet.
        if kind == .listener, let deviation, deviation.time > first.time { return nil }
        let fault = lastFault(before: first.time)
        // The check may have said the same.
        if claim.contains(first.text) {
            return "It first shows at \(first.time.description)\(fault)."
        }
        return "It first shows at \(first.time.description): \(first.text)\(fault)."
    }

    /// The step that a correct run would not take.
    private var decision: String? {
        guard report.verdict == .invalid, let deviation else { return nil }
        return
            "The first wrong step is at \(deviation.time.description): \(deviation.text.sentence)"
    }

    private var clue: String? {
        guard report.verdict == .invalid else { return nil }
        if kind == .missing { return clues.repairs }
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
