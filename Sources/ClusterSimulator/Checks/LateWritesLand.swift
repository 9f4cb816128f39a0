/// Writes that arrive late have at any state of a replica the effect that the definition says, whether or not the run has such writes.
enum LateWritesLand {
    static func judge(_ evidence: Evidence) -> Finding {
        for writes in evidence.lateWrites {
            if let failure = writes.failure { return .invalid(failure) }
        }
        let count = evidence.lateWrites.reduce(0) { $0 + $1.count }
        return .valid(count, "late writes at copies of states")
    }
}
