/// Once all is at rest each node does what it is asked for, and goes on to: in a copy of the run, in which all restart, or one is
/// gone for good.
enum NodesServeAtRest {
    static func judge(_ evidence: Evidence) -> Finding {
        if let failure = evidence.aftermath.failure { return .invalid(failure) }
        return .valid(evidence.aftermath.count, "requests to nodes at rest")
    }
}
