internal import Glibc

/// `hearth cluster up`: starts all nodes of a cluster, new or as it was.
enum ClusterUp {
    static let verb = Verb(
        "up",
        "Starts a cluster and shows its logs until Ctrl-C, or returns once it serves (--detach).",
        options: [nodeCount, NodeOptions.folder, basePort, durability, detach],
        examples: [
            "hearth cluster up",
            "hearth cluster up --nodes 5 --base-port 8000 --durability interval --detach",
        ], work: run)

    private static let nodeCount = Option(
        "nodes", "NUMBER", "How many nodes; 3, or as many as the folder's cluster had.")
    private static let basePort = Option(
        "base-port", "PORT",
        "Node k takes clients at port PORT + 10 (k - 1), and uses the two ports after it; 7001.")
    private static let durability = Option(
        "durability", "MODE",
        "When a write counts as done: commit (on disk), interval (on disk within a second) or "
            + "memory (never on disk); commit.",
        values: .oneOf(["commit", "interval", "memory"]))
    private static let detach = Option(
        flag: "detach", "Return when all nodes serve and know each other; they run on.")

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let folder = NodeOptions.folder(of: invocation)
        let cluster = try Cluster(creating: description(for: invocation), inFolder: folder)
        StopRequest.watch()
        return invocation.has(detach) ? try startDetached(cluster) : try startAttached(cluster)
    }

    private static func startDetached(_ cluster: Cluster) throws(CommandError) -> ExitStatus {
        try ClusterStart(cluster: cluster).start(cluster.file.nodes)
        printAddresses(of: cluster)
        return .success
    }

    private static func startAttached(_ cluster: Cluster) throws(CommandError) -> ExitStatus {
        let nodes = cluster.file.nodes
        var logs = LogView(of: nodes, in: cluster)
        logs.skipToEnd()
        defer { logs.printNewLines() }
        try ClusterStart(cluster: cluster).start(nodes) { logs.printNewLines() }
        printAddresses(of: cluster)
        while !StopRequest.isThere {
            logs.printNewLines()
            guard nodes.contains(where: { cluster.process(of: $0) != nil }) else {
                throw CommandError(
                    .unavailable, "all nodes have ended",
                    fix: "see their logs above, then start again")
            }
            usleep(100_000)
        }
        cluster.stop(nodes, within: .seconds(10)) { _, _ in }
        return .success
    }

    private static func printAddresses(of cluster: Cluster) {
        for node in cluster.file.nodes { StandardOutput.shared.print("\(node.id) \(node.client)") }
        StandardOutput.shared.flush()
    }
}

// MARK: - The cluster's description

extension ClusterUp {
    /// What the options say; where they say nothing, what the folder's cluster was.
    private static func description(
        for invocation: Invocation
    ) throws(CommandError) -> ClusterFile {
        let known = try? ClusterFile(inFolder: NodeOptions.folder(of: invocation))
        let nodeCount = try invocation.integer(nodeCount, in: 1...99) ?? known?.nodes.count ?? 3
        let basePort = try invocation.integer(basePort, in: 1...65533) ?? known?.basePort ?? 7001
        let lastPort = basePort + 10 * (nodeCount - 1) + 2
        guard lastPort <= 65535 else {
            throw invocation.usageError(
                "\(nodeCount) nodes from port \(basePort) on would need ports up to \(lastPort)",
                fix: "choose a lower --base-port, or fewer --nodes")
        }
        return ClusterFile(
            nodeCount: nodeCount, basePort: basePort,
            durability: invocation[durability] ?? known?.durability ?? "commit")
    }
}

extension ClusterFile {
    /// Nodes n1, n2, … of this machine, ten ports apart.
    init(nodeCount: Int, basePort: Int, durability: String) {
        cluster = "local-\(basePort)"
        self.durability = durability
        nodes = (0..<nodeCount).map { index in
            let port = basePort + 10 * index
            return Node(
                id: "n\(index + 1)", client: "tcp://127.0.0.1:\(port)",
                requests: "tcp://127.0.0.1:\(port + 1)", updates: "tcp://127.0.0.1:\(port + 2)")
        }
    }

    fileprivate var basePort: Int? {
        nodes.first?.client.split(separator: ":").last.flatMap { Int($0) }
    }
}
