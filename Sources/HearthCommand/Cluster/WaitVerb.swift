internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit

/// `hearth cluster wait`: waits until nodes are ready, between two restarts on other hosts.
enum WaitVerb {
    private static let nodes = Argument(
        "NODE", "The names of the nodes, such as n2; all by default.", arity: .any, values: .node)
    private static let timeout = Option(
        "timeout", "SECONDS", "How many seconds to wait at most; 120 by default.")

    static let verb = Verb(
        "wait",
        "Waits until nodes are ready, so that another node may stop. A ready node accepts writes, has "
            + "contact with all nodes that run, and holds all operations that any node held at first. "
            + "Says on standard error what it waits for. Ends with 69 and the reasons when the time is over.",
        arguments: [nodes], options: ObservedCluster.options + [timeout],
        examples: [
            "hearth cluster wait",
            "hearth cluster wait --config /etc/hearth/cluster.json5 --secret monitor.secret",
        ]
    ) { invocation throws(CommandError) in
        let cluster = try ObservedCluster(of: invocation)
        let limit = try invocation.duration(timeout) ?? .seconds(120)
        StopRequest.watch()
        try ClusterWait(for: try names(in: invocation, of: cluster), of: cluster).run(within: limit)
        return .success
    }

    private static func names(
        in invocation: Invocation, of cluster: ObservedCluster
    ) throws(CommandError) -> [String] {
        let all = cluster.nodes.map(\.id)
        let names = invocation.words(of: nodes)
        if let unknown = names.first(where: { !all.contains($0) }) {
            throw invocation.usageError(
                "cluster \(cluster.name) has no node \"\(unknown)\"",
                fix: "name one of \(all.joined(separator: ", "))")
        }
        return names.isEmpty ? all : names
    }
}
