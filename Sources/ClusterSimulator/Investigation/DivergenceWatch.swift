import DataTree
import ReplicaCore

/// Compares after every event of a run, and finds the first moment at which a node's tree differs
/// from its operations, or two nodes with the same operations differ. `ListenerWatch` examines
/// listeners.
struct DivergenceWatch {
    private(set) var found: [Divergence] = []
    private var hasOracleFailure = false
    private var hasPairFailure = false
    private var listeners = ListenerWatch()

    /// Makes a run compare what each node shows with what its operations give, unless these are too many.
    static func prepare(_ run: inout SimulatedRun) {
        guard run.scenario.workload.operations + run.scenario.workload.applications <= 2_000
        else { return }
        run.watches.set(ExecutionWatch(run.scenario, seed: 0, isOn: true))
    }

    /// An event was executed.
    mutating func observe(_ event: Event, in run: SimulatedRun) {
        compareWithOracle(event, in: run)
        if case .turn(let node, _) = event { compareWithOthers(node, event, in: run) }
        if let divergence = listeners.observe(event, in: run) { found.append(divergence) }
    }

    /// The run is over; returns all moments in order.
    ///
    /// - Parameter named: The clients that a failed check names.
    mutating func finish(
        _ run: SimulatedRun, preferring named: Set<Int> = []
    ) -> [Divergence] {
        if let divergence = listeners.finish(run, preferring: named) { found.append(divergence) }
        return found.sorted { $0.event < $1.event }
    }

    private mutating func compareWithOracle(_ event: Event, in run: SimulatedRun) {
        guard !hasOracleFailure, let node = event.actingNode,
            let watch = run.watches.first(of: ExecutionWatch.self),
            let failure = watch.oracles[node].failure
        else { return }
        hasOracleFailure = true
        found.append(
            Divergence(
                failure, at: watch.oracles[node].differingPath, after: event, in: run, nodes: [node]
            ))
    }

    private mutating func compareWithOthers(
        _ node: Int, _ event: Event, in run: SimulatedRun
    ) {
        guard !hasPairFailure, let replica = run.nodes[node].replica else { return }
        for other in run.nodes where other.index != node && other.belongs {
            guard let peer = other.replica,
                let difference = DivergenceWatch.difference(.init(replica), .init(peer))
            else { continue }
            hasPairFailure = true
            let problem =
                "\(run.nodes[node].name) and \(other.name) hold the same operations and differ, at "
                + "\(difference)"
            found.append(
                Divergence(
                    problem, at: difference.path, after: event, in: run,
                    nodes: [node, other.index]))
            return
        }
    }
}

extension DivergenceWatch {
    /// How two replicas differ that hold the same operations; nil if they hold others, or show the same.
    static func difference(
        _ first: Recording.ReplicaView, _ second: Recording.ReplicaView
    ) -> TreeDifference? {
        guard first.vector == second.vector, !first.value.isSame(as: second.value),
            first.value != second.value
        else { return nil }
        return TreeDifference(first.value, second.value)
    }
}

extension Divergence {
    /// A problem that showed after an event.
    init(
        _ problem: String, at path: Path? = nil, after event: Event, in run: SimulatedRun,
        nodes: [Int] = [], clients: [Int] = []
    ) {
        self.init(
            event: run.record.statistics.events, time: run.now,
            cause: TracedEvent(event, in: run).text,
            problem: run.record.names.applied(to: problem), path: path, nodes: nodes,
            clients: clients)
    }
}

extension Event {
    /// The node whose process acts in the event; nil where none does.
    var actingNode: Int? {
        switch self {
        case .turn(let node, _), .diskWorked(let node, _), .interrupted(let node, _),
            .tick(let node, _):
            node
        default: nil
        }
    }
}

extension Value {
    /// Whether two values are equal without being compared.
    func isSame(as other: Value) -> Bool {
        guard case .object(let first) = content, case .object(let second) = other.content else {
            return self == other
        }
        return first.isShared(with: second) && priority == other.priority
    }
}
