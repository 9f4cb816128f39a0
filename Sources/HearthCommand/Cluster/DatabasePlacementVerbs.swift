internal import ClusterAdministration
internal import CommandLineKit
internal import SyncProtocol

/// `hearth database move`, and the placement of `hearth database create`.
enum DatabasePlacementVerbs {
    static let nodes = Option(
        "nodes", "NODES",
        "The nodes that hold the database, such as n1,n2. By default all nodes do.")
    static let copies = Option(
        "copies", "COUNT", "How many nodes hold the database: those that hold the fewest.")
    private static let newNodes = Option(
        "nodes", "NODES", "The nodes that hold the database afterwards, such as n2,n3.")
    private static let cancel = Option(
        flag: "cancel",
        "Give up a move that has begun: the nodes of before serve the database again.")
    private static let timeout = Option(
        "timeout", "SECONDS", "How many seconds the nodes may take for each step; 60 by default.")

    static let move = Verb(
        "move",
        "Moves a database to other nodes. Meanwhile no node serves it, which takes some seconds, or as long "
            + "as its data need to be copied. Then clients are redirected to the new nodes. All nodes of both "
            + "placements must run. A move that was interrupted goes on when the command is repeated.",
        arguments: [DatabaseVerbs.name],
        options: [newNodes, cancel, timeout] + ObservedCluster.options,
        examples: [
            "hearth database move chat --nodes n2,n3", "hearth database move chat --cancel",
        ]
    ) { invocation throws(CommandError) in
        let name = try DatabaseVerbs.databaseName(of: invocation)
        let step = try databaseMove(of: name, for: invocation)
        if invocation.has(cancel) {
            let late = try step.cancel()
            StandardOutput.shared.print("the move of \(name) is given up")
            report(late: late)
            return .success
        }
        guard let targets = try targets(of: invocation) else {
            throw invocation.usageError(
                "no nodes are named", fix: "name them, as in --nodes n2,n3, or give --cancel")
        }
        let late = try step.run(to: targets) { Terminal.standardError.print($0) }
        let list = targets.joined(separator: ", ")
        StandardOutput.shared.print(
            late == nil ? "\(name) is already on \(list)" : "\(name) is on \(list)")
        report(late: late ?? [])
        return .success
    }

    /// Creates a database on the nodes that an invocation names; returns false if it names none.
    static func create(
        _ name: DatabaseName, for invocation: Invocation
    ) throws(CommandError) -> Bool {
        let cluster: ObservedCluster
        let targets: [String]
        guard
            invocation[nodes] == nil && invocation[copies] == nil
                || invocation.values(of: NodeOptions.node).isEmpty
        else {
            throw invocation.usageError(
                "--node names some nodes, and a placement needs the list of all",
                fix: "name the cluster with --dir or --config, and leave out --node")
        }
        if let named = try self.targets(of: invocation) {
            guard invocation[copies] == nil else {
                throw invocation.usageError(
                    "--nodes and --copies are both given", fix: "use one of them")
            }
            (cluster, targets) = (try ObservedCluster(of: invocation), named)
        } else if let count = try invocation.integer(copies, in: 1...64) {
            cluster = try ObservedCluster(of: invocation)
            targets = try emptiest(count, of: cluster, for: invocation)
        } else {
            return false
        }
        let late = try databaseMove(of: name, for: invocation).create(on: targets)
        StandardOutput.shared.print("\(name) is created on \(targets.joined(separator: ", "))")
        report(late: late)
        return true
    }

    /// Prints which nodes do not know a placement yet.
    private static func report(late nodes: [String]) {
        if nodes.isEmpty { return }
        StandardOutput.shared.print(
            "not yet at \(nodes.joined(separator: ", ")): these nodes follow once they reach the others"
        )
    }

    private static func databaseMove(
        of name: DatabaseName, for invocation: Invocation
    ) throws(CommandError) -> DatabaseMove {
        DatabaseMove(
            of: name, in: try ObservedCluster(of: invocation),
            DatabaseProbe(showing: try NodeOptions.secret(of: invocation)),
            within: try invocation.duration(timeout) ?? .seconds(60))
    }

    /// The nodes that an invocation names; nil without some.
    private static func targets(of invocation: Invocation) throws(CommandError) -> [String]? {
        guard let text = invocation[nodes] else { return nil }
        let names = text.split(separator: ",").map(String.init)
        guard !names.isEmpty, Set(names).count == names.count else {
            throw invocation.usageError(
                "--nodes \(text) names no nodes, or one twice", fix: "use a list such as n1,n2")
        }
        return names.sorted()
    }

    /// The nodes that hold the fewest databases.
    private static func emptiest(
        _ count: Int, of cluster: ObservedCluster, for invocation: Invocation
    ) throws(CommandError) -> [String] {
        let nodes = cluster.nodes
        guard count <= nodes.count else {
            throw invocation.usageError(
                "the cluster has \(nodes.count) nodes", fix: "use a number from 1 to \(nodes.count)"
            )
        }
        let counts = cluster.statuses().map { ($0.node.id, $0.report?.process?.databases) }
        let used = try counts.map { id, databases throws(CommandError) in
            guard let databases else {
                throw CommandError(
                    .unavailable, "\(id) does not answer",
                    fix: "start it, or name nodes with --nodes")
            }
            return (id: id, databases: databases)
        }
        return used.sorted { ($0.databases, $0.id) < ($1.databases, $1.id) }
            .prefix(count).map(\.id).sorted()
    }
}
