extension Check {
    package static let outcomesBecomeKnown: Check = Check(
        "outcomes-become-known", judges: .clients,
        traits: [.timed],
        claim: "no write ends with an unknown outcome",
        criterion: "no write of the library's clients ends with an unknown outcome",
        evaluate: OutcomesBecomeKnown.evaluate)
}

/// Clients learn of each write whether it is done, where a scenario's faults leave no excuse.
enum OutcomesBecomeKnown {
    static func evaluate(_ evidence: Evidence) -> Finding {
        if let first = evidence.history.undecided.first {
            return .invalid(
                "c\(first.client + 1) was told at \(first.time.description) that nobody knows whether its "
                    + "write is done")
        }
        let count = evidence.history.operations.count { $0.completed != nil }
        return .valid(count, "requests with an outcome")
    }
}
