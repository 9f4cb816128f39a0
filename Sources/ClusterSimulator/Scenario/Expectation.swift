import DataTree

/// The expected value of a node at a location and time.
struct Expectation: Sendable {
    let node: Int
    let path: Path
    let value: Value

    /// The line of a scenario, behind its time.
    var text: String { "n\(node + 1) reads \(path) expect \(value.scenarioText)" }

    /// Reads `reads PATH expect VALUE`, behind a node.
    static func read(
        _ word: ScenarioWord, _ line: inout ScenarioLine, among nodes: Int
    ) throws(ScenarioError) -> Expectation {
        let node = try word.node(among: nodes)
        try line.expect("reads")
        let path = try line.removeFirst().path()
        try line.expect("expect")
        return Expectation(node: node, path: path, value: try line.removeFirst().value())
    }
}

extension ScenarioLine {
    /// Takes a word that has to stand here.
    fileprivate mutating func expect(_ wanted: String) throws(ScenarioError) {
        let word = removeFirst()
        if word.text == wanted { return }
        throw word.isEnd ? .expected("\"\(wanted)\"", found: word) : .unknown(word, known: [wanted])
    }
}

/// The outcome of an expectation.
struct ExpectationOutcome {
    let expectation: Expectation
    let time: Microseconds
    /// The value of the node; nil if it was down.
    let found: Value?

    /// Whether the node showed what was expected.
    var isMet: Bool { found == expectation.value }
}
