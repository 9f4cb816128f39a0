/// `hearth cluster status`: how each node is.
enum ClusterStatus {
    static let verb = Verb(
        "status", "Shows the state of each node, and how far they agree.",
        options: [NodeOptions.folder, json],
        examples: ["hearth cluster status", "hearth cluster status --json"], work: run)

    private static let json = Option(
        flag: "json", "Print one JSON object a node, with all there is.")

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let cluster = try Cluster(inFolder: NodeOptions.folder(of: invocation))
        let statuses = try cluster.statuses()
        if invocation.has(json) {
            for status in statuses { StandardOutput.shared.print(status.json) }
        } else {
            for line in table(of: statuses) { StandardOutput.shared.print(line) }
        }
        return .success
    }

    /// The most important first: on a terminal the last are left out when they do not fit.
    private static let titles = [
        "NODE", "STATE", "PID", "ADDRESS", "OPERATIONS", "LAG", "PEERS", "REPAIRED", "DUPLICATES",
        "MEMORY", "DISK", "HELD",
    ]

    /// Columns as wide as their widest cell; the state is coloured where there is colour.
    private static func table(of statuses: [NodeStatus]) -> [String] {
        let rows = statuses.map(cells)
        let widths = titles.indices.map { column in
            ([titles] + rows).map { $0[column].count }.max() ?? 0
        }
        let shown = columns(of: widths, within: Terminal.standardOutput.columns ?? .max)
        let lines = ([titles] + rows).map { row in
            zip(row, widths).prefix(shown).map { $0.padded(to: $1) }
        }
        return lines.enumerated().map { index, row in
            var row = row
            if index > 0 {
                let colour = statuses[index - 1].state.colour
                row[1] = Terminal.standardOutput.coloured(row[1], colour)
            }
            return row.joined(separator: "  ").trimmingTrailingSpaces
        }
    }

    /// How many columns fit on a line, with two spaces between them; the address at least.
    private static func columns(of widths: [Int], within limit: Int) -> Int {
        var end = -2
        let fitting = widths.prefix { width in
            end += width + 2
            return end <= limit
        }
        return max(4, fitting.count)
    }

    private static func cells(of status: NodeStatus) -> [String] {
        let known = [status.node.id, status.state.rawValue]
        let pid = status.process.map { String($0.pid) } ?? "-"
        guard status.state == .serving else {
            let unknown = [String](repeating: "-", count: titles.count - 4)
            return known + [pid, status.node.client] + unknown
        }
        let held = status.held.map { "\($0.origin):\($0.count)" }.joined(separator: " ")
        return known + [
            pid, status.node.client, String(status["operations"]), String(status["lag"]),
            status.connectedPeers.isEmpty ? "-" : status.connectedPeers.joined(separator: ","),
            String(status["repaired"]), String(status["duplicates"]),
            megabytes(status.process("residentBytes")), megabytes(status.process("databaseBytes")),
            held.isEmpty ? "-" : held,
        ]
    }

    private static func megabytes(_ bytes: Int64) -> String {
        "\((bytes + 500_000) / 1_000_000) MB"
    }
}

extension NodeStatus.State {
    fileprivate var colour: Terminal.Colour {
        switch self {
        case .serving: .green
        case .starting, .paused: .yellow
        case .stopped, .unreachable: .red
        }
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
