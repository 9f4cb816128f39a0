/// A node refuses a write only while it cannot take any, and its answer names the reason.
enum RefusalsHaveReasons {
    static func judge(_ evidence: Evidence) -> Finding {
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
