internal import ClusterConfiguration
package import CommandLineKit
internal import Glibc

/// Stops a node once all others hold its operations, so that no operation is lost when it leaves for good.
package struct NodeDrain {
    /// How long the others may take to get the operations that they lack, while the node runs and after its end.
    private static let patience = Duration.seconds(30)
    private static let lastPatience = Duration.seconds(5)
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
        try requireOthers(try statuses())
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

    /// - Throws: if databases are placed on the node, and so are not on all others.
    private func requireNoPlacement() throws(CommandError) {
        let probe = DatabaseProbe(showing: try cluster.credential())
        let databases = try ObservedCluster(cluster).nodes.map(\.address)
            .firstAnswer { address throws(CommandError) in
                try probe.databases(at: address, within: .seconds(5))
            }
        let placed = databases.filter { $0.placement?.nodes.contains(node.id) == true }
        guard let first = placed.first else { return }
        throw CommandError(
            .unavailable,
            "\(node.id) holds \(placed.map(\.name.text).joined(separator: ", ")), which all other nodes need not have",
            fix:
                "move each to other nodes, as with `hearth database move \(first.name) --nodes …`, or add --force"
        )
    }

    private func statuses() throws(CommandError) -> [ObservedNode] {
        try ObservedCluster(cluster).statuses()
    }

    private func others(in statuses: [ObservedNode]) -> [ObservedNode] {
        statuses.filter { $0.node.id != node.id }
    }

    /// Waits until no other node lags: once the node is stopped, no peer gets operations from it.
    private func waitUntilOthersCaughtUp() throws(CommandError) {
        let deadline = ContinuousClock.now + NodeDrain.patience
        while true {
            let statuses = try statuses()
            try requireOthers(statuses)
            guard let late = others(in: statuses).first(where: { $0.report?.data.lag ?? 0 > 0 })
            else { return }
            guard ContinuousClock.now < deadline else {
                throw CommandError(
                    .unavailable,
                    "\(late.node.id) is \(late.report?.data.lag ?? 0) operations behind and does not catch up",
                    fix:
                        "see `hearth cluster doctor`, or add --force to remove \(node.id) anyway"
                )
            }
            try StopRequest.check()
            usleep(100_000)
        }
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

    /// Waits until the others hold all operations on the node's disk.
    private func requireCovered() throws(CommandError) {
        let stored: StoredOperations
        do throws(NodeError) {
            stored = try StoredOperations(inFolder: cluster.folder(of: node))
        } catch {
            throw CommandError(
                .unavailable, "the operations of \(node.id) are unknown: \(error.problem)",
                fix: "\(error.fix), or add --force to remove \(node.id) anyway")
        }
        guard stored.orphanedBatches == 0 else {
            throw CommandError(
                .unavailable,
                "\(node.id) was evicted, and has not replayed its own operations yet",
                fix: "start \(node.id) and wait until it has rejoined, or add --force")
        }
        let deadline = ContinuousClock.now + NodeDrain.lastPatience
        while true {
            let statuses = try statuses()
            try requireOthers(statuses)
            let missing = others(in: statuses).map { ($0.node.id, $0.missing(of: stored)) }
            guard let (other, count) = missing.first(where: { $0.1 > 0 }) else { return }
            guard ContinuousClock.now < deadline else {
                throw CommandError(
                    .unavailable, "\(other) lacks \(count) operations that \(node.id) holds",
                    fix:
                        "start \(node.id), wait until they agree (`hearth cluster status`), and try "
                        + "again, or add --force to lose them")
            }
            try StopRequest.check()
            usleep(100_000)
        }
    }
}

extension ObservedNode {
    /// How many operations of another node it lacks.
    package func missing(of stored: StoredOperations) -> Int {
        missing(of: stored.counts.mapValues { Int(clamping: $0) })
    }
}
