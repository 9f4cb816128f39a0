extension Check {
    package static let nodesServeAtRest: Check = Check(
        "nodes-serve-at-rest", judges: .nodes, guarantees: "C2",
        traits: [.timed],
        claim: "nodes at rest execute all kinds of requests",
        criterion: """
            in a copy of the run at rest, each node soon does a write at the concern `all`, a \
            transaction and a wait for stability, and all show the same at the end; in a third \
            of the seeds after a power failure of all nodes, in another third after one node is \
            lost and evicted
            """,
        evaluate: NodesServeAtRest.evaluate)
}

/// Once all is at rest each node does what it is asked for, and goes on to: in a copy of the run, in which all restart, or one is
/// gone for good.
enum NodesServeAtRest {
    static func evaluate(_ evidence: Evidence) -> Finding {
        if let failure = evidence.aftermath.failure { return .invalid(failure) }
        return .valid(evidence.aftermath.count, "requests to nodes at rest")
    }
}
