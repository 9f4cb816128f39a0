package import CommandLineKit
internal import Glibc

/// Starts nodes of a cluster, and waits until they serve.
package struct ClusterStart {
    /// How long nodes may take to serve and to find each other.
    private static let patience = Duration.seconds(120)

    package let cluster: Cluster

    /// Starts nodes of this cluster.
    package init(cluster: Cluster) { self.cluster = cluster }

    /// Starts these nodes and returns when each serves and has contact with all others that run.
    ///
    /// Nodes that refuse their status to this command only have to serve.
    ///
    /// Runs `whileWaiting` some twenty times a second. When a node fails, those that were started
    /// are stopped again.
    package func start(
        _ nodes: [Cluster.Node], whileWaiting: () -> Void = {}
    ) throws(CommandError) {
        for node in nodes { try cluster.checkPorts(of: node) }
        var logs = nodes.map { LogReader(of: $0, in: cluster) }
        for index in logs.indices { logs[index].skipToEnd() }
        do throws(CommandError) {
            for node in nodes { try cluster.start(node) }
            try waitUntilConnected(nodes, logs, whileWaiting)
        } catch {
            cluster.stop(nodes, within: .seconds(5)) { _, _ in }
            throw error
        }
    }

    private func waitUntilConnected(
        _ nodes: [Cluster.Node], _ logs: [LogReader], _ whileWaiting: () -> Void
    ) throws(CommandError) {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            whileWaiting()
            let statuses = try ObservedCluster(cluster).statuses(within: .milliseconds(500))
            if areConnected(nodes, in: statuses) { return }
            try StopRequest.check()
            for status in statuses where status.state == .stopped {
                guard let node = nodes.first(where: { $0.id == status.node.id }) else { continue }
                throw ended(node, logs)
            }
            if ContinuousClock.now >= deadline { throw tooLate(statuses) }
            usleep(50_000)
        }
    }

    /// Paused nodes and those that do not run are not waited for.
    private func areConnected(_ nodes: [Cluster.Node], in statuses: [ObservedNode]) -> Bool {
        let started = Set(nodes.map(\.id))
        let expected = statuses.filter { $0.report != nil || started.contains($0.node.id) }
        return expected.allSatisfy { status in
            // A node that shows its status to administrators only says at `/health` whether it serves.
            if status.state == .unauthorized { return isServing(status.node) }
            return status.report != nil
                && expected.allSatisfy { $0.node.id == status.node.id || status.hears($0) }
        }
    }

    private func isServing(_ node: ObservedCluster.Node) -> Bool {
        HealthProbe(node.address).isServing(within: .milliseconds(500))
    }

    private func ended(_ node: Cluster.Node, _ logs: [LogReader]) -> CommandError {
        let log = logs.first { $0.id == node.id }
        return CommandError(
            .unavailable, "\(node.id) ended while it started; \(log?.ending ?? "")",
            fix: "see what the log says, \(cluster.log(of: node)), then start it again")
    }

    private func tooLate(_ statuses: [ObservedNode]) -> CommandError {
        let states = statuses.map { status in
            let peers = status.connectedPeers.joined(separator: ", ")
            return "\(status.node.id) is \(status.state.rawValue)"
                + (status.report != nil
                    ? " and has contact with \(peers.isEmpty ? "no other node" : peers)" : "")
        }
        return CommandError(
            .unavailable,
            "the nodes did not find each other within \(Self.patience.components.seconds) s: "
                + states.joined(separator: ", "),
            fix: "see `hearth cluster logs --dir \(cluster.folder)`")
    }
}
