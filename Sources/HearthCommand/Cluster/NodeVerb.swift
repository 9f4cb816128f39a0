internal import CRuntime
internal import ClusterAdministration
internal import ClusterConfiguration
internal import ClusterNode
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import Sockets

/// `hearth node`: this process becomes one node of a cluster.
enum NodeVerb {
    static let verb = Verb(
        "node", "Runs one node of a cluster in the foreground, until Ctrl-C or SIGTERM.",
        options: [
            configuration, id, key, insecure, logLevel, logFormat, check, json, health, record,
            parent, console,
        ],
        examples: [
            "hearth node --config configs/three-nodes.json5 --id n1",
            "hearth node --config /etc/hearth/cluster.json5 --id n1 --key /etc/hearth/n1.key",
            "hearth node --check --config /etc/hearth/cluster.json5",
        ], work: run)

    private static let configuration = Option(
        "config", "FILE",
        "The configuration of the cluster, in JSON5; by default HEARTH_CONFIG of the environment.",
        values: .file)
    private static let id = Option(
        "id", "NODE",
        "The name of the node to run, such as n1; by default HEARTH_NODE_ID of the environment.")
    private static let key = Option(
        "key", "FILE", "The secret key of the node, a file that `hearth keys new` created.",
        values: .file)
    private static let insecure = Option(
        flag: "insecure",
        "Start even if other machines can reach the node without encryption or "
            + "authentication.")

    private static let logLevel = Option(
        "log-level", "LEVEL",
        "The least severe log entries to write: info, warning or error; by default that of the "
            + "configuration, or info.", values: .oneOf(LogLevel.allCases.map(\.rawValue)))
    private static let logFormat = Option(
        "log", "FORMAT",
        "The form of log entries: text, or json for one object a line; by default that of the "
            + "configuration, or text.", values: .oneOf(LogFormat.allCases.map(\.rawValue)))

    private static let check = Option(
        flag: "check",
        "Check the configuration and start nothing; with --id also the node's key and certificate. "
            + "Ends with 0 or 78.")
    private static let json = Option(
        flag: "json", "With --check: print the result as one JSON object.")

    private static let health = Option(
        flag: "health",
        "Ask the running node whether it serves, and start nothing. Ends with 0 or 69; needs no secret."
    )

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
        let id = invocation[id] ?? environment("HEARTH_NODE_ID")
        let isCheck = invocation.has(check)
        guard let file = invocation[configuration] ?? environment("HEARTH_CONFIG"),
            isCheck || id != nil
        else {
            throw invocation.usageError(
                "\(invocation.name): --config and --id are both needed",
                fix: "write `hearth node --config FILE --id n1`")
        }
        if invocation.has(json), !isCheck {
            throw invocation.usageError(
                "--json is for --check", fix: "add --check, or leave out --json")
        }
        if invocation.has(health), let id { return try checkHealth(of: id, file) }
        try endWithParent(invocation)
        let start: NodeStart
        var warnings: [NodeError] = []
        do throws(NodeError) {
            start = try NodeStart(
                of: id, configurationFile: file, keyFile: invocation[key],
                exposure: invocation.has(insecure) ? .network : .loopback)
            if isCheck { warnings = try start.warnings(of: id) }
        } catch {
            if invocation.has(json) { StandardOutput.shared.print(NodeStart.json(of: error)) }
            throw CommandError(.misconfigured, error.problem, fix: error.fix)
        }
        guard let id, !isCheck else {
            StandardOutput.shared.print(
                invocation.has(json) ? start.json(of: id, warnings) : start.text(of: id, warnings))
            return .success
        }
        return try run(id, start, invocation)
    }

    private static func checkHealth(
        of id: String, _ file: String
    ) throws(CommandError) -> ExitStatus {
        let configuration: NodeConfiguration
        let member: NodeConfiguration.Member
        do throws(NodeError) {
            configuration = try NodeConfiguration(contentsOf: file)
            member = try configuration.member(id)
        } catch {
            throw CommandError(.misconfigured, error.problem, fix: error.fix)
        }
        guard let address = configuration.localAddress(of: member),
            HealthProbe(address).isServing(within: .seconds(3))
        else {
            throw CommandError(
                .unavailable, "\(id) does not serve clients at \(member.client)",
                fix: "read its log: a node without data waits for contact with the others")
        }
        return .success
    }

    private static func run(
        _ id: String, _ start: NodeStart, _ invocation: Invocation
    ) throws(CommandError) -> ExitStatus {
        var configuration = start.configuration
        if let level = invocation[logLevel] {
            configuration.log.level = LogLevel(rawValue: level) ?? configuration.log.level
        }
        if let format = invocation[logFormat] {
            configuration.log.format = LogFormat(rawValue: format) ?? configuration.log.format
        }
        do throws(NodeError) {
            let node = try Node(
                id, of: configuration, keys: start.keys, exposure: start.exposure,
                records: invocation[record], consoleFolder: invocation[console])
            try node.run()
            return .success
        } catch {
            guard configuration.log.format == .json else {
                throw CommandError(.unavailable, error.problem, fix: error.fix)
            }
            // Programs that read the log expect objects only.
            NodeLog(member: id, settings: configuration.log).write(
                error.problem, .error, [("fix", .string(error.fix))])
            return .unavailable
        }
    }

    private static func endWithParent(_ invocation: Invocation) throws(CommandError) {
        guard let parent = try invocation.integer(parent, in: 1...Int(pid_t.max)),
            !hearth_end_with_parent(pid_t(parent))
        else { return }
        throw CommandError(
            .unavailable, "--parent \(parent): that process did not start this one, or has ended",
            fix: "omit --parent to run a node by itself")
    }
}
