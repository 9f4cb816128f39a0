internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc

/// A cluster that runs in a terminal: shows its nodes' logs and when a node ends, until Ctrl-C.
struct AttachedCluster {
    private var cluster: Cluster
    private var logs: LogView
    private var watch: NodeWatch
    /// Whether another command was stopping and starting nodes at the last look.
    private var wasChanging = false

    init(_ cluster: Cluster) {
        self.cluster = cluster
        logs = LogView(of: cluster.file.nodes, in: cluster)
        watch = NodeWatch(of: cluster)
    }

    /// Starts all nodes, and shows their logs meanwhile.
    mutating func start() throws(CommandError) {
        logs.skipToEnd()
        defer { logs.printNewLines() }
        try ClusterStart(cluster: cluster).start(cluster.file.nodes) { logs.printNewLines() }
        watch = NodeWatch(of: cluster)
    }

    /// Follows the nodes, and stops them on request.
    ///
    /// - Throws: when all have ended by themselves.
    mutating func follow() throws(CommandError) {
        defer { logs.printNewLines() }
        while !StopRequest.isThere {
            usleep(100_000)
            logs.printNewLines()
            if try isChanging() { continue }
            for news in watch.news() { report(news) }
            guard watch.isAnyRunning else {
                throw CommandError(
                    .unavailable, "all nodes have ended",
                    fix: "see their logs above, then start again")
            }
        }
        // The list may have changed a moment ago.
        let nodes = ((try? Cluster(inFolder: cluster.folder)) ?? cluster).file.nodes
        cluster.stop(nodes, within: .seconds(10)) { _, _ in }
    }

    /// Whether another command stops and starts nodes, for a restart or a new list of nodes; follows the nodes that run
    /// afterwards.
    private mutating func isChanging() throws(CommandError) -> Bool {
        if ClusterChange.isUnderway(inFolder: cluster.folder) {
            wasChanging = true
            return true
        }
        let current = try Cluster(inFolder: cluster.folder)
        guard wasChanging || current.file != cluster.file else { return false }
        wasChanging = false
        cluster = current
        logs.follow(current.file.nodes, in: current)
        for news in watch.follow(current) { report(news) }
        return false
    }

    private func report(_ news: NodeWatch.News) {
        let terminal = Terminal.standardError
        switch news {
        case .runs(let id, let pid):
            terminal.print("\(terminal.coloured(id, .green)) runs again (process \(pid))")
        case .ended(let id, let pid, let end):
            let last = logs.lastLine(of: id).map { "; its log ends with: \($0)" } ?? ""
            let process = pid.map { " (process \($0))" } ?? ""
            terminal.print("\(terminal.coloured(id, .red)) \(end.text)\(process)\(last)")
            terminal.print(
                "\(terminal.coloured("fix:", .cyan)) `hearth cluster start \(id) --dir "
                    + "\(cluster.folder)` starts it again")
        }
    }
}
