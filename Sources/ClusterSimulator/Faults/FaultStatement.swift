/// What a scenario does to the cluster at one moment, as its file says it. Nodes and clients are counted
/// from 0.
protocol FaultStatement: Equatable, Sendable {
    /// The word with which the file names it.
    static var name: String { get }
    /// What follows the name: `node`, `time` and the others are explained at `ScenarioParser`.
    static var grammar: String { get }
    /// Reads what follows the name.
    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError)
    /// What follows the name in a scenario.
    func words(in scenario: Scenario) -> String
}

extension FaultStatement {
    /// The fault as a scenario names it.
    func text(in scenario: Scenario) -> String {
        let words = words(in: scenario)
        return words.isEmpty ? Self.name : Self.name + " " + words
    }

    func equals(_ other: any FaultStatement) -> Bool { other as? Self == self }
}
