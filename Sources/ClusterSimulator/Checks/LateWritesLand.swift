extension Check {
    package static let lateWritesLand: Check = Check(
        "late-writes-land", judges: .nodes, guarantees: "C1",
        claim: "an operation that arrives late has its defined effect",
        criterion: """
            operations that arrive late at a copy of a node, or of its next process, have the \
            defined effect, even if the run has no such operations (runs of up to 300)
            """,
        watch: ExecutionWatch.self, evaluate: LateWritesLand.evaluate)
}

/// Writes that arrive late have at any state of a replica the effect that the definition says, whether or not the run has such writes.
enum LateWritesLand {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let lateWrites = evidence.watches.first(of: ExecutionWatch.self)?.lateWrites ?? []
        for writes in lateWrites {
            if let failure = writes.failure { return .invalid(failure) }
        }
        let count = lateWrites.reduce(0) { $0 + $1.count }
        return .valid(count, "late writes at copies of states")
    }
}
