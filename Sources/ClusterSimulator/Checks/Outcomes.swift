/// What clients learn of their writes, where a scenario's faults leave no excuse.
enum Outcomes {
    /// Nodes accept stamps that are this much younger than the retry window, whatever has happened: how far the bound on a node's
    /// disk is ahead of its clock, and what frames take.
    private static let reserve: Microseconds = .milliseconds(3_200)

    static func judgeUnknown(_ evidence: Evidence) -> Finding {
        if let first = evidence.history.undecided.first {
            return .invalid(
                "c\(first.client + 1) was told at \(first.time.description) that nobody knows whether its "
                    + "write is done")
        }
        let count = evidence.history.operations.count { $0.completed != nil }
        return .valid(count, "requests with an outcome")
    }

    static func judgeLate(_ evidence: Evidence) -> Finding {
        let window = evidence.scenario.cluster.retryWindow
        let least = window - min(window, reserve)
        for late in evidence.history.late where late.age < least {
            return .invalid(
                "n\(late.node + 1) refused a write of c\(late.client + 1) at \(late.time.description) as "
                    + "too late, whose stamp was of \(late.age.description) before")
        }
        let count = evidence.history.operations.count { $0.outcome == .acknowledged }
        return .valid(
            count, "acknowledged writes, and \(evidence.history.late.count) that were late")
    }
}
