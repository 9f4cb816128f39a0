// The operands of faults: nodes, and directions from one to another.

extension ScenarioLine {
    mutating func node(in scenario: Scenario) throws(ScenarioError) -> Int {
        try removeFirst().node(among: scenario.cluster.replicas)
    }

    /// A node with peers, for a fault that has no effect without them.
    mutating func nodeWithPeers(in scenario: Scenario) throws(ScenarioError) -> Int {
        let word = peek
        let node = try node(in: scenario)
        guard scenario.cluster.replicas > 1 else {
            throw .expected("a node with peers, as in replicas=2", found: word)
        }
        return node
    }

    mutating func direction(in scenario: Scenario) throws(ScenarioError) -> (from: Int, to: Int) {
        let from = try node(in: scenario)
        let arrow = removeFirst()
        guard arrow.text == "->" else { throw .expected("\"->\" and a node", found: arrow) }
        let word = peek
        let to = try node(in: scenario)
        guard to != from else { throw .expected("another node", found: word) }
        return (from, to)
    }
}

extension Int {
    /// As a scenario names a node.
    var nodeName: String { "n\(self + 1)" }
}
