internal import ClusterAdministration
internal import CommandLineKit

/// `hearth cluster restart` and `hearth cluster upgrade`: stops and starts the nodes of this machine.
enum RestartVerbs {
    private static let nodes = Argument(
        "NODE", "The names of the nodes, such as n2; all by default.", arity: .any, values: .node)
    private static let rolling = Option(
        flag: "rolling",
        "Restart one node after the other, while the others serve. Otherwise all stop before one starts."
    )
    private static let program = Option(
        "program", "FILE", "The program `hearth` of the other version; by default this one.",
        values: .file)
    private static let timeout = Option(
        "timeout", "SECONDS",
        "How many seconds a node may take to serve, to have contact with all others and to catch up; "
            + "120 by default.")
    private static let options =
        Cluster.options + [timeout, ClusterVerbs.grace, NodeOptions.secret, NodeOptions.token]

    static let restart = Verb(
        "restart",
        "Restarts nodes of this machine, for example after a change of the configuration. With "
            + "--rolling, it first checks the configuration. It waits after each node until all nodes "
            + "have contact and hold the same operations, and stops at the first node that does not return.",
        arguments: [nodes], options: [rolling] + options,
        examples: ["hearth cluster restart --rolling", "hearth cluster restart n2"]
    ) { invocation throws(CommandError) in
        let cluster = try Cluster(of: invocation)
        let named = try named(in: invocation, of: cluster)
        let change = try ClusterChange(of: cluster)
        defer { change.end() }
        StopRequest.watch()
        guard invocation.has(rolling) else {
            let grace = try invocation.duration(ClusterVerbs.grace) ?? .seconds(10)
            try ClusterVerbs.stop(named, of: cluster, within: grace)
            try ClusterStart(cluster: cluster).start(named)
            for node in named { StandardOutput.shared.print("\(node.id) serves at \(node.client)") }
            return .success
        }
        try rollingRestart(of: cluster, for: invocation).run(named, report: report)
        return .success
    }

    static let upgrade = Verb(
        "upgrade",
        "Restarts the nodes of this machine one after the other with another program, as "
            + "`restart --rolling` does. Nodes that already run it continue. There is no way back: an "
            + "older version may not read the files of a newer one.",
        arguments: [nodes], options: [program] + options,
        examples: [
            "hearth cluster upgrade",
            "hearth cluster upgrade --program /opt/hearth-next/bin/hearth",
        ]
    ) { invocation throws(CommandError) in
        if let program = invocation[program] { try RollingRestart.requireProgram(program) }
        let cluster = try Cluster(of: invocation)
        let named = try named(in: invocation, of: cluster)
        let change = try ClusterChange(of: cluster)
        defer { change.end() }
        StopRequest.watch()
        let restart = try rollingRestart(of: cluster, for: invocation, as: invocation[program])
        let outdated = named.filter { !restart.isCurrent($0) }
        for node in named where !outdated.contains(node) {
            StandardOutput.shared.print("\(node.id) already runs this program")
        }
        try restart.run(outdated, report: report)
        return .success
    }

    private static func named(
        in invocation: Invocation, of cluster: Cluster
    ) throws(CommandError) -> [Cluster.Node] {
        let names = invocation.words(of: nodes)
        guard !names.isEmpty else { return cluster.file.nodes }
        return try names.map { name throws(CommandError) in try cluster.file.node(named: name) }
    }

    private static func rollingRestart(
        of cluster: Cluster, for invocation: Invocation, as program: String? = nil
    ) throws(CommandError) -> RollingRestart {
        RollingRestart(
            of: cluster, try ObservedCluster(cluster), as: program,
            patience: try invocation.duration(timeout) ?? .seconds(120),
            grace: try invocation.duration(ClusterVerbs.grace) ?? .seconds(10))
    }

    private static func report(_ node: Cluster.Node, after duration: Duration) {
        let milliseconds = Int(duration / .milliseconds(1))
        StandardOutput.shared.print(
            "\(node.id) is ready again after \(milliseconds / 1000).\(milliseconds / 100 % 10) s")
        StandardOutput.shared.flush()
    }
}
