internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import Sockets
internal import SyncProtocol

/// `hearth database`: the databases of a cluster.
enum DatabaseVerbs {
    static let verb = Verb(
        "database",
        "Lists, creates, moves, limits and removes the databases of a cluster, and shows files that nodes keep aside. Each has its own data and rules. "
            + "Clients name one by `ns`, and commands by --database.",
        verbs: [
            DatabaseListVerb.verb, create, DatabasePlacementVerbs.move, remove,
            DatabaseLimitsVerb.verb, KeptVerbs.verb,
        ],
        examples: ["hearth database create chat", "hearth database list"])

    static let name = Argument(
        "NAME", "The name: 1 to 63 characters of a-z, 0-9 and -, not beginning with -.")
    private static let pauseMicroseconds: UInt32 = 100_000

    private static let create = Verb(
        "create",
        "Creates a database, empty and with the access of a new cluster, and waits until all nodes "
            + "that answer have it. A node that is away creates it when it returns. With --nodes or "
            + "--copies, only some nodes hold it, and the others redirect clients to these.",
        arguments: [name],
        options: [DatabasePlacementVerbs.nodes, DatabasePlacementVerbs.copies] + NodeClient.options,
        examples: [
            "hearth database create chat", "hearth database create chat --nodes n1,n2",
            "hearth database create chat --copies 2",
        ]
    ) { invocation throws(CommandError) in
        let name = try databaseName(of: invocation)
        if try DatabasePlacementVerbs.create(name, for: invocation) { return .success }
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(20)
        let probe = DatabaseProbe(showing: try NodeOptions.secret(of: invocation))
        let servers = try NodeOptions.servers(of: invocation)
        let names = try servers.firstAnswer { server throws(CommandError) in
            try probe.names(at: server, within: limit)
        }
        if names.contains(name) {
            StandardOutput.shared.print("\(name) exists already")
            return .success
        }
        try servers.firstAnswer { server throws(CommandError) in
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

    private static let yes = Option(
        flag: "yes",
        "Remove it without a confirmation. Without this, the command asks at a terminal.")

    private static let remove = Verb(
        "remove",
        "Removes a database with its data and rules, for ever, at all nodes. A node that is away "
            + "removes it when it returns. Backups stay. The name cannot be used again.",
        arguments: [name], options: [yes] + NodeClient.options,
        examples: ["hearth database remove chat", "hearth database remove chat --yes"]
    ) { invocation throws(CommandError) in
        let name = try databaseName(of: invocation)
        guard try isConfirmed(name, for: invocation) else {
            Terminal.standardError.print("nothing is removed")
            return .success
        }
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(20)
        let probe = DatabaseProbe(showing: try NodeOptions.secret(of: invocation))
        let servers = try NodeOptions.servers(of: invocation)
        try servers.firstAnswer { server throws(CommandError) in
            try probe.remove(name, at: server, within: limit)
        }
        let remaining = nodes(of: servers, probe, within: limit) { $0?.contains(name) == false }
        StandardOutput.shared.print("\(name) is removed")
        if !remaining.isEmpty {
            StandardOutput.shared.print(
                "not yet at \(remaining.map(\.location).joined(separator: ", ")): these nodes remove "
                    + "it once they reach the others")
        }
        return .success
    }

    private static func isConfirmed(
        _ name: DatabaseName, for invocation: Invocation
    ) throws(CommandError) -> Bool {
        if invocation.has(yes) { return true }
        let question = "This removes all data of the database \(name) for ever."
        return try Confirmation(question).ask(
            toType: name.text,
            otherwise: CommandError(
                .usage, "hearth database remove removes all data of the database \(name)",
                fix: "add --yes to remove it without a question"))
    }

    static func databaseName(
        of invocation: Invocation
    ) throws(CommandError) -> DatabaseName {
        if let name = DatabaseName(anyCase: invocation[name]) { return name }
        throw CommandError(
            .usage, "\(invocation[name]) is not the name of a database",
            fix:
                "use 1 to \(DatabaseName.longest) characters of a-z, 0-9 and -, not beginning with -"
        )
    }

    /// The nodes that do not have the database after some time.
    private static func lacking(
        _ name: DatabaseName, of servers: [HTTPAddress], _ probe: DatabaseProbe,
        within limit: Duration
    ) -> [HTTPAddress] {
        nodes(of: servers, probe, within: limit) { $0?.contains(name) == true }
    }

    /// The nodes whose names of databases do not satisfy a condition after some time.
    private static func nodes(
        of servers: [HTTPAddress], _ probe: DatabaseProbe, within limit: Duration,
        except isDone: ([DatabaseName]?) -> Bool
    ) -> [HTTPAddress] {
        let deadline = ContinuousClock.now + limit
        var missing = servers
        while true {
            missing.removeAll { server in
                isDone(try? probe.names(at: server, within: .seconds(2)))
            }
            if missing.isEmpty || ContinuousClock.now >= deadline { return missing }
            // Nodes do not announce a new database to this command, so it asks again.
            usleep(pauseMicroseconds)
        }
    }
}

extension DatabaseName {
    /// The database as part of a sentence.
    var subject: String { isDefault ? "the default database" : "the database \(text)" }
}
