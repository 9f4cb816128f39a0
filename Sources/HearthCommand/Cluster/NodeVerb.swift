internal import ClusterNode

/// `hearth node`: this process becomes one node of a cluster.
enum NodeVerb {
    static let verb = Verb(
        "node", "Runs one node of a cluster in the foreground, until Ctrl-C or SIGTERM.",
        options: [configuration, id, insecure],
        examples: ["hearth node --config configs/three-nodes.json5 --id n1"], work: run)

    private static let configuration = Option(
        "config", "FILE", "The description of the cluster, in JSON5.", values: .file)
    private static let id = Option("id", "NODE", "Which of its nodes to be, such as n1.")
    private static let insecure = Option(
        flag: "insecure",
        "Take connections from other machines, although they are neither encrypted nor checked.")

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        guard let file = invocation[configuration], let id = invocation[id] else {
            throw invocation.usageError(
                "\(invocation.name): --config and --id are both needed",
                fix: "write `hearth node --config FILE --id n1`")
        }
        let exposure = invocation.has(insecure) ? Exposure.network : .loopback
        do throws(NodeError) {
            let node = try Node(
                id, of: NodeConfiguration(contentsOf: file), exposure: exposure)
            try node.run()
            return .success
        } catch {
            throw CommandError(.unavailable, error.problem, fix: error.fix)
        }
    }
}
