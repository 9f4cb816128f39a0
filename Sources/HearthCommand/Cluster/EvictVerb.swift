internal import ClusterNode

/// `hearth cluster evict`: a cluster goes on without a member that is gone.
enum EvictVerb {
    private static let member = Argument("NODE", "The node that is gone, such as n3.")

    static let verb = Verb(
        "evict",
        "Has the cluster go on without a node that is gone: the others no longer wait for it. "
            + "More than half of all nodes must be there. When the node comes back, it takes over "
            + "the others' data, and does again what it alone had.",
        arguments: [member], options: NodeClient.options,
        examples: ["hearth cluster evict n3", "hearth cluster evict n3 --node n1"]
    ) { invocation throws(CommandError) in
        let name = invocation.words(of: member)[0]
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(5)
        let probe = try StatusProbe(for: invocation)
        var failure: NodeError?
        // The node itself knows no such peer, and a node that is gone does not answer.
        for server in try NodeOptions.servers(of: invocation) {
            do throws(NodeError) {
                try probe.evict(name, at: server, within: limit)
                StandardOutput.shared.print(
                    "\(name) is out once more than half of all nodes know; "
                        + "`hearth cluster status` tells")
                return .success
            } catch {
                failure = error
            }
        }
        throw CommandError(
            .unavailable, failure?.problem ?? "there is no node", fix: failure?.fix ?? "name one")
    }
}
