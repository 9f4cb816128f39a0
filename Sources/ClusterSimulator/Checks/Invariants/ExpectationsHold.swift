extension Check {
    package static let expectationsHold: Check = Check(
        "expectations-hold", judges: .scenario,
        claim: "each line `at TIME n1 reads PATH expect VALUE` is met",
        criterion: "each line `at TIME n1 reads PATH expect VALUE` is met",
        evaluate: ExpectationsHold.evaluate)
}

/// Every node showed what the scenario expects, whenever it was read.
enum ExpectationsHold {
    static func evaluate(_ evidence: Evidence) -> Finding {
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
