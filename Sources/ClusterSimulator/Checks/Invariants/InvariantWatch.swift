import DataTree
import Store
import SyncProtocol

/// Judges the invariants of a scenario at every node after every turn, and keeps the first violation of each.
struct InvariantWatch: Watch {
    /// The first time that an invariant did not hold.
    struct Failure {
        var node: Int
        var time: Microseconds
        var violation: InvariantState.Violation
        /// The vectors of the node then, and at its last evaluation.
        var vector: VersionVector
        var before: VersionVector
    }

    let invariants: [Invariant]
    /// By node, then by invariant.
    private var states: [[InvariantState]]
    /// By node: what it held when it was judged last.
    private var vectors: [VersionVector]
    /// By invariant.
    private(set) var failures: [Failure?]

    init(_ invariants: [Invariant], nodes: Int) {
        self.invariants = invariants
        states = (0..<nodes).map { _ in invariants.map { InvariantState($0) } }
        vectors = (0..<nodes).map { _ in VersionVector() }
        failures = invariants.map { _ in nil }
    }

    init(_ scenario: Scenario, seed: UInt64) {
        self.init(scenario.invariants, nodes: scenario.cluster.replicas)
    }

    /// Only a node that serves shows its tree to clients.
    mutating func executedOutputs(
        of node: Int, storing batches: [LogEntry], in run: inout SimulatedRun
    ) {
        guard run.nodes[node].isServing, let replica = run.nodes[node].replica else { return }
        check(replica.value, holding: replica.vector, node: node, at: run.now)
    }

    /// How many places of an invariant were judged at all nodes.
    func count(of invariant: Int) -> Int { states.reduce(0) { $0 + $1[invariant].count } }

    /// A node shows this tree.
    mutating func check(
        _ tree: Value, holding vector: VersionVector, node: Int, at time: Microseconds
    ) {
        for index in invariants.indices where failures[index] == nil {
            guard let violation = states[node][index].evaluate(tree) else { continue }
            failures[index] = Failure(
                node: node, time: time, violation: violation, vector: vector,
                before: vectors[node])
        }
        vectors[node] = vector
    }
}
