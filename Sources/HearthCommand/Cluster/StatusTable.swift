internal import ClusterAdministration
internal import CommandLineKit
internal import SyncProtocol

/// The states of nodes as lines of columns. On a terminal that is too narrow for all, the most important columns remain, and a last
/// line names the others.
struct StatusTable {
    let lines: [String]

    /// The columns and their meanings, in order.
    static let legend = HelpTable(
        "columns",
        [
            ("NODE", "The name of the node."),
            ("STATE", "The state of the node, see below."),
            ("PID", "The ID of its process, if it runs on this machine."),
            ("ADDRESS", "The address for clients."),
            ("OPERATIONS", "The number of applied operations, from all nodes."),
            ("OPS/S", "The operations applied per second since the last line (--watch)."),
            (
                "LAG",
                "The number of operations that it lacks, compared with the node that has most."
            ),
            ("PEERS", "The nodes whose heartbeats it received in the last two seconds."),
            (
                "COORDINATOR",
                "The node that decides transactions, as far as this node knows; - if there is none."
            ),
            ("CLIENTS", "The connections of clients."),
            ("LISTENS", "The listens of these clients."),
            (
                "RULES",
                "The beginning of the digest of its rules; - without rules. broken: it does not understand them, and admits only "
                    + "administrators. unenforced: every client is an administrator."
            ),
            (
                "STABLE",
                "The age of its stable time: all earlier writes have arrived there."
            ),
            (
                "LOG",
                "The operations in its log, the limit above which it no longer waits for absent "
                    + "nodes, and the size of the log."
            ),
            ("GAPS", "The number of writers with missing operations."),
            ("REPAIRED", "The number of operations that it requested from a peer."),
            (
                "DUPLICATES",
                "The number of operations that arrived more than once; each counts once."
            ),
            ("WAITING", "The batches that wait for earlier ones, and their limit."),
            (
                "REGISTERS",
                "The locations whose value a late write could still change."
            ),
            ("MEMORY", "The resident memory of its process."),
            ("DISK", "The size of its default database."),
            ("DATABASES", "The databases that do not sleep, and all, with the default one."),
            (
                "HELD",
                "The operations applied from each writer: a node, or an earlier incarnation of "
                    + "one."
            ),
        ])

    /// The values of STATE.
    static let states = HelpTable(
        "states",
        ObservedNode.State.allCases.map { ($0.rawValue, $0.explanation) }
            + ObservedNode.Eviction.allCases.map { ("…, " + $0.rawValue, $0.explanation) })

    private static let titles = legend.rows.map(\.name)

    /// - Parameters:
    ///   - rates: Operations a second by node, where they are known.
    ///   - limit: The characters that fit on a line.
    init(
        _ statuses: [ObservedNode], rates: [String: Int] = [:],
        within limit: Int = Terminal.standardOutput.columns ?? .max
    ) {
        let rows = statuses.map { StatusTable.cells(of: $0, rate: rates[$0.node.id]) }
        let widths = StatusTable.titles.indices.map { column in
            ([StatusTable.titles] + rows).map { $0[column].count }.max() ?? 0
        }
        let selection = ColumnSelection(
            StatusTable.titles, widths: widths, ranked: StatusTable.ranking,
            required: StatusTable.requiredCount, within: limit)
        let padded = ([StatusTable.titles] + rows).map { row in
            selection.columns.map { row[$0].padded(to: widths[$0]) }
        }
        let table = padded.enumerated().map { index, row in
            var row = row
            if index > 0 {
                let colour = statuses[index - 1].state.colour
                row[1] = Terminal.standardOutput.coloured(row[1], colour)
            }
            return row.joined(separator: "  ").trimmingTrailingSpaces
        }
        lines = table + selection.omission(within: limit)
    }

    /// The columns in the order of their importance.
    private static let ranking =
        [
            "NODE", "STATE", "LAG", "PEERS", "STABLE", "ADDRESS", "OPERATIONS", "COORDINATOR",
            "PID",
            "OPS/S",
        ]
    /// The columns at the beginning of the ranking that are shown on every terminal.
    private static let requiredCount = 5

    private static func cells(of status: ObservedNode, rate: Int?) -> [String] {
        let known = [
            status.node.id, status.condition,
            status.process.map { String($0.pid) } ?? "-", status.node.address.location,
        ]
        guard let report = status.report else {
            return known + [String](repeating: "-", count: titles.count - known.count)
        }
        let (data, exchange, queues) = (report.data, report.exchange, report.queues)
        let held = data.held.keys.inKeyOrder.map { "\($0):\(data.held[$0]!)" }
            .joined(separator: " ")
        return known + [
            String(data.operations), rate.map { String($0) } ?? "-", String(data.lag),
            status.connectedPeers.isEmpty ? "-" : status.connectedPeers.joined(separator: ","),
            report.coordination.coordinator ?? "-",
            String(report.process?.sessions ?? 0), String(report.clients.listens),
            rules(of: report), status.stableSeconds.map(ago) ?? "-", log(of: report),
            String(queues.gaps), String(exchange.repaired), String(exchange.duplicates),
            "\(queues.waitingBatches)/\(queues.waitingBatchesLimit)",
            String(data.registers),
            megabytes(report.process?.residentBytes), megabytes(report.process?.databaseBytes),
            databases(of: report.process),
            held.isEmpty ? "-" : held,
        ]
    }

    private static func databases(of process: NodeStatus.Process?) -> String {
        guard let count = process?.databases, let awake = process?.awakeDatabases else {
            return "-"
        }
        return "\(awake)/\(count)"
    }

    private static func rules(of status: NodeStatus) -> String {
        guard let rules = status.rules else { return "-" }
        if rules.isEnforced { return String(rules.digest.prefix(8)) }
        return rules.members[status.identity.member] == true ? "unenforced" : "broken"
    }

    /// As in `0.3 s ago`.
    private static func ago(_ seconds: Double) -> String {
        "\(tenths(max(0, seconds))) s ago"
    }

    /// The operations in the log, its limit, and its size.
    private static func log(of status: NodeStatus) -> String {
        "\(status.data.loggedOperations)/\(status.data.loggedOperationsLimit) "
            + megabytes(status.process?.logBytes)
    }

    private static func megabytes(_ bytes: Int?) -> String {
        "\(((bytes ?? 0) + 500_000) / 1_000_000) MB"
    }
}

extension ObservedNode.State {
    fileprivate var colour: Terminal.Colour {
        switch self {
        case .serving: .green
        case .unauthorized, .starting, .paused: .yellow
        case .impaired, .stopped, .down, .silent, .unreachable, .unreadable: .red
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
