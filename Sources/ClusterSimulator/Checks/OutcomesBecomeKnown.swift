/// Clients learn of each write whether it is done, where a scenario's faults leave no excuse.
enum OutcomesBecomeKnown {
    static func judge(_ evidence: Evidence) -> Finding {
        if let first = evidence.history.undecided.first {
            return .invalid(
                "c\(first.client + 1) was told at \(first.time.description) that nobody knows whether its "
                    + "write is done")
        }
        let count = evidence.history.operations.count { $0.completed != nil }
        return .valid(count, "requests with an outcome")
    }
}
