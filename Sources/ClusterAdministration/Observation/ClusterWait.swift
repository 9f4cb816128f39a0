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

    /// Returns once all of the nodes are ready at the same time. Says on standard error what it waits for, if that lasts.
    ///
    /// - Parameter examine: Runs after each observation, and may end the wait by an error.
    /// - Throws: `.denied` if a node shows its status to administrators only; `.unavailable` with the reasons when the
    ///   time is over; `.interrupted`.
    package func run(
        within limit: Duration,
        examine: ([ObservedNode]) throws(CommandError) -> Void = { _ in }
    ) throws(CommandError) {
        let start = ContinuousClock.now
        var report = WaitReport()
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
            let time = start.duration(to: .now)
            guard time < limit else {
                throw CommandError(
                    .unavailable, "after \(NodeWait.text(of: limit)), \(reasons)",
                    fix: "run `hearth cluster doctor`, and read the log of the node")
            }
            if let line = report.line(for: problems, after: time) {
                Terminal.standardError.print(line)
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

/// The lines that say what a wait waits for: the first one once the wait lasts, and others when the reasons have changed.
struct WaitReport {
    /// Most waits are shorter.
    static let patience = Duration.milliseconds(1_500)
    /// The time between two lines: the numbers of missing operations change all the time.
    static let interval = Duration.seconds(5)
    /// The most reasons in a line.
    static let limit = 4

    private var last: (problems: [String], time: Duration)?

    /// Returns the line to print; nil for none.
    ///
    /// - Parameter time: The time since the beginning of the wait.
    mutating func line(for problems: [String], after time: Duration) -> String? {
        let next = last.map { $0.time + WaitReport.interval } ?? WaitReport.patience
        guard time >= next, problems != last?.problems else { return nil }
        last = (problems, time)
        let more = problems.count - WaitReport.limit
        return "waiting: " + problems.prefix(WaitReport.limit).joined(separator: ", ")
            + (more > 0 ? ", and \(more) more" : "")
    }
}
