import DataTree

extension Check {
    package static let expectationsHold: Check = Check(
        "expectations-hold", judges: .scenario,
        claim: "each line `at TIME n1 reads PATH expect VALUE` is met",
        criterion: "each line `at TIME n1 reads PATH expect VALUE` is met",
        watch: ExpectationWatch.self, evaluate: ExpectationsHold.evaluate)
}

/// Every node showed what the scenario expects, whenever it was read.
enum ExpectationsHold {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let outcomes = evidence.watches.first(of: ExpectationWatch.self)?.outcomes ?? []
        guard let outcome = outcomes.first(where: { !$0.isMet }) else {
            return .valid(outcomes.count, "expectations")
        }
        let expectation = outcome.expectation
        let found = outcome.found.map { "shows \($0.summary)" } ?? "is down"
        let others = outcomes.count { !$0.isMet } - 1
        let more = others == 0 ? "" : "; \(others) more are not met"
        return .invalid(
            "\"\(expectation.text)\" is not met: at \(outcome.time.description) "
                + "n\(expectation.node + 1) \(found)\(more)"
        ).at(outcome.time, node: expectation.node)
    }
}

/// Keeps the values that the script reads.
struct ExpectationWatch: Watch {
    private(set) var outcomes: [ExpectationOutcome] = []

    init(_ scenario: Scenario, seed: UInt64) {}

    init(_ outcomes: [ExpectationOutcome]) { self.outcomes = outcomes }

    mutating func read(_ expectation: Expectation, found: Value?, at time: Microseconds) {
        outcomes.append(ExpectationOutcome(expectation: expectation, time: time, found: found))
    }
}
