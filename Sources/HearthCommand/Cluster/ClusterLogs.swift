internal import ClusterNode
internal import EventLoop
internal import Glibc

/// `hearth cluster logs`: what the nodes have said.
enum ClusterLogs {
    static let verb = Verb(
        "logs", "Shows what a node, or all of them, have said, merged by time.",
        arguments: [node], options: [NodeOptions.folder, lines, since, follow],
        examples: [
            "hearth cluster logs n2", "hearth cluster logs -n 20 --follow",
            "hearth cluster logs --since 10m", "hearth cluster logs --since '2026-11-22 05:30'",
        ], work: run)

    private static let node = Argument(
        "NODE", "The name of a node, such as n2.", arity: .optional, values: .node)
    private static let lines = Option(
        "lines", letter: "n", "NUMBER", "Show so many lines, the last ones; otherwise all.")
    private static let since = Option(
        "since", "TIME",
        "Leave out lines before this: 30s, 10m, 2h or 1d ago, or a local time such as 14:05 of today "
            + "or '2026-11-22 05:30'.")
    private static let follow = Option(
        flag: "follow", letter: "f", "Go on with what they say, until Ctrl-C.")

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let cluster = try Cluster(inFolder: NodeOptions.folder(of: invocation))
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
        }
        return .success
    }
}

/// From when on a log is shown, as a user writes it.
struct LogStart: Equatable, Sendable {
    /// As `LogTime` writes it, or the beginning of that.
    let time: String

    private static let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    /// Nil for what is no time.
    ///
    /// - Parameter now: In milliseconds since 1970.
    init?(_ text: String, now: UInt64) {
        if let unit = text.last.flatMap({ LogStart.units[$0] }), let count = UInt64(text.dropLast())
        {
            let age = count.multipliedReportingOverflow(by: unit * 1000)
            time = LogTime.text(of: age.overflow ? 0 : now - min(now, age.partialValue))
            return
        }
        let today = LogTime.text(of: now).prefix { $0 != " " }
        let isOfToday = text.dropFirst(2).first == ":"
        let time = isOfToday ? "\(today) \(text)" : text
        // A whole date at least, and no part of a number.
        let lengths = [10, 16, 19, LogTime.length]
        guard lengths.contains(time.utf8.count), LogTime.isTime(time) else { return nil }
        self.time = time
    }
}
