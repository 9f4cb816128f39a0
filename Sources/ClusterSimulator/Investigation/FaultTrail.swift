import ReplicaCore

/// Follows the faults of a run, and the starts and ends of the processes of nodes.
struct FaultTrail {
    private var states: [VirtualNode.State]

    init(in run: SimulatedRun) { states = run.nodes.map { _ in .running } }

    /// An event was executed.
    mutating func observe(_ event: Event, in run: SimulatedRun, into steps: inout [CourseStep]) {
        var isScripted = false
        switch event {
        case .scripted(let index):
            guard case .fault = run.scenario.script[index].action else { break }
            isScripted = true
            let text = run.scenario.script[index].action.text(in: run.scenario)
            steps.append(CourseStep("fault: \(text)", .stage, in: run))
        case .quiescence:
            steps.append(CourseStep("all faults end, and clients stop", .detail, in: run))
        default: break
        }
        for node in run.nodes where node.state != states[node.index] {
            let before = states[node.index]
            states[node.index] = node.state
            // The faults of the script say themselves what they do.
            guard !isScripted, let text = node.state.change(from: before) else { continue }
            steps.append(CourseStep("\(node.name) \(text)", .stage, at: [node.name], in: run))
        }
    }
}

extension VirtualNode.State {
    fileprivate func change(from before: VirtualNode.State) -> String? {
        switch (before, self) {
        case (_, .down): "ends"
        case (.down, .running): "starts again"
        case (.paused, .running): "goes on"
        default: nil
        }
    }
}
