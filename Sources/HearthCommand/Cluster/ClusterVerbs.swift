internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc

/// `hearth cluster`: the nodes of this machine.
enum ClusterVerbs {
    static let verb = Verb(
        "cluster",
        "Runs a cluster of nodes on this machine, and shows the state of any cluster.",
        verbs: [
            ClusterUp.verb, down, ClusterStatus.verb, ClusterDoctor.verb, start, stop, kill,
            pause, resume, RestartVerbs.restart, RestartVerbs.upgrade, WaitVerb.verb,
            MemberVerbs.add, MemberVerbs.remove, EvictVerb.verb, ClusterLogs.verb,
        ],
        examples: [
            "hearth cluster up --nodes 3 --detach", "hearth cluster status",
            "hearth cluster kill n2",
        ])

    private static let nodes = Argument(
        "NODE", "The names of the nodes, such as n2.", arity: .repeated, values: .node)
    static let grace = Option(
        "grace", "SECONDS",
        "How many seconds nodes may take to stop before they are killed; 10 by default.")

    private static let down = Verb(
        "down", "Stops all nodes cleanly. Kills those that do not stop in time.",
        options: Cluster.options + [grace], examples: ["hearth cluster down"]
    ) { invocation throws(CommandError) in
        let cluster = try Cluster(of: invocation)
        let grace = try invocation.duration(grace) ?? .seconds(10)
        try stop(cluster.file.nodes, of: cluster, within: grace)
        return .success
    }

    private static let stop = Verb(
        "stop", "Stops the named nodes cleanly. The others continue.",
        arguments: [nodes], options: Cluster.options + [grace],
        examples: ["hearth cluster stop n2"]
    ) { invocation throws(CommandError) in
        let grace = try invocation.duration(grace) ?? .seconds(10)
        return try forEachNode(of: invocation) { node, cluster throws(CommandError) in
            guard cluster.process(of: node) != nil else { throw notRunning(node, cluster) }
            try stop([node], of: cluster, within: grace)
        }
    }

    /// Stops nodes, and prints the outcome of each.
    ///
    /// - Throws: if a node runs all the same.
    static func stop(
        _ nodes: [Cluster.Node], of cluster: Cluster, within grace: Duration
    ) throws(CommandError) {
        cluster.stop(nodes, within: grace) { node, outcome in
            StandardOutput.shared.print("\(node.id) \(outcome.text)")
        }
        let names = nodes.map(\.id)
        let statuses = try ObservedCluster(cluster).statuses()
        guard let left = statuses.first(where: { names.contains($0.node.id) && $0.answers }) else {
            return
        }
        let port = left.node.address.port
        throw CommandError(
            .unavailable, "\(left.node.id) still answers at \(left.node.address.location)",
            fix: "end its process as the user who started it; `ss -ltnp sport = :\(port)` names it")
    }

    private static let kill = Verb(
        "kill",
        "Ends the processes of nodes at once (SIGKILL). Data that the system has written "
            + "stay: this is not a power failure.",
        arguments: [nodes],
        options: Cluster.options, examples: ["hearth cluster kill n2"]
    ) { invocation throws(CommandError) in
        try forEachNode(of: invocation) { node, cluster throws(CommandError) in
            guard let process = cluster.kill(node) else { throw notRunning(node, cluster) }
            StandardOutput.shared.print("\(node.id) killed (process \(process.pid))")
        }
    }

    private static let startedNodes = Argument(
        "NODE", "The names of the nodes, such as n2.", arity: .repeated, values: .node,
        alternative: "`hearth cluster up --detach` to start all nodes")
    private static let start = Verb(
        "start",
        "Starts nodes that were stopped or killed, and waits until they serve. "
            + "`hearth cluster up --detach` starts all nodes of the cluster.",
        arguments: [startedNodes], options: Cluster.options + [NodeOptions.secret],
        examples: ["hearth cluster start n2"]
    ) { invocation throws(CommandError) in
        StopRequest.watch()
        return try forEachNode(of: invocation) { node, cluster throws(CommandError) in
            if let process = cluster.process(of: node) {
                throw CommandError(
                    .unavailable, "\(node.id) already runs, as process \(process.pid)",
                    fix: "stop it first with `hearth cluster stop \(node.id)`")
            }
            try ClusterStart(cluster: cluster).start([node])
            StandardOutput.shared.print("\(node.id) serves at \(node.client)")
        }
    }

    private static let pause = Verb(
        "pause", "Suspends the processes of nodes (SIGSTOP), as if their machines hung.",
        arguments: [nodes], options: Cluster.options, examples: ["hearth cluster pause n2"]
    ) { invocation throws(CommandError) in
        try signalNodes(of: invocation, SIGSTOP, "paused")
    }

    private static let resume = Verb(
        "resume", "Resumes suspended nodes (SIGCONT).", arguments: [nodes],
        options: Cluster.options, examples: ["hearth cluster resume n2"]
    ) { invocation throws(CommandError) in
        try signalNodes(of: invocation, SIGCONT, "resumed")
    }

    private static func signalNodes(
        of invocation: Invocation, _ signal: Int32, _ done: String
    ) throws(CommandError) -> ExitStatus {
        try forEachNode(of: invocation) { node, cluster throws(CommandError) in
            guard let process = cluster.process(of: node), process.send(signal) else {
                throw notRunning(node, cluster)
            }
            StandardOutput.shared.print("\(node.id) \(done) (process \(process.pid))")
        }
    }

    /// Looks up all names before it acts on any node.
    private static func forEachNode(
        of invocation: Invocation,
        _ body: (Cluster.Node, Cluster) throws(CommandError) -> Void
    ) throws(CommandError) -> ExitStatus {
        let cluster = try Cluster(of: invocation)
        var named: [Cluster.Node] = []
        for id in invocation.words(of: invocation.verb.arguments[0]) {
            named.append(try cluster.file.node(named: id))
        }
        for node in named { try body(node, cluster) }
        return .success
    }

    private static func notRunning(_ node: Cluster.Node, _ cluster: Cluster) -> CommandError {
        CommandError(
            .unavailable, "\(node.id) does not run",
            fix: "start it with `hearth cluster start \(node.id) --dir \(cluster.folder)`")
    }
}

extension Cluster.StopOutcome {
    var text: String {
        switch self {
        case .stopped(let process): "stopped (process \(process.pid))"
        case .killed(let process): "did not stop in time and was killed (process \(process.pid))"
        case .wasNotRunning: "was not running"
        case .stillRuns(let process): "still runs (process \(process.pid))"
        }
    }
}
