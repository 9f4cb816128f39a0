package import CommandLineKit
internal import Glibc

/// Restarts nodes of this machine one after the other, while the others serve.
///
/// The next node stops once the last one is ready (`ClusterReadiness`). The first node that does not return ends the
/// restart, so that at most one node is absent.
package struct RollingRestart {
    /// How long a cluster may take before the first node stops.
    private static let initialPatience = Duration.seconds(10)

    private let cluster: Cluster
    private let observed: ObservedCluster
    private let program: String
    /// How long a node may take to become ready.
    private let patience: Duration
    /// How long a node may take to stop.
    private let grace: Duration

    /// - Parameter program: The program to start; nil for this one.
    package init(
        of cluster: Cluster, _ observed: ObservedCluster, as program: String?, patience: Duration,
        grace: Duration
    ) {
        self.cluster = cluster
        self.observed = observed
        self.program = program ?? NodeLaunch.ownProgram
        self.patience = patience
        self.grace = grace
    }

    /// Restarts these nodes, the coordinator of transactions last, and calls `report` with each that is ready again.
    ///
    /// - Throws: why the cluster is not ready for it, before any node stops; or which node does not return.
    package func run(
        _ nodes: [Cluster.Node], report: (Cluster.Node, Duration) -> Void
    ) throws(CommandError) {
        try requireReadyCluster(nodes)
        let check = StartCheck(program: program, configuration: cluster.configuration)
        for node in nodes { try check.run(for: node.id) }
        var left = inOrder(nodes)[...]
        while let node = left.popFirst() {
            let start = ContinuousClock.now
            do throws(CommandError) {
                try restart(node)
            } catch {
                throw failure(of: node, error, left.map(\.id))
            }
            report(node, start.duration(to: .now))
        }
    }

    /// - Throws: if a file is not the program `hearth`.
    package static func requireProgram(_ file: String) throws(CommandError) {
        try StartCheck.requireProgram(file)
    }

    /// Whether a node runs the program already.
    package func isCurrent(_ node: Cluster.Node) -> Bool {
        guard let process = cluster.process(of: node) else { return false }
        let running = FileIdentity("/proc/\(process.pid)/exe")
        return running != nil && running == FileIdentity(program)
    }

    private func requireReadyCluster(_ nodes: [Cluster.Node]) throws(CommandError) {
        for node in nodes where cluster.recordedProcess(of: node) == nil {
            let process = cluster.process(of: node)
            throw CommandError(
                .unavailable,
                process.map {
                    "another program than `hearth cluster` started \(node.id), process \($0.pid)"
                }
                    ?? "\(node.id) does not run on this machine",
                fix: process == nil
                    ? "start it with `hearth cluster start \(node.id)`"
                    : "restart it there, for example with `systemctl restart hearth@\(node.id)`, and run "
                        + "`hearth cluster wait` before the next one")
        }
        do throws(CommandError) {
            try ClusterWait(for: observed.nodes.map(\.id), of: observed)
                .run(within: min(patience, RollingRestart.initialPatience))
        } catch {
            throw CommandError(
                error.status, "no node was restarted: \(error.problem)", fix: error.fix)
        }
    }

    /// The coordinator is last: transactions pause for each change of it.
    private func inOrder(_ nodes: [Cluster.Node]) -> [Cluster.Node] {
        let coordinator = observed.statuses().lazy
            .compactMap { $0.report?.coordination.coordinator }.first
        return nodes.filter { $0.id != coordinator } + nodes.filter { $0.id == coordinator }
    }

    private func restart(_ node: Cluster.Node) throws(CommandError) {
        try stop(node)
        var log = LogReader(of: node, in: cluster)
        log.skipToEnd()
        try cluster.start(node, as: program)
        try ClusterWait(for: observed.nodes.map(\.id), of: observed)
            .run(within: patience) { statuses throws(CommandError) in
                let isStopped = statuses.contains {
                    $0.node.id == node.id && $0.state == .stopped
                }
                if isStopped {
                    throw CommandError(.unavailable, "it ended; \(log.ending)", fix: "")
                }
            }
    }

    private func stop(_ node: Cluster.Node) throws(CommandError) {
        var outcome = Cluster.StopOutcome.wasNotRunning
        cluster.stop([node], within: grace) { outcome = $1 }
        if case .stillRuns(let process) = outcome {
            throw CommandError(.unavailable, "process \(process.pid) does not end", fix: "")
        }
    }

    private func failure(
        of node: Cluster.Node, _ error: CommandError, _ left: [String]
    ) -> CommandError {
        let names = left.joined(separator: " and ")
        let rest =
            left.isEmpty ? "" : ", and \(names) \(left.count == 1 ? "was" : "were") not restarted"
        let start = program == NodeLaunch.ownProgram ? "hearth" : program
        return CommandError(
            error.status, "\(node.id) did not return\(rest): \(error.problem)",
            fix:
                "the other nodes still serve. Correct the cause, run `\(start) cluster start \(node.id) "
                + "--dir \(cluster.folder)` if it does not run, and then this command again")
    }
}
