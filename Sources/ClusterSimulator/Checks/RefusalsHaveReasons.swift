extension Check {
    package static let refusalsHaveReasons: Check = Check(
        "refusals-have-reasons", judges: .clients,
        claim: "a node refuses only for a reason, which it names",
        criterion: """
            only a node that cannot accept a request refuses it, with the reason; a write of a \
            dense program ends with an unknown outcome only if its node could not know it
            """,
        evaluate: {
            MirrorChecks.failure(of: .refusalsHaveReasons, $0) ?? RefusalsHaveReasons.evaluate($0)
        })
}

/// A node refuses a write only while it cannot take any, and its answer names the reason.
enum RefusalsHaveReasons {
    static func evaluate(_ evidence: Evidence) -> Finding {
        var count = 0
        for refused in evidence.history.refusals {
            let operation = evidence.history.operations[refused.operation]
            count += 1
            let isRight = evidence.refusals.contains { refusal in
                refusal.node == refused.node && refused.problem.contains(refusal.reason)
                    && refusal.since <= refused.time
                    && operation.invoked <= refusal.until ?? .max
            }
            guard !isRight else { continue }
            return .invalid(
                "a request was refused without a reason: \(refused.problem)", operation.line)
        }
        return .valid(count, "refusals")
    }
}
