internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import Sockets

/// `hearth cluster up`: starts all nodes of a cluster, new or as it was. One without secrets and tokens is an emulator.
enum ClusterUp {
    static let verb = Verb(
        "up",
        "Starts a cluster on this machine. Shows its logs until Ctrl-C, or returns once it "
            + "serves (--detach).",
        options: [nodeCount, NodeOptions.folder, basePort, NodeOptions.durability, origin, detach],
        examples: [
            "hearth cluster up",
            "hearth cluster up --nodes 5 --base-port 8000 --durability interval --detach",
            "hearth cluster up --origin https://app.example.com",
        ], work: run)

    private static let nodeCount = Option(
        "nodes", "NUMBER",
        "The number of nodes of a new cluster; 3 by default. Change it later with `hearth "
            + "cluster add`."
    )
    private static let basePort = Option(
        "base-port", "PORT",
        "The port for clients of node k is PORT + 10 (k - 1). The node also uses the two "
            + "ports after it. 7001 by default.")
    private static let origin = Option(
        "origin", "ORIGIN",
        "Permit web pages of this origin, such as https://app.example.com, beside pages of "
            + "this machine. The cluster stores it. May be repeated.")
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
        var session = AttachedCluster(cluster)
        try session.start()
        printAddresses(of: cluster)
        try session.follow()
        return StopRequest.exitStatus
    }

    private static func printAddresses(of cluster: Cluster) {
        for node in cluster.file.nodes { StandardOutput.shared.print("\(node.id) \(node.client)") }
        StandardOutput.shared.flush()
        guard let first = cluster.file.nodes.first, let address = HTTPAddress(first.client) else {
            return
        }
        ClientHints(address: address).print(of: first.id)
        EmulatorNotice(of: cluster, at: address).print()
    }
}

// MARK: - The cluster's description

extension ClusterUp {
    /// The description by the options, and by the folder's cluster where they are left out.
    private static func description(
        for invocation: Invocation
    ) throws(CommandError) -> ClusterFile {
        let folder = NodeOptions.folder(of: invocation)
        let known = try ClusterFile.known(inFolder: folder)
        let wantedCount = try invocation.integer(nodeCount, in: 1...99)
        let wantedPort = try invocation.integer(basePort, in: 1...65533)
        if let known, let wantedCount, wantedCount != known.nodes.count {
            throw invocation.usageError(
                "\(folder) has a cluster of \(known.nodes.count) nodes, not \(wantedCount)",
                fix:
                    "add or remove nodes with `hearth cluster add` and `hearth cluster remove`, or "
                    + "choose another --dir")
        }
        let ids = known?.nodes.map(\.id) ?? (1...(wantedCount ?? 3)).map { "n\($0)" }
        let origins = try invocation.values(of: origin).map { text throws(CommandError) in
            try checkedOrigin(text, invocation)
        }
        let basePort = wantedPort ?? known?.basePort ?? 7001
        let lastPort = basePort + 10 * (ids.count - 1) + 2
        guard lastPort <= 65535 else {
            throw invocation.usageError(
                "\(ids.count) nodes from port \(basePort) on would need ports up to \(lastPort)",
                fix: "choose a lower --base-port, or fewer --nodes")
        }
        let durability = invocation[NodeOptions.durability] ?? known?.durability ?? "commit"
        let anew = ClusterFile(nodes: ids, basePort: basePort, durability: durability)
        var file = known ?? anew
        file.durability = durability
        // Removed nodes leave gaps between the ports of the others.
        if let wantedPort, wantedPort != known?.basePort {
            (file.cluster, file.nodes) = (anew.cluster, anew.nodes)
        }
        file.permit(origins)
        file.becomeEmulator()
        if known == nil { file.createDatabases() }
        return file
    }

    private static func checkedOrigin(
        _ text: String, _ invocation: Invocation
    ) throws(CommandError) -> String {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let isOrigin =
            parts.count == 2 && ["http", "https"].contains(parts[0]) && !parts[1].isEmpty
            && !parts[1].contains("/")
        if isOrigin || text == "null" { return text }
        throw invocation.usageError(
            "--\(origin.name) \(text): not an origin",
            fix: "give the scheme, the host and maybe a port: https://app.example.com:8443")
    }
}
