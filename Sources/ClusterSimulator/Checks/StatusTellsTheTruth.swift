extension Check {
    package static let statusTellsTheTruth: Check = Check(
        "status-tells-the-truth", judges: .nodes,
        claim: "the status of a node agrees with the run",
        criterion: """
            at rest, each node's status agrees with the run: operations held, made and refused, \
            members, evictions, sessions, and empty queues
            """,
        watch: StatusWatch.self, evaluate: StatusTellsTheTruth.evaluate)
}

/// The status of each node at rest agrees with the run.
enum StatusTellsTheTruth {
    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.converged != nil else { return .unknown("the replicas never became equal") }
        if let problem = evidence.watches.first(of: StatusWatch.self)?.problem {
            return .invalid(
                "\(problem), \(Quiescence.forgetting.description) after all was at rest")
        }
        return .valid(evidence.nodes.count, "nodes at rest")
    }
}

/// Compares the status of each node with the run, at its end.
struct StatusWatch: Watch {
    private(set) var problem: String?

    init(_ scenario: Scenario, seed: UInt64) {}

    mutating func ended(_ run: SimulatedRun) { problem = run.statusProblem }
}
