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
        watch: Aftermath.self, evaluate: NodesServeAtRest.evaluate)
}

/// Nodes at rest execute requests, also in a copy of the run in which all restart, or one is lost.
enum NodesServeAtRest {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let aftermath = evidence.watches.first(of: Aftermath.self)
        if let failure = aftermath?.failure { return .invalid(failure) }
        return .valid(aftermath?.count ?? 0, "requests to nodes at rest")
    }
}
