extension Check {
    package static let writesAreAllowed: Check = Check(
        "writes-are-allowed", judges: .users, guarantees: "A1",
        claim: "no write is done that the rules refuse",
        criterion: """
            nothing that the rules of its node refuse at that moment is done for a user; invalid \
            tokens and faulty rules are refused; no rule sees a `now` ahead of its node's clock
            """,
        evaluate: { UserChecks.evaluate(.writesAreAllowed, "writes of users", $0) })

    package static let allowedIsAccepted: Check = Check(
        "allowed-is-accepted", judges: .users, guarantees: "A1",
        claim: "nothing is denied that the rules permit",
        criterion: """
            nothing that the rules permit is denied, and no permitted listen is ended; a denied \
            listen may be requested again; a valid token is accepted; a server timestamp of the \
            library passes `== now` and `<= now`
            """,
        evaluate: {
            UserChecks.evaluate(.allowedIsAccepted, "denials and allowed writes of users", $0)
        })

    package static let readsAreAllowed: Check = Check(
        "reads-are-allowed", judges: .users, guarantees: "A2",
        claim: "no client receives data that the rules deny",
        criterion: """
            no client receives data that the rules deny at that moment; a listen that is no \
            longer permitted, by data, rules or identity, ends in that turn
            """,
        evaluate: {
            UserChecks.evaluate(.readsAreAllowed, "looks at reads and listens of users", $0)
        })

    package static let rulesConverge: Check = Check(
        "rules-converge", judges: .nodes, guarantees: "A3",
        traits: [.atEnd],
        claim: "at the end all nodes enforce the last rules",
        criterion: """
            at the end every node enforces the rules of the last writer; drawn faulty rules are \
            refused for their fault
            """,
        evaluate: UserChecks.evaluateRules)

    package static let writesAreAttributed: Check = Check(
        "writes-are-attributed", judges: .users, guarantees: "A4",
        claim: "the log names the user of each write, and the rules",
        criterion: """
            the log names the user of each write and the rules that allowed it, and no user for \
            an administrator
            """,
        evaluate: { UserChecks.evaluate(.writesAreAttributed, "operations of users", $0) })
}

/// Nodes permit clients with identities exactly what the rules allow.
enum UserChecks {
    static func evaluate(_ check: Check, _ subject: String, _ evidence: Evidence) -> Finding {
        for watch in evidence.access?.watches ?? [] {
            if let failure = watch.tally.failures[check] { return .invalid(failure) }
        }
        let count = evidence.access?.watches.reduce(0) { $0 + ($1.tally.counts[check] ?? 0) } ?? 0
        return .valid(count, subject)
    }

    /// Every node enforces the rules of the last writer.
    static func evaluateRules(_ evidence: Evidence) -> Finding {
        guard let access = evidence.access else { return .unknown("there were no rules") }
        if let problem = access.problem { return .invalid(problem) }
        guard evidence.converged != nil else {
            return .unknown("the replicas did not become equal")
        }
        if let problem = evidence.rulesProblem { return .invalid(problem) }
        return .valid(access.history.changes + 1 + access.faults.count, "rules")
    }
}
