internal import ClusterConfiguration
package import CommandLineKit
internal import Glibc
internal import SyncProtocol

/// Stops a node once all others hold its operations, so that no operation is lost when it leaves for good.
package struct NodeDrain {
    /// How long the others may take to get the operations that they lack, while the node runs and after its end.
    private static let patience = Duration.seconds(30)
    private static let lastPatience = Duration.seconds(5)
    /// How long a node may take to wake a database and to report its operations.
    private static let wakePatience = Duration.seconds(10)
    /// The most databases that a refusal names.
    private static let namesShown = 20
    /// A stopped node may have accepted writes at its last moment that no other node has.
    private static let attempts = 3

    private let node: Cluster.Node
    private let cluster: Cluster

    package init(of node: Cluster.Node, in cluster: Cluster) {
        self.node = node
        self.cluster = cluster
    }

    /// - Throws: why it cannot be stopped; the node then runs, or does not, as before.
    package func run() throws(CommandError) {
        try requireOthers(ObservedCluster(cluster).statuses())
        try requireNoPlacement()
        guard cluster.process(of: node) != nil else { return try requireCovered() }
        for attempt in 1...NodeDrain.attempts {
            try waitUntilOthersCaughtUp()
            cluster.stop([node], within: .seconds(10)) { _, _ in }
            do throws(CommandError) {
                return try requireCovered()
            } catch {
                try ClusterStart(cluster: cluster).start([node])
                if attempt == NodeDrain.attempts { throw error }
            }
        }
    }

    /// - Throws: if the node has the only copy of databases. Without a node that answers, nothing is known.
    package func requireOtherCopies() throws(CommandError) {
        guard let databases = try? databases() else { return }
        let only = databases.filter { $0.placement?.nodes == [node.id] }.map(\.name.text)
        guard let first = only.first else { return }
        throw CommandError(
            .unavailable,
            "no other node has the databases \(only.joined(separator: ", ")), which are on \(node.id) alone",
            fix:
                "move each to other nodes, as with `hearth database move \(first) --nodes …`, or remove it with "
                + "`hearth database remove \(first)`")
    }

    private func databases() throws(CommandError) -> [ListedDatabase] {
        let probe = DatabaseProbe(showing: try cluster.credential())
        return try ObservedCluster(cluster).nodes.map(\.address)
            .firstAnswer { address throws(CommandError) in
                try probe.databases(at: address, within: .seconds(5))
            }
    }

    /// - Throws: if databases are placed on the node, and so are not on all others.
    private func requireNoPlacement() throws(CommandError) {
        let placed = try databases().filter { $0.placement?.nodes.contains(node.id) == true }
        guard let first = placed.first else { return }
        throw CommandError(
            .unavailable,
            "databases are placed on \(node.id), so other nodes may lack them: \(placed.map(\.name.text).joined(separator: ", "))",
            fix:
                "move each to other nodes, as with `hearth database move \(first.name) --nodes …`, or add --force"
        )
    }

    private func others(in statuses: [ObservedNode]) -> [ObservedNode] {
        statuses.filter { $0.node.id != node.id }
    }

    /// - Throws: unless each other node serves, and so can get the operations that it lacks.
    private func requireOthers(_ statuses: [ObservedNode]) throws(CommandError) {
        guard let away = others(in: statuses).first(where: { $0.state != .serving }) else { return }
        throw CommandError(
            .unavailable,
            "\(away.node.id) is \(away.condition): before \(node.id) is removed, all others must hold what it "
                + "holds",
            fix: "start \(away.node.id), or add --force to remove \(node.id) anyway")
    }

    /// Waits until the others hold all that the node has: once it is stopped, no peer gets operations from it.
    private func waitUntilOthersCaughtUp() throws(CommandError) {
        let names = StoredOperations.databases(inFolder: cluster.folder(of: node))
        try waitForOthers(
            toHold: names.map { Holding($0) }, within: NodeDrain.patience,
            fix: "see `hearth cluster doctor`, or add --force to remove \(node.id) anyway")
    }

    /// Waits until the others hold all operations on the node's disk.
    private func requireCovered() throws(CommandError) {
        let folder = cluster.folder(of: node)
        var holdings: [Holding] = []
        for name in StoredOperations.databases(inFolder: folder) {
            let stored = try stored(name, inFolder: folder)
            guard stored.orphanedBatches == 0 else {
                throw CommandError(
                    .unavailable,
                    "\(node.id) was evicted, and has not replayed its own operations yet",
                    fix: "start \(node.id) and wait until it has rejoined, or add --force")
            }
            holdings.append(Holding(name, stored))
        }
        try waitForOthers(
            toHold: holdings, within: NodeDrain.lastPatience,
            fix: "start \(node.id), wait until they agree (`hearth cluster status`), and try "
                + "again, or add --force to lose them")
    }

    private func stored(
        _ name: DatabaseName, inFolder folder: String
    ) throws(CommandError) -> StoredOperations {
        do throws(NodeError) {
            return try StoredOperations(of: name, inFolder: folder)
        } catch {
            throw CommandError(
                .unavailable,
                "the operations of \(node.id) are unknown: \(error.problem)",
                fix: "\(error.fix), or add --force to remove \(node.id) anyway")
        }
    }

    /// Waits until each other node holds the operations of all these databases. Sleeping databases wake for that.
    ///
    /// - Throws: the databases of which a node lacks operations, if the others do not get them in time.
    private func waitForOthers(
        toHold holdings: [Holding], within patience: Duration, fix: String
    ) throws(CommandError) {
        let observed = try ObservedCluster(cluster)
        let own = observed.nodes.first { $0.id == node.id }
        let probe = DatabaseProbe(showing: try cluster.credential())
        var pending = holdings
        var deadline: ContinuousClock.Instant?
        while true {
            try requireOthers(observed.statuses())
            var lists: [NodeList] = []
            for other in observed.nodes where other.id != node.id {
                let list = try probe.databases(at: other.address, within: .seconds(5))
                lists.append((other, list))
            }
            var (rest, shortages) = ([Holding](), [String]())
            for var holding in pending {
                try StopRequest.check()
                if let shortage = try shortage(of: &holding, lists, own, probe) {
                    rest.append(holding)
                    shortages.append(shortage)
                }
            }
            if rest.isEmpty { return }
            pending = rest
            // The time counts from the first round: many databases take longer than that to wake.
            let end = deadline ?? .now + patience
            guard ContinuousClock.now < end else { throw refusal(because: shortages, fix: fix) }
            deadline = end
            usleep(100_000)
        }
    }

    private func refusal(because shortages: [String], fix: String) -> CommandError {
        let rest = shortages.count - NodeDrain.namesShown
        return CommandError(
            .unavailable,
            shortages.prefix(NodeDrain.namesShown).joined(separator: "\n       ")
                + (rest > 0 ? "\n       and so for \(rest) more databases" : ""), fix: fix)
    }

    /// Why the others do not hold all operations of a database; nil if they do, or if the database was removed or is not one of
    /// the node any longer.
    private func shortage(
        of holding: inout Holding, _ lists: [NodeList], _ own: ObservedCluster.Node?,
        _ probe: DatabaseProbe
    ) throws(CommandError) -> String? {
        let name = holding.name
        for (other, databases) in lists where !name.isCatalog {
            guard let listed = databases.first(where: { $0.name == name }) else {
                return try isRemoved(name, at: other, probe)
                    ? nil : "\(other.id) does not know the database \(name)"
            }
            if let nodes = listed.placement?.nodes, !nodes.contains(node.id) { return nil }
        }
        if holding.counts == nil, let own {
            // If the node does not answer, its stored operations are compared once it is stopped.
            let limit = NodeDrain.wakePatience
            let status = try? probe.status(of: name, at: own.address, within: limit)
            holding.counts = status?.data.heldByWriter
        }
        let object = name.isDefault ? "" : " of \(name)"
        for (other, _) in lists {
            let held: NodeStatus
            do throws(CommandError) {
                held = try probe.status(
                    of: name, at: other.address, within: NodeDrain.wakePatience)
            } catch {
                if error.status == .denied { throw error }
                return "\(other.id) does not show its operations\(object): \(error.problem)"
            }
            let count = held.data.missing(of: holding.counts ?? [:])
            if count > 0 {
                return "\(other.id) lacks \(count) operations\(object) that \(node.id) holds"
            }
        }
        return nil
    }

    private func isRemoved(
        _ name: DatabaseName, at other: ObservedCluster.Node, _ probe: DatabaseProbe
    ) throws(CommandError) -> Bool {
        do throws(CommandError) {
            _ = try probe.knowledge(of: name, at: other.address, within: .seconds(5))
            return false
        } catch {
            guard error.status == .badData else { throw error }
            return true
        }
    }
}

/// The databases that a node knows.
private typealias NodeList = (node: ObservedCluster.Node, databases: [ListedDatabase])

/// The operations of a database that a node holds.
private struct Holding {
    let name: DatabaseName
    /// By writer; nil until the node has reported them.
    var counts: [String: Int]?

    init(_ name: DatabaseName, _ stored: StoredOperations? = nil) {
        self.name = name
        counts = stored?.counts.mapValues { Int(clamping: $0) }
    }
}
