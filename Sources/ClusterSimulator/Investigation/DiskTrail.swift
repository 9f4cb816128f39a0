import ReplicaCore
import Store
import SyncProtocol

/// Follows one operation on the disk of a node.
struct DiskTrail {
    private let node: Int
    private let dot: Dot
    private var isInLog = false
    private var isLost = false
    /// The last request for a checkpoint before the log lost the operation.
    private var checkpoint: CourseStep?

    /// Nil for a failure that is not about a disk.
    init?(_ focus: FailureFocus) {
        guard focus.kind == .disk, let node = focus.nodes.first,
            let dot = focus.operations.first?.dot
        else { return nil }
        (self.node, self.dot) = (node, dot)
    }

    /// An event was executed.
    mutating func observe(_ event: Event, in run: SimulatedRun, into steps: inout [CourseStep]) {
        let name = node.nodeName
        for (sender, output) in run.record.performed ?? [] where sender == node {
            guard case .perform(let request) = output, let text = request.text(beside: dot) else {
                continue
            }
            let step = CourseStep("\(name) \(text)", .stage, at: [name], in: run)
            if case .writeCheckpoint = request, !isLost { checkpoint = step }
            if case .writeCheckpoint = request { continue }
            if isInLog { steps.append(step) }
        }
        guard case .diskWorked(node, _) = event else { return }
        let wasInLog = isInLog
        isInLog = run.nodes[node].disk.batches.contains {
            $0.origin == dot.origin && $0.first...$0.last ~= dot.sequence
        }
        if isInLog != wasInLog {
            let text = isInLog ? "has \(dot)" : "no longer has \(dot)"
            steps.append(CourseStep("the log of \(name) \(text)", .stage, at: [name], in: run))
        }
        guard !isLost, !isInLog, run.nodes[node].standing?.vector.covers(dot) == true,
            let next = try? run.nodes[node].restarted()?.standing?.vector, !next.covers(dot)
        else { return }
        isLost = true
        if let checkpoint { steps.append(checkpoint) }
        let removal = "the log of \(name) no longer has \(dot)"
        guard let index = steps.lastIndex(where: { $0.text == removal }) else { return }
        steps[index].text +=
            ", and its checkpoint does not have it either: its next process would lack it"
        (steps[index].weight, steps[index].isDeviation) = (.decisive, true)
    }
}

extension StoreRequest {
    /// The effect of a request on the store's rows, and whether that includes an operation; nil if it removes nothing.
    fileprivate func text(beside dot: Dot) -> String? {
        switch self {
        case .writeCheckpoint(let checkpoint):
            "begins a checkpoint \(checkpoint.vector.covers(dot) ? "with" : "without") \(dot): it covers "
                + checkpoint.vector.line
        case .truncate(let vector): "truncates its log up to \(vector.line)"
        case .install: "installs a checkpoint"
        default: nil
        }
    }
}
