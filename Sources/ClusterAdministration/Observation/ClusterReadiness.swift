internal import SyncProtocol

/// Decides whether nodes of a cluster are ready, so that another one may stop.
///
/// A node is ready if it accepts writes, has contact with all nodes that run, and knows the coordinator of transactions. It
/// holds all operations that any node held when the nodes were first observed together: a lag of zero would be too much to
/// ask under load. Its named databases are in order, too.
package struct ClusterReadiness {
    /// The nodes that must be ready.
    private let nodes: [String]
    /// The number of operations that each node must hold, by writer.
    private var target: [String: Int]?

    package init(of nodes: [String]) { self.nodes = nodes }

    /// Why nodes are not ready, in the order of the statuses; empty once all are.
    package mutating func problems(in statuses: [ObservedNode]) -> [String] {
        let named = statuses.filter { nodes.contains($0.node.id) }
        let absent = named.filter { $0.state != .serving }
        guard absent.isEmpty else { return absent.map { "\($0.node.id) is \($0.condition)" } }
        let target = target ?? ClusterReadiness.held(in: statuses)
        self.target = target
        return named.flatMap { $0.problems(among: statuses, target: target) }
    }

    /// All operations that any of the nodes holds, by writer.
    private static func held(in statuses: [ObservedNode]) -> [String: Int] {
        statuses.compactMap { $0.report?.data.heldByWriter }.reduce(into: [:]) {
            $0.merge($1, uniquingKeysWith: max)
        }
    }
}

extension ObservedNode {
    fileprivate func problems(among statuses: [ObservedNode], target: [String: Int]) -> [String] {
        let id = node.id
        let unheard = statuses.filter { $0.report != nil && $0.node.id != id && !hears($0) }
        var problems = unheard.map { "\(id) has no contact with \($0.node.id)" }
        let missing = missing(of: target)
        if missing > 0 { problems.append("\(id) lacks \(missing) operations of the others") }
        problems += databaseProblems.map { "the database \($0.name) of \(id) \($0.problem)" }
        if report?.coordination.coordinator == nil {
            problems.append("\(id) knows no coordinator of transactions")
        }
        return problems
    }

    /// The named databases that are not in order there, in the order of their names.
    package var databaseProblems: [(name: String, problem: String)] {
        let problems = report?.process?.databaseProblems ?? [:]
        return problems.keys.inKeyOrder.map { ($0, problems[$0]!) }
    }

    /// How many of these operations, counted by writer, it lacks.
    package func missing(of counts: [String: Int]) -> Int {
        report?.data.missing(of: counts) ?? counts.values.reduce(0, +)
    }
}

extension NodeStatus.Data {
    /// The operations applied, by writer. `held` has the names of members instead of their current writers.
    var heldByWriter: [String: Int] {
        Dictionary(held.map { (writers[$0.key] ?? $0.key, $0.value) }, uniquingKeysWith: max)
    }

    /// How many of these operations, counted by writer, the node lacks.
    func missing(of counts: [String: Int]) -> Int {
        let held = heldByWriter
        return counts.reduce(0) { $0 + max(0, $1.value - (held[$1.key] ?? 0)) }
    }
}
