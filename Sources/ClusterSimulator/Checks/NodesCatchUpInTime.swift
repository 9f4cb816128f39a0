extension Check {
    package static let nodesCatchUpInTime: Check = Check(
        "nodes-catch-up-in-time", judges: .nodes, guarantees: "C2",
        failure: .liveness,
        traits: [.timed],
        claim: "a node soon holds what each reachable peer holds",
        criterion: """
            a node that can send requests to another one, and receive answers, holds all its \
            operations within 5 s, whatever other links do
            """,
        watch: CatchingUpWatch.self, evaluate: NodesCatchUpInTime.evaluate)
}

/// A node that can ask another one soon holds all that the other one has made.
enum NodesCatchUpInTime {
    static func evaluate(_ evidence: Evidence) -> Finding {
        guard let watch = evidence.watches.first(of: CatchingUpWatch.self) else {
            return .unknown("the run was not watched")
        }
        if let failure = watch.failure { return .invalid(failure) }
        return .valid(watch.count, "looks at nodes that could ask each other for long")
    }
}
