internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import EventLoop
internal import Glibc

/// `hearth cluster logs`: the logs of the nodes.
enum ClusterLogs {
    static let verb = Verb(
        "logs", "Shows the log of a node, or the logs of all nodes merged by time.",
        arguments: [node], options: Cluster.options + [lines, since, follow],
        examples: [
            "hearth cluster logs n2", "hearth cluster logs -n 20 --follow",
            "hearth cluster logs --since 10m", "hearth cluster logs --since '2026-11-22 05:30'",
        ], work: run)

    private static let node = Argument(
        "NODE", "The name of a node, such as n2.", arity: .optional, values: .node)
    private static let lines = Option(
        "lines", letter: "n", "NUMBER", "Show only the last NUMBER lines; all by default.")
    private static let since = Option(
        "since", "TIME",
        "Omit lines before this time: 30s, 10m, 2h or 1d ago, or a local time such as 14:05 "
            + "or '2026-11-22 05:30'.")
    private static let follow = Option(
        flag: "follow", letter: "f", "Continue with new lines, until Ctrl-C.")

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let cluster = try Cluster(of: invocation)
        var nodes = cluster.file.nodes
        if let id = invocation.words(of: node).first { nodes = [try cluster.file.node(named: id)] }
        var start = ""
        if let text = invocation[since] {
            guard let time = LogStart(text, now: Loop.wallClockMilliseconds)?.time else {
                throw invocation.usageError(
                    "--\(since.name) \(text): not a time",
                    fix: "write 10m for ten minutes ago, 14:05, or '2026-11-22 05:30'")
            }
            start = time
        }
        var logs = LogView(of: nodes, in: cluster)
        logs.printNewLines(
            since: start, last: try invocation.integer(lines, in: 0...Int(Int32.max)) ?? .max)
        guard invocation.has(follow) else { return .success }
        StopRequest.watch()
        while !StopRequest.isThere {
            logs.printNewLines()
            usleep(100_000)
            StandardOutput.shared.endWithoutReader()
        }
        return StopRequest.exitStatus
    }
}
