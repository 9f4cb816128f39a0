internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import Sockets
internal import SyncProtocol

/// `hearth database`: the databases of a cluster.
enum DatabaseVerbs {
    static let verb = Verb(
        "database",
        "Lists and creates the databases of a cluster. Each has its own data and rules. Clients name "
            + "one by `ns`, and commands by --database.",
        verbs: [list, create],
        examples: ["hearth database create chat", "hearth database list"])

    private static let name = Argument(
        "NAME", "The name: 1 to 63 characters of a-z, 0-9 and -, not beginning with -.")
    private static let pauseMicroseconds: UInt32 = 100_000

    private static let list = Verb(
        "list", "Prints the names of the databases that a node has.",
        options: NodeClient.options, examples: ["hearth database list"]
    ) { invocation throws(CommandError) in
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(5)
        let probe = DatabaseProbe(showing: try NodeOptions.secret(of: invocation))
        let names = try first(of: try NodeOptions.servers(of: invocation)) {
            server throws(CommandError) in try probe.names(at: server, within: limit)
        }
        for name in names { StandardOutput.shared.print(name.text) }
        return .success
    }

    private static let create = Verb(
        "create",
        "Creates a database, empty and with the access of a new cluster, and waits until all nodes "
            + "that answer have it. A node that is away creates it when it returns.",
        arguments: [name], options: NodeClient.options, examples: ["hearth database create chat"]
    ) { invocation throws(CommandError) in
        guard let name = DatabaseName(invocation[name]) else {
            throw CommandError(
                .usage, "\(invocation[name]) is not the name of a database",
                fix: "use 1 to \(DatabaseName.longest) characters of a-z, 0-9 and -")
        }
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(20)
        let probe = DatabaseProbe(showing: try NodeOptions.secret(of: invocation))
        let servers = try NodeOptions.servers(of: invocation)
        try first(of: servers) { server throws(CommandError) in
            try probe.create(name, at: server, within: limit)
        }
        let missing = lacking(name, of: servers, probe, within: limit)
        guard missing.isEmpty else {
            throw CommandError(
                .outcomeUnknown,
                "the database \(name) is created, but not yet at "
                    + missing.map(\.location).joined(separator: ", "),
                fix: "start these nodes: they create it once they reach the others")
        }
        StandardOutput.shared.print("\(name) is created")
        return .success
    }

    /// The nodes that do not have the database after some time.
    private static func lacking(
        _ name: DatabaseName, of servers: [HTTPAddress], _ probe: DatabaseProbe,
        within limit: Duration
    ) -> [HTTPAddress] {
        let deadline = ContinuousClock.now + limit
        var missing = servers
        while true {
            missing.removeAll { server in
                let names = try? probe.names(at: server, within: .seconds(2))
                return names?.contains(name) == true
            }
            if missing.isEmpty || ContinuousClock.now >= deadline { return missing }
            // Nodes do not announce a new database to this command, so it asks again.
            usleep(pauseMicroseconds)
        }
    }

    /// The result of the first node that answers.
    private static func first<Result>(
        of servers: [HTTPAddress], _ ask: (HTTPAddress) throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        var refusals: [CommandError] = []
        for server in servers {
            do throws(CommandError) { return try ask(server) } catch { refusals.append(error) }
        }
        throw refusals.mostInformative
            ?? CommandError(.unavailable, "no node is named", fix: "name one with --node")
    }
}
