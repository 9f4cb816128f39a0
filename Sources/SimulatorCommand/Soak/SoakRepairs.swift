internal import ClusterAdministration
internal import CommandLineKit

/// The operations that the nodes of a soak received by repair, over all their incarnations.
///
/// The counters of a node end with its process, so they are read before a kill; repairs in between are not
/// counted.
struct SoakRepairs: CustomStringConvertible {
    private var operations = 0
    private var bytes = 0
    private var checkpoints = 0

    /// Adds the repairs of nodes whose processes end now.
    mutating func add(incarnationsOf nodes: [Cluster.Node], of cluster: Cluster)
        throws(CommandError)
    {
        let names = Set(nodes.map(\.id))
        let statuses = try ObservedCluster(cluster).statuses(within: .milliseconds(500))
        for status in statuses where names.contains(status.node.id) {
            guard let exchange = status.report?.exchange else { continue }
            operations += exchange.repaired
            bytes += exchange.repairedBytes
            checkpoints += exchange.installedCheckpoints
        }
    }

    var description: String {
        "repaired \(operations) operations (\(bytes) bytes), and \(checkpoints) times by a checkpoint"
    }
}
