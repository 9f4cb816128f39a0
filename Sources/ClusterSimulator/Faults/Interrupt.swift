import ReplicaCore

/// The process ends, or the power fails, at one of the next steps of this kind of the node's disk,
/// or soon after. The next process starts at once.
struct Interrupt: Fault {
    static let name = "interrupt"
    static let grammar =
        "node (" + DiskStep.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " | ") + ")"
    /// Among how many steps of the kind the end is drawn.
    private static let steps = 4

    var node: Int
    var step: DiskStep

    init(node: Int, step: DiskStep) {
        self.node = node
        self.step = step
    }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        node = try line.node(in: scenario)
        let word = line.removeFirst()
        guard let step = DiskStep(rawValue: word.text) else {
            throw .unknown(word, known: DiskStep.allCases.map(\.rawValue))
        }
        self.step = step
    }

    func words(in scenario: Scenario) -> String { "\(node.nodeName) \(step.rawValue)" }

    func apply(to run: inout SimulatedRun) {
        run.nodes[node].interruption = Interruption(
            step: step, skipped: run.random.index(below: Interrupt.steps))
    }

    static let drawn = [
        DrawnFault(
            name: name,
            draw: .node { node, plan in
                let steps = DiskStep.allCases
                let step = steps[plan.random.index(below: steps.count)]
                return .init(Interrupt(node: node, step: step))
            })
    ]
}
