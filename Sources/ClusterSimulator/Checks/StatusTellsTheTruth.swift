/// What each node says of itself in its status, once all is at rest, is what the run knows of it.
enum StatusTellsTheTruth {
    static func judge(_ evidence: Evidence) -> Finding {
        guard evidence.converged != nil else { return .unknown("the replicas never became equal") }
        if let problem = evidence.statusProblem {
            return .invalid(
                "\(problem), \(Quiescence.forgetting.description) after all was at rest")
        }
        return .valid(evidence.nodes.count, "nodes at rest")
    }
}
