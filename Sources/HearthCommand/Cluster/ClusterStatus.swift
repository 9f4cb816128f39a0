internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import SyncProtocol

/// `hearth cluster status`: the state of each node, once or live.
enum ClusterStatus {
    static let verb = Verb(
        "status",
        "Shows the state and replication of each node. Ends with 69 if a node does not serve, "
            + "and with 77 if only administrators may see a status.",
        options: ObservedCluster.options + [watch, json],
        tables: [StatusTable.legend, StatusTable.states],
        examples: [
            "hearth cluster status", "hearth cluster status --watch",
            "hearth cluster status --json",
            "hearth cluster status --config configs/three-hosts.json5 --secret app.secret",
        ], work: run)

    private static let watch = Option(
        flag: "watch", "Refresh each second, with rates, until Ctrl-C.")
    private static let json = Option(
        flag: "json", "Print one JSON object for each node, with its whole status.")

    /// How much longer than a second a node may take that accepts connections.
    private static let busyPatience = Duration.seconds(4)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let cluster = try ObservedCluster(of: invocation)
        guard invocation.has(watch) else {
            let statuses = cluster.statuses(patience: busyPatience)
            show(statuses, since: nil, invocation)
            if !invocation.has(json) { printConsole(of: statuses) }
            try requireServing(statuses)
            return .success
        }
        StopRequest.watch()
        var last: StatusSample?
        while !StopRequest.isThere {
            let sample = StatusSample(statuses: cluster.statuses(), at: .now)
            // From the top left, over what was there: no flicker.
            if Terminal.standardOutput.isInteractive {
                StandardOutput.shared.print("\u{1B}[H\u{1B}[J")
            }
            show(sample.statuses, since: last.map { (sample, $0) }, invocation)
            last = sample
            // A second, in pieces short enough for Ctrl-C.
            for _ in 0..<20 where !StopRequest.isThere { usleep(50_000) }
        }
        return StopRequest.exitStatus
    }

    /// - Throws: `.unavailable`, so that scripts notice, if a node does not serve; `.denied` if all serve, and one shows its
    ///   status to administrators only.
    static func requireServing(_ statuses: [ObservedNode]) throws(CommandError) {
        let others = statuses.filter { $0.state != .serving }
        if others.isEmpty { return }
        let problems = others.map { "\($0.node.id) \($0.predicate)" }
        let denials = others.compactMap(\.denial)
        if denials.count == others.count {
            throw CommandError(
                .denied, problems.joined(separator: "\n       "), fix: denials[0].fix)
        }
        // Commands such as `rules set` succeed as soon as one node of a new cluster serves.
        let onlyStart = others.allSatisfy { $0.state == .starting }
        throw CommandError(
            .unavailable, problems.joined(separator: ", "),
            fix: onlyStart ? "wait with `hearth cluster wait`" : "run `hearth cluster doctor`")
    }

    /// Prints the address of the console at the first node that serves. It is for people, so it goes to standard error.
    private static func printConsole(of statuses: [ObservedNode]) {
        guard let serving = statuses.first(where: { $0.state == .serving }) else { return }
        Terminal.standardError.print("console: \(serving.node.address.location)/.cluster")
    }

    private static func show(
        _ statuses: [ObservedNode], since last: (StatusSample, StatusSample)?,
        _ invocation: Invocation
    ) {
        if invocation.has(json) {
            for status in statuses { StandardOutput.shared.print(status.json) }
        } else {
            let rates = last.map { $0.rates(since: $1) } ?? [:]
            let table = StatusTable(statuses, rates: rates)
            for line in table.lines { StandardOutput.shared.print(line) }
            for status in statuses {
                for (name, problem) in status.databaseProblems {
                    let line = "\(status.node.id): the database \(name) \(problem)"
                    StandardOutput.shared.print(line)
                }
            }
            if let line = largestDatabases(of: statuses.compactMap(\.report)) {
                StandardOutput.shared.print(line)
            }
        }
        StandardOutput.shared.flush()
    }
}

extension ClusterStatus {
    /// The most databases that the line names.
    private static let databasesShown = 5

    /// The largest databases, each with its size at the node that has most of it, and with its nodes if those are not all. Nil if
    /// there is only the default one.
    static func largestDatabases(of reports: [NodeStatus]) -> String? {
        var sizes: [String: Int] = [:]
        for report in reports {
            sizes.merge(report.process?.largestDatabases ?? [:], uniquingKeysWith: max)
        }
        guard sizes.count > 1 else { return nil }
        let largest = sizes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return "largest databases: "
            + largest.prefix(databasesShown).map { name, size in
                let nodes = holders(of: name, reports).map {
                    " on " + $0.joined(separator: " and ")
                }
                return "\(name) \(DatabaseTable.size(size))\(nodes ?? "")"
            }.joined(separator: ", ")
    }

    /// The nodes that hold a database; nil if all do, or if one without it names only some of its databases.
    private static func holders(of name: String, _ reports: [NodeStatus]) -> [String]? {
        var holders: [String] = []
        for report in reports {
            guard let process = report.process else { return nil }
            if process.largestDatabases[name] != nil {
                holders.append(report.identity.member)
            } else if process.largestDatabases.count < process.databases ?? .max {
                return nil
            }
        }
        return holders.count == reports.count ? nil : holders
    }
}

extension ObservedNode {
    /// The state as part of a sentence, after the node's name.
    fileprivate var predicate: String {
        state == .unauthorized ? ObservedNode.denialText : "is \(condition)"
    }

    fileprivate var denial: Denial? {
        if case .denied(let denial)? = answer { denial } else { nil }
    }
}

/// The nodes' states at one moment.
struct StatusSample {
    let statuses: [ObservedNode]
    let at: ContinuousClock.Instant

    /// Operations that each node applied a second since another moment, by its name.
    func rates(since last: StatusSample) -> [String: Int] {
        var rates: [String: Int] = [:]
        let milliseconds = max(1, Int(last.at.duration(to: at) / .milliseconds(1)))
        for (old, new) in zip(last.statuses, statuses) {
            guard let before = old.report?.data, let after = new.report?.data else { continue }
            let applied = max(0, after.operations - before.operations)
            rates[new.node.id] = applied * 1000 / milliseconds
        }
        return rates
    }
}
