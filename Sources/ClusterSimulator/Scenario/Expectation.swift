import DataTree

/// What a node is expected to show at a place at some time.
struct Expectation: Sendable {
    let node: Int
    let path: Path
    let value: Value

    /// The line of a scenario, behind its time.
    var text: String { "n\(node + 1) reads \(path) expect \(value.scenarioText)" }

    /// Reads `reads PATH expect VALUE`, behind a node.
    static func read(
        _ word: ScenarioWord, _ line: inout ScenarioLine, of scenario: Scenario
    ) throws(ScenarioError) -> Expectation {
        let node = try word.node(among: scenario.cluster.replicas)
        try line.take("reads")
        let path = try line.take().path()
        try line.take("expect")
        return Expectation(node: node, path: path, value: try line.take().value())
    }
}

extension ScenarioLine {
    /// Takes a word that has to stand here.
    fileprivate mutating func take(_ wanted: String) throws(ScenarioError) {
        let word = take()
        if word.text == wanted { return }
        throw word.isEnd ? .expected("\"\(wanted)\"", found: word) : .unknown(word, known: [wanted])
    }
}

/// What came of an expectation.
struct ExpectationOutcome {
    let expectation: Expectation
    let time: Microseconds
    /// What the node showed; nil if it was down.
    let found: Value?

    /// Whether the node showed what was expected.
    var isMet: Bool { found == expectation.value }
}

extension SimulatedRun {
    /// Looks at what a node shows now.
    mutating func read(_ expectation: Expectation) {
        let found = nodes[expectation.node].replica.map { $0.value[expectation.path] }
        expectations.append(
            ExpectationOutcome(expectation: expectation, time: now, found: found))
    }
}

/// Every node showed what the scenario expects, whenever it was read.
enum ExpectationsHold {
    static func judge(_ evidence: Evidence) -> Finding {
        guard let outcome = evidence.expectations.first(where: { !$0.isMet }) else {
            return .valid(evidence.expectations.count, "expectations")
        }
        let expectation = outcome.expectation
        let found = outcome.found.map { "shows \($0.summary)" } ?? "is down"
        let others = evidence.expectations.count { !$0.isMet } - 1
        let more = others == 0 ? "" : "; \(others) more are not met"
        return .invalid(
            "\"\(expectation.text)\" is not met: at \(outcome.time.description) "
                + "n\(expectation.node + 1) \(found)\(more)"
        ).at(outcome.time, node: expectation.node)
    }
}
