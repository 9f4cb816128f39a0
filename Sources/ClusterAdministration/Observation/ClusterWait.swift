package import CommandLineKit
internal import Glibc

/// Waits until nodes of a cluster, on this machine or on others, are ready.
package struct ClusterWait {
    private let cluster: ObservedCluster
    private let nodes: [String]

    /// - Parameter nodes: The names of the nodes to wait for.
    package init(for nodes: [String], of cluster: ObservedCluster) {
        (self.nodes, self.cluster) = (nodes, cluster)
    }

    /// Returns once all of the nodes are ready at the same time.
    ///
    /// - Parameter examine: Runs after each observation, and may end the wait by an error.
    /// - Throws: `.denied` if a node shows its status to administrators only; `.unavailable` with the reasons when the
    ///   time is over; `.interrupted`.
    package func run(
        within limit: Duration,
        examine: ([ObservedNode]) throws(CommandError) -> Void = { _ in }
    ) throws(CommandError) {
        let deadline = ContinuousClock.now + limit
        var readiness = ClusterReadiness(of: nodes)
        while true {
            let statuses = cluster.statuses()
            try requireAccess(statuses)
            let problems = readiness.problems(in: statuses)
            if problems.isEmpty { return }
            try examine(statuses)
            let reasons = problems.joined(separator: ", ")
            if StopRequest.isThere {
                throw CommandError(
                    .interrupted, "interrupted before all nodes were ready: \(reasons)",
                    fix: "run the command again to wait for them")
            }
            guard ContinuousClock.now < deadline else {
                throw CommandError(
                    .unavailable, "after \(NodeWait.text(of: limit)), \(reasons)",
                    fix: "run `hearth cluster doctor`, and read the log of the node")
            }
            // Nodes report no changes of their status, so this asks for it again.
            usleep(100_000)
        }
    }

    private func requireAccess(_ statuses: [ObservedNode]) throws(CommandError) {
        for status in statuses where nodes.contains(status.node.id) {
            if case .denied(let denial)? = status.answer {
                throw denial.error(at: status.node.address)
            }
        }
    }
}
