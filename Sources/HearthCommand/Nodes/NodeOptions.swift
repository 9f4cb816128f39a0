/// The options by which every verb names the nodes that it talks to.
enum NodeOptions {
    static let node = Option(
        "node", "NODE",
        "A node's address (tcp://127.0.0.1:7001) or its name in the cluster of --dir (n2). "
            + "May be repeated: the others are tried when one does not answer. "
            + "Without it, every node of the cluster is tried in turn.")
    static let folder = Option(
        "dir", "DIR",
        "The cluster's folder, as given to `hearth cluster up`; "
            + "otherwise HEARTH_DIR of the environment, or .hearth.", values: .folder)

    static let all = [node, folder]

    /// The folder that the command line, the environment or the default names.
    static func folder(of invocation: Invocation) -> String {
        invocation[folder] ?? environment("HEARTH_DIR") ?? ".hearth"
    }

    /// The addresses to try, in order; at least one.
    ///
    /// - Throws: when a name must be looked up and there is no such cluster or node.
    static func addresses(of invocation: Invocation) throws(CommandError) -> [String] {
        let names = invocation.values(of: node)
        if names.isEmpty {
            return try ClusterFile(inFolder: folder(of: invocation)).nodes.map(\.client)
        }
        var addresses: [String] = []
        for name in names {
            if name.contains("://") {
                addresses.append(try checked(name, invocation))
            } else {
                let cluster = try ClusterFile(inFolder: folder(of: invocation))
                addresses.append(try cluster.node(named: name).client)
            }
        }
        return addresses
    }

    /// An address that may be one of a node; others would only seem to be unreachable.
    private static func checked(
        _ address: String, _ invocation: Invocation
    ) throws(CommandError) -> String {
        let host = address.dropFirst("tcp://".count)
        let parts = host.split(separator: ":", omittingEmptySubsequences: false)
        guard address.hasPrefix("tcp://"), parts.count >= 2, !parts[0].isEmpty,
            let port = parts.last.flatMap({ UInt16($0) }), port > 0
        else {
            throw invocation.usageError(
                "--\(node.name) \(address): not the address of a node",
                fix: "write tcp://HOST:PORT, for example tcp://127.0.0.1:7001")
        }
        return address
    }
}
