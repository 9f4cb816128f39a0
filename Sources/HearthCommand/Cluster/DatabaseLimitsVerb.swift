internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import JSONText
internal import Sockets
internal import SyncProtocol

/// `hearth database limits`: shows and sets the limits of a database.
enum DatabaseLimitsVerb {
    static let verb = Verb(
        "limits",
        "Shows the limits of a database at a node, and sets those that are given, for all nodes. Each node "
            + "counts by itself. 0 means that there is no limit. Limits that are not set here are those of the "
            + "configuration.",
        arguments: [DatabaseVerbs.name],
        options: options.map(\.option) + [clear, json] + NodeClient.options,
        examples: [
            "hearth database limits chat",
            "hearth database limits chat --connections 1000 --writes 200",
            "hearth database limits chat --clear",
        ], work: run)

    private static let options: [(kind: DatabaseLimits.Kind, option: Option)] = [
        (
            .connections,
            Option(
                "connections", "N", "The streams and sessions of clients: requests do not count.")
        ),
        (.dataBytes, Option("data-bytes", "N", "The bytes of all keys and values.")),
        (.writesPerSecond, Option("writes", "N", "The writes in a second.")),
        (.bytesPerSecond, Option("bytes", "N", "The bytes of writes in a second.")),
        (.answerBytes, Option("answer-bytes", "N", "The bytes that one read may show.")),
    ]
    private static let clear = Option(
        flag: "clear", "Remove the limits of this database; those of the configuration apply again."
    )
    private static let json = Option(flag: "json", "Print the limits as a JSON object.")
    private static let pauseMicroseconds: UInt32 = 50_000

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let name = try DatabaseVerbs.databaseName(of: invocation)
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(5)
        let probe = DatabaseProbe(showing: try NodeOptions.secret(of: invocation))
        let given = try limits(of: invocation)
        if invocation.has(clear), !given.isEmpty {
            throw CommandError(
                .usage, "--clear removes the limits that other options set",
                fix: "clear the limits first, and set others with a second command")
        }
        let shown = try NodeOptions.servers(of: invocation).firstAnswer {
            server throws(CommandError) in
            _ = try database(name, at: server, probe, within: limit)
            if invocation.has(clear) {
                try probe.remove(limitsOf: name, at: server, within: limit)
            } else if !given.isEmpty {
                try probe.change(limitsOf: name, to: given, at: server, within: limit)
            }
            return try settled(name, given, at: server, probe, within: limit)
        }
        let lines =
            invocation.has(json) ? [json(of: shown.limits)] : self.lines(of: shown.limits)
        for line in lines { StandardOutput.shared.print(line) }
        return .success
    }

    private static func limits(of invocation: Invocation) throws(CommandError) -> DatabaseLimits {
        var limits = DatabaseLimits()
        for (kind, option) in options {
            limits[kind] = try invocation.integer(option, in: 0...DatabaseLimits.bound)
        }
        return limits
    }

    private static func database(
        _ name: DatabaseName, at server: HTTPAddress, _ probe: DatabaseProbe, within limit: Duration
    ) throws(CommandError) -> ListedDatabase {
        let all = try probe.databases(at: server, within: limit)
        if let database = all.first(where: { $0.name == name }) { return database }
        throw CommandError(
            .badData, "there is no database \(name)",
            fix:
                "create it with `hearth database create`, or name one that `hearth database list` shows"
        )
    }

    /// Waits until the node applies limits that were set.
    private static func settled(
        _ name: DatabaseName, _ given: DatabaseLimits, at server: HTTPAddress,
        _ probe: DatabaseProbe,
        within limit: Duration
    ) throws(CommandError) -> ListedDatabase {
        let deadline = ContinuousClock.now + limit
        while true {
            let shown = try database(name, at: server, probe, within: limit)
            if given.over(shown.limits) == shown.limits { return shown }
            if ContinuousClock.now >= deadline {
                throw CommandError(
                    .outcomeUnknown, "\(server.location) does not apply the limits of \(name) yet",
                    fix: "check that all nodes run a version with limits, and look again")
            }
            // The node follows the catalog, and does not announce that to this command.
            usleep(pauseMicroseconds)
        }
    }

    private static func json(of limits: DatabaseLimits) -> String {
        limits.isEmpty ? "{}" : JSONWriter.text(of: limits.value)
    }

    static func lines(of limits: DatabaseLimits) -> [String] {
        DatabaseLimits.Kind.allCases.map { kind in
            let number = limits.limit(kind).map(String.init) ?? "none"
            return kind.rawValue.padded(to: 15) + "  " + number
        }
    }
}
