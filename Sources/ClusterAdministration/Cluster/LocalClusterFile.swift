package import CommandLineKit

// The files of clusters whose nodes are all on this machine.

extension ClusterFile.Node {
    /// A node of this machine.
    package init(id: String, portsFrom port: Int) {
        self.init(
            id: id, client: "http://127.0.0.1:\(port)", requests: "tcp://127.0.0.1:\(port + 1)",
            updates: "tcp://127.0.0.1:\(port + 2)")
    }
}

extension ClusterFile {
    /// Nodes n1, n2, … of this machine, ten ports apart.
    package init(nodeCount: Int, basePort: Int, durability: String) {
        self.init(
            nodes: (1...nodeCount).map { "n\($0)" }, basePort: basePort, durability: durability)
    }

    /// Nodes of this machine, ten ports apart.
    package init(nodes ids: [String], basePort: Int, durability: String) {
        cluster = "local-\(basePort)"
        self.durability = durability
        nodes = ids.enumerated().map { index, id in
            Node(id: id, portsFrom: basePort + 10 * index)
        }
    }

    /// That of a folder; nil if there is none.
    ///
    /// - Throws: when there is one that cannot be read, so that it is not replaced.
    package static func known(inFolder folder: String) throws(CommandError) -> ClusterFile? {
        do throws(CommandError) {
            return try ClusterFile(inFolder: folder)
        } catch {
            if error.status == .unavailable { return nil }
            throw error
        }
    }

    package var basePort: Int? { nodes.first?.clientPort }
}

extension ClusterFile.Node {
    /// The port for clients, in front of the fingerprint of a certificate.
    package var clientPort: Int? {
        client.prefix { $0 != "#" }.split(separator: ":").last.flatMap { Int($0) }
    }
}
