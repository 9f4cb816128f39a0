internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit

/// `hearth cluster add` and `hearth cluster remove`: changes which nodes make up the cluster of a folder.
enum MemberVerbs {
    private static let newNode = Argument(
        "NODE", "The name of the new node; by default the next one, such as n4.", arity: .optional)
    private static let oldNode = Argument(
        "NODE", "The node to remove, such as n3.", values: .node)
    private static let force = Option(
        flag: "force", "Remove it even if the others may lack operations that only it holds.")

    static let add = Verb(
        "add",
        "Adds a node to the cluster. The node fetches the data from its peers. All nodes stop "
            + "for a moment and start with the new list, because two lists at once could count two "
            + "majorities.",
        arguments: [newNode], options: [NodeOptions.folder],
        examples: ["hearth cluster add", "hearth cluster add n4"]
    ) { invocation throws(CommandError) in
        let cluster = try Cluster(inFolder: NodeOptions.folder(of: invocation))
        let node = try cluster.file.newNode(named: invocation.words(of: newNode).first)
        try cluster.checkPorts(of: node)
        var list = cluster.file
        list.nodes.append(node)
        let change = try MemberChange(of: cluster)
        defer { change.end() }
        let isRunning = try change.apply(list)
        StandardOutput.shared.print(
            isRunning
                ? "\(node.id) serves at \(node.client)"
                : "\(node.id) is listed at \(node.client); `hearth cluster up` starts all nodes")
        return .success
    }

    static let remove = Verb(
        "remove",
        "Removes a node from the cluster, once the others hold all its data, of all databases. "
            + "Its folder stays. All nodes stop for a moment, and the others start with the new list.",
        arguments: [oldNode], options: [NodeOptions.folder, force],
        examples: ["hearth cluster remove n3"]
    ) { invocation throws(CommandError) in
        let cluster = try Cluster(inFolder: NodeOptions.folder(of: invocation))
        let node = try cluster.file.node(named: invocation[oldNode])
        var list = cluster.file
        list.nodes.removeAll { $0.id == node.id }
        guard !list.nodes.isEmpty else {
            throw CommandError(
                .usage, "\(node.id) is the only node of \(cluster.folder)",
                fix: "stop the cluster with `hearth cluster down`, and delete its folder")
        }
        let change = try MemberChange(of: cluster)
        defer { change.end() }
        let drain = NodeDrain(of: node, in: cluster)
        if invocation.has(force) { try drain.requireOtherCopies() } else { try drain.run() }
        _ = try change.apply(list)
        StandardOutput.shared.print(
            "\(node.id) is removed; its data is still in \(cluster.folder(of: node))")
        return .success
    }
}

extension ClusterFile {
    /// A node that is not in the list yet, with ports behind those of the listed nodes.
    ///
    /// - Throws: a usage error for a name that is taken or cannot be one.
    func newNode(named name: String?) throws(CommandError) -> Node {
        let numbers = nodes.compactMap { $0.id.hasPrefix("n") ? Int($0.id.dropFirst()) : nil }
        let id = name ?? "n\((numbers.max() ?? 0) + 1)"
        do throws(NodeError) {
            try NodeConfiguration.Member.check(name: id)
        } catch {
            throw CommandError(.usage, error.problem, fix: error.fix)
        }
        if nodes.contains(where: { $0.id == id }) {
            throw CommandError(
                .usage, "the cluster already has a node \(id)", fix: "choose another name")
        }
        let ports = nodes.compactMap(\.clientPort)
        let port = (ports.max() ?? 6991) + 10
        guard port + 2 <= 65535 else {
            throw CommandError(
                .unavailable, "there are no ports left above those of the last node",
                fix: "start a new cluster with a lower --base-port")
        }
        return Node(id: id, portsFrom: port)
    }
}

/// A change of the list of nodes: all stop, and then those that ran and are listed start again, with the
/// new ones.
struct MemberChange {
    private let cluster: Cluster
    private let running: [Cluster.Node]
    private let mark: ClusterChange

    /// - Throws: when another process changes the list, or a stop would lose the nodes' data.
    init(of cluster: Cluster) throws(CommandError) {
        self.cluster = cluster
        running = cluster.file.nodes.filter { cluster.process(of: $0) != nil }
        if cluster.file.durability == "memory", !running.isEmpty {
            throw CommandError(
                .unavailable,
                "the list of nodes changes while no node runs, and \(cluster.folder) has its data in "
                    + "memory alone",
                fix: "`hearth export` the data, and `hearth import` it into a new cluster")
        }
        mark = try ClusterChange(of: cluster)
        StopRequest.watch()
    }

    /// Lets other processes change the list again.
    func end() { mark.end() }

    /// Returns whether nodes run with the new list; if none ran before, it is only written.
    ///
    /// - Throws: why a node did not start; the nodes then run with the old list.
    func apply(_ list: ClusterFile) throws(CommandError) -> Bool {
        stop(running)
        let changed = try Cluster(creating: list, inFolder: cluster.folder)
        if running.isEmpty { return false }
        let starting = list.nodes.filter { node in
            running.contains { $0.id == node.id }
                || !cluster.file.nodes.contains { $0.id == node.id }
        }
        do throws(CommandError) {
            try ClusterStart(cluster: changed).start(starting)
            return true
        } catch {
            throw CommandError(
                error.status, "\(error.problem); \(try undo())", fix: error.fix)
        }
    }

    /// Stops nodes, and reports those that had to be killed: their acknowledged operations are on their disks.
    private func stop(_ nodes: [Cluster.Node]) {
        cluster.stop(nodes, within: .seconds(10)) { node, outcome in
            if case .killed = outcome {
                Terminal.standardError.print("\(node.id) \(outcome.text)")
            }
        }
    }

    /// Restores the old list, and reports that.
    private func undo() throws(CommandError) -> String {
        let old = try Cluster(creating: cluster.file, inFolder: cluster.folder)
        if StopRequest.isThere { return "the list is unchanged, and no node runs" }
        try ClusterStart(cluster: old).start(running)
        return "the nodes run again with the old list"
    }
}
