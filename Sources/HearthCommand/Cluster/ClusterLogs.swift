internal import Glibc

/// `hearth cluster logs`: what the nodes have said.
enum ClusterLogs {
    static let verb = Verb(
        "logs", "Shows what a node, or all of them, have said.", arguments: [node],
        options: [NodeOptions.folder, follow],
        examples: ["hearth cluster logs n2", "hearth cluster logs --follow"], work: run)

    private static let node = Argument("NODE", "The name of a node, such as n2.", arity: .optional)
    private static let follow = Option(flag: "follow", "Go on with what they say, until Ctrl-C.")

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        let cluster = try Cluster(inFolder: NodeOptions.folder(of: invocation))
        var nodes = cluster.file.nodes
        if let id = invocation.words(of: node).first { nodes = [try cluster.file.node(named: id)] }
        var logs = LogView(of: nodes, in: cluster)
        logs.printNewLines()
        guard invocation.has(follow) else { return .success }
        StopRequest.watch()
        while !StopRequest.isThere {
            logs.printNewLines()
            usleep(100_000)
        }
        return .success
    }
}
