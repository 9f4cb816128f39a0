internal import ClientCore
internal import ClusterConfiguration
package import CommandLineKit
internal import Sockets

extension NodeOptions {
    /// A node on this host, of the cluster in a folder or of one with a configuration file.
    ///
    /// - Throws: `.unavailable` if the node runs, or may run.
    package static func stoppedNode(
        _ id: String, for invocation: Invocation
    ) throws(CommandError) -> Restoration.Target {
        guard let file = configurationFile(of: invocation) else {
            let cluster = try Cluster(inFolder: folder(of: invocation))
            let node = try cluster.file.node(named: id)
            guard let process = cluster.process(of: node) else {
                return .init(id: id, folder: cluster.folder(of: node), cluster: cluster.file)
            }
            throw CommandError(
                .unavailable, "\(id) runs, as process \(process.pid)",
                fix: "stop the cluster with `hearth cluster down`")
        }
        let configuration = try NodeConfiguration(named: file)
        let cluster = ClusterFile(configuration)
        try requireRefusal(of: try cluster.node(named: id))
        return .init(id: id, folder: configuration.folder(of: id), cluster: cluster)
    }

    /// The nodes of a cluster with their folders, as they are on their machines.
    package static func folders(
        of invocation: Invocation
    ) throws(CommandError) -> [(node: String, folder: String)] {
        guard let file = configurationFile(of: invocation) else {
            let cluster = try Cluster(inFolder: folder(of: invocation))
            return cluster.file.nodes.map { ($0.id, cluster.folder(of: $0)) }
        }
        let configuration = try NodeConfiguration(named: file)
        return configuration.nodes.map { ($0.id, configuration.folder(of: $0.id)) }
    }

    /// Fails unless nothing listens at the address of a node: only then it does not run.
    private static func requireRefusal(of node: Cluster.Node) throws(CommandError) {
        let address: HTTPAddress
        do throws(HearthError) { address = try HTTPAddress(node: node.client) } catch {
            throw CommandError(error)
        }
        let answer = StatusProbe().answers(of: [address], within: .seconds(2))[0]
        if case .refused = answer.outcome { return }
        throw CommandError(
            .unavailable, "\(node.id) runs: \(address.location) does not refuse connections",
            fix:
                "stop it, for example with `systemctl stop hearth@\(node.id)`, and restore it on its host"
        )
    }
}
