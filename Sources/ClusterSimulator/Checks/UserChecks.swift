/// What nodes let clients with identities do is what the rules allow.
enum UserChecks {
    static func judge(_ check: Check, _ evidence: Evidence) -> Finding {
        for watch in evidence.access?.watches ?? [] {
            if let failure = watch.tally.failures[check] { return .invalid(failure) }
        }
        let count = evidence.access?.watches.reduce(0) { $0 + ($1.tally.counts[check] ?? 0) } ?? 0
        switch check {
        case .writesAreAllowed: return .valid(count, "writes of users")
        case .writesAreAttributed: return .valid(count, "operations of users")
        case .readsAreAllowed: return .valid(count, "looks at reads and listens of users")
        default: return .valid(count, "denials and allowed writes of users")
        }
    }

    /// Every node enforces the rules of the last writer.
    static func judgeRules(_ evidence: Evidence) -> Finding {
        guard let access = evidence.access else { return .unknown("there were no rules") }
        if let problem = access.problem { return .invalid(problem) }
        guard evidence.converged != nil else {
            return .unknown("the replicas did not become equal")
        }
        if let problem = evidence.rulesProblem { return .invalid(problem) }
        return .valid(access.history.changes + 1 + access.faults.count, "rules")
    }
}
