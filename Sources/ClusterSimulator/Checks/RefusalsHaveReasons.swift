/// A time in which a node could take no writes.
struct Refusal {
    static let noRoom = "the disk is full"
    static let evicted = "was evicted"

    var node: Int
    /// What it has to say.
    var reason: String
    var since: Microseconds
    var until: Microseconds?
}

/// A write is refused only while its node cannot take any, and the answer says why.
enum RefusalsHaveReasons {
    static func judge(_ evidence: Evidence) -> Finding {
        var count = 0
        for operation in evidence.history.operations {
            guard let problem = operation.refusal, let node = operation.node,
                let completed = operation.completed
            else { continue }
            count += 1
            let isRight = evidence.refusals.contains { refusal in
                refusal.node == node && problem.contains(refusal.reason)
                    && refusal.since <= completed
                    && operation.invoked <= refusal.until ?? .max
            }
            guard !isRight else { continue }
            return .invalid("a request was refused without a reason: \(problem)", operation.line)
        }
        return .valid(count, "refusals")
    }
}
