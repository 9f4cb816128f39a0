internal import CRuntime
internal import ClusterAdministration
internal import ClusterConfiguration
internal import ClusterNode
internal import CommandLineKit
internal import Glibc

/// `hearth node`: this process becomes one node of a cluster.
enum NodeVerb {
    static let verb = Verb(
        "node", "Runs one node of a cluster in the foreground, until Ctrl-C or SIGTERM.",
        options: [configuration, id, key, insecure, record, parent, console],
        examples: [
            "hearth node --config configs/three-nodes.json5 --id n1",
            "hearth node --config /etc/hearth/cluster.json5 --id n1 --key /etc/hearth/n1.key",
        ], work: run)

    private static let configuration = Option(
        "config", "FILE", "The configuration of the cluster, in JSON5.", values: .file)
    private static let id = Option("id", "NODE", "The name of the node to run, such as n1.")
    private static let key = Option(
        "key", "FILE", "The secret key of the node, a file that `hearth keys new` has made.",
        values: .file)
    private static let insecure = Option(
        flag: "insecure",
        "Start even if other machines can reach the node without encryption or "
            + "authentication.")

    private static let record = Option(
        "record", "FOLDER",
        "Record each turn of the node in a file of that folder, for the checks of `hearth "
            + "soak`.",
        values: .file)

    private static let parent = Option(
        "parent", "PID", "End with this process, which must be the one that started the node.")

    private static let console = Option(
        "console", "FOLDER",
        "Serve the files of the console from that folder, such as Sources/CConsole/web, to work on them.",
        values: .file)

    private static func run(_ invocation: Invocation) throws(CommandError) -> ExitStatus {
        guard let file = invocation[configuration], let id = invocation[id] else {
            throw invocation.usageError(
                "\(invocation.name): --config and --id are both needed",
                fix: "write `hearth node --config FILE --id n1`")
        }
        if let parent = try invocation.integer(parent, in: 1...Int(pid_t.max)) {
            guard hearth_end_with_parent(pid_t(parent)) else {
                throw CommandError(
                    .unavailable,
                    "--parent \(parent): that process did not start this one, or is gone",
                    fix: "leave out --parent to run a node by itself")
            }
        }
        let exposure = invocation.has(insecure) ? Exposure.network : .loopback
        let keys = try invocation[key].map(KeysVerb.keys)
        do throws(NodeError) {
            let node = try Node(
                id, of: NodeConfiguration(contentsOf: file), keys: keys, exposure: exposure,
                records: invocation[record], consoleFolder: invocation[console])
            try node.run()
            return .success
        } catch {
            throw CommandError(.unavailable, error.problem, fix: error.fix)
        }
    }
}
