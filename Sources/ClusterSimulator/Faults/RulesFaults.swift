// How the rules of a cluster change.

/// An administrator gives the cluster other rules, by one node.
struct SetRules: Fault {
    static let name = "rules"
    /// The file of the rules, which the scenario has read.
    var file: String
    var node: Int

    init(_ file: String, on node: Int) { (self.file, self.node) = (file, node) }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        file = line.removeFirst().text
        let word = line.removeFirst()
        guard word.text == "on" else { throw .expected("\"on\" and a node", found: word) }
        node = try line.node(in: scenario)
    }

    func words(in scenario: Scenario) -> String { "\(file) on \(node.nodeName)" }

    func apply(to run: inout SimulatedRun) { run.setRules(file, on: node) }
}
