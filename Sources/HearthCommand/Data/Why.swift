internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import DataTree
internal import JSONText
internal import SyncProtocol

extension Verb {
    /// `hearth why`: why a location of a running node shows its value.
    static let whyLocation = Verb(
        "why",
        "Explains the value at a location, for administrators. Lists the writes there that "
            + "the node's log still has: the user of each, which write won, and which writes are "
            + "stable.",
        arguments: [path], options: NodeClient.options + [count, json],
        examples: [
            "hearth why /rooms/lobby/title --node n2", "hearth why /rooms/lobby/title --json",
        ]
    ) { invocation throws(CommandError) in
        let limit = try invocation.integer(count, in: 1...1_000) ?? 20
        let explanation = try LocationExplanation(
            of: try invocation.location(path), ClusterRules(for: invocation))
        let lines =
            invocation.has(json)
            ? [explanation.json(limit: limit)] : explanation.lines(limit: limit)
        for line in lines { StandardOutput.shared.print(line) }
        return .success
    }

    private static let path = Argument("PATH", "The location to explain.")
    private static let json = Option(flag: "json", "Print one JSON object.")
    private static let count = Option(
        "limit", "COUNT", "The maximum number of writes, from the last ones; 20 by default.")
}

extension Invocation {
    fileprivate func location(_ argument: Argument) throws(CommandError) -> Path {
        do throws(DataError) {
            return try Path(self[argument])
        } catch {
            throw CommandError(.badData, error.problem, fix: error.fix)
        }
    }
}

/// A node's knowledge of one location, as text.
struct LocationExplanation {
    let path: Path
    private(set) var report: LocationReport
    private(set) var history: LocationHistory

    init(of path: Path, _ report: LocationReport) {
        (self.path, self.report) = (path, report)
        history = LocationHistory(at: path)
        history.append(report.operations)
    }

    /// Reads the whole log of the first node that answers.
    init(of path: Path, _ cluster: ClusterRules) throws(CommandError) {
        let (server, first) = try cluster.servers.firstAnswer { server throws(CommandError) in
            (
                server,
                try cluster.probe.why(
                    path, beyond: VersionVector(), at: server, within: cluster.limit)
            )
        }
        self.init(of: path, first)
        while let next = report.next {
            report = try cluster.probe.why(path, beyond: next, at: server, within: cluster.limit)
            history.append(report.operations)
        }
    }

    /// The number of writes that are not shown.
    func omittedCount(limit: Int) -> Int {
        history.droppedCount + max(0, history.entries.count - limit)
    }

    func lines(limit: Int) -> [String] {
        let entries = history.entries
        let olderCount = omittedCount(limit: limit)
        var lines = [
            "\(report.node) shows \(path) as \(report.shown); writes before "
                + "\(LogTime.text(of: UInt64(clamping: report.stableMilliseconds))) are stable"
        ]
        if entries.isEmpty { lines.append("    the log has no write there") }
        if olderCount > 0 { lines.append("    \(counted(olderCount, "earlier write")) left out") }
        lines += entries.suffix(limit).map { "    " + line(of: $0) }
        if report.registers.isEmpty {
            lines.append("    no register remains on its path: every write there is stable")
        }
        lines += report.registers.map { "    register at \($0.path): \($0.name) \($0.stamp)" }
        return lines
    }

    private func line(of entry: LocationHistory.Entry) -> String {
        let operation = entry.operation
        let writes = operation.writes.map { "\($0.path) \($0.text)" }.joined(separator: ", ")
        var line = entry.winner == nil ? "won   " : "lost  "
        line += "\(LogTime.text(of: UInt64(clamping: operation.milliseconds)))  "
        line += "\(operation.name) by \(operation.author)  \(writes)"
        if let winner = entry.winner { line += ", lost to \(winner.name)" }
        line += operation.milliseconds < report.stableMilliseconds ? ", stable" : ", not stable"
        return line + "  (stamp \(operation.stamp))"
    }
}

extension LocatedOperation {
    /// The node that accepted it, and its number there.
    fileprivate var name: String { "\(member ?? origin)#\(sequence)" }

    /// The user, and the rules that permitted the operation.
    fileprivate var author: String {
        guard let rules else {
            return administrator.map { "administrator \($0)" } ?? "an administrator"
        }
        let name = user.map { JSONWriter.text(of: .string($0)) } ?? "nobody"
        return "\(name) under rules \(rules.prefix(8))"
    }
}
