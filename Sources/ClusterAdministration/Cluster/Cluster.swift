internal import ClusterConfiguration
package import CommandLineKit
internal import DataTree
internal import Glibc
internal import TLS
internal import Tokens

/// A cluster of this machine: its folder, with a folder for each node, and the processes in them.
///
///     DIR/cluster.json   what the nodes read
///     DIR/n1/pid         the process of a node, and when that started
///     DIR/n1/log         its log
///     DIR/n1/log.sqlite  its data
package struct Cluster: Sendable {
    package typealias Node = ClusterFile.Node

    /// As it was named, for messages.
    package let folder: String
    package let file: ClusterFile
    /// The file with the secret that its nodes require from observers.
    let secretFile: String?
    /// The configuration file of its nodes.
    let configuration: String
    private let lifetime: NodeLaunch.Lifetime
    /// A folder in which nodes record each turn.
    private let records: String?

    private init(
        _ file: ClusterFile, in folder: String, configuration: String, secretFile: String? = nil
    ) {
        self.folder = folder
        self.file = file
        self.configuration = configuration
        self.secretFile = secretFile
        lifetime = .endless
        records = nil
    }

    /// The cluster of a folder.
    ///
    /// - Throws: when there is none, or its file is damaged.
    package init(inFolder folder: String) throws(CommandError) {
        self.init(
            try ClusterFile(inFolder: folder), in: folder,
            configuration: folder + "/" + ClusterFile.name)
    }

    /// The cluster that a command names: by its folder, or by a configuration, whose directory then has a folder for
    /// each node of this machine.
    ///
    /// - Throws: when there is none, or its file is wrong.
    package init(of invocation: Invocation) throws(CommandError) {
        guard let path = NodeOptions.configurationFile(of: invocation) else {
            try self.init(inFolder: NodeOptions.folder(of: invocation))
            return
        }
        let configuration = try NodeConfiguration(named: path)
        self.init(
            ClusterFile(configuration), in: configuration.directory, configuration: path,
            secretFile: NodeOptions.secretFile(of: invocation))
    }

    /// The credential of an administrator: the secret that the user names, the emulator's `owner`, or a token of
    /// one hour, signed with a secret of the configuration; nil if this machine has none of them.
    ///
    /// - Throws: If a file of a secret cannot be read.
    func credential() throws(CommandError) -> Secret? {
        if let named = try NodeOptions.secret(inFile: secretFile, .administratorSecret) {
            return named
        }
        if file.isEmulator { return .owner }
        let tokens = (try? NodeConfiguration(contentsOf: configuration))?.tokens
        return (try? tokens?.readTrust())?.administratorToken(at: Double(time(nil)))
            .flatMap { Secret($0) }
    }

    /// The options by which a command names a cluster whose processes it works with.
    package static let options = [NodeOptions.folder, NodeOptions.configuration]

    /// Lays out a cluster of new nodes, or of those that are in the folder already.
    ///
    /// - Throws: when the folder's cluster runs, or the folder cannot be written.
    package init(
        creating file: ClusterFile, inFolder folder: String,
        lifetime: NodeLaunch.Lifetime = .endless, records: String? = nil,
        secretFile: String? = nil
    ) throws(CommandError) {
        self.folder = folder
        self.file = file
        self.lifetime = lifetime
        self.records = records
        self.secretFile = secretFile
        configuration = folder + "/" + ClusterFile.name
        if let running = Cluster.runningNode(inFolder: folder) {
            throw CommandError(
                .unavailable,
                "\(folder) is in use: node \(running.id) runs as process \(running.process.pid)",
                fix: "stop it with `hearth cluster down --dir \(folder)`, or choose another --dir")
        }
        try makeFolder(folder)
        if let records { try makeFolder(records) }
        for node in file.nodes { try makeFolder(self.folder(of: node)) }
        // Comments in a file that stays the same are kept.
        if (try? ClusterFile(inFolder: folder)) != file {
            try writeFile(folder + "/" + ClusterFile.name, file.json)
        }
    }

    private static func runningNode(
        inFolder folder: String
    ) -> (id: String, process: NodeProcess)? {
        guard let cluster = try? Cluster(inFolder: folder) else { return nil }
        for node in cluster.file.nodes {
            if let process = cluster.process(of: node) { return (node.id, process) }
        }
        return nil
    }

    package func folder(of node: Node) -> String { folder + "/" + node.id }
    package func log(of node: Node) -> String { folder(of: node) + "/log" }
    private func pidFile(of node: Node) -> String { folder(of: node) + "/pid" }
}

// MARK: - Processes

extension Cluster {
    /// The process of a node; nil unless it runs.
    ///
    /// - Complexity: reads an entry of each process of the machine if the node's file `pid` names none that runs.
    package func process(of node: Node) -> NodeProcess? {
        recordedProcess(of: node)
            ?? ProcessSearch(for: node.id, configuration: configuration)?.process()
    }

    /// The process of a node by its file `pid` alone.
    func recordedProcess(of node: Node) -> NodeProcess? {
        NodeProcess(named: readFile(pidFile(of: node)))
    }

    /// Starts a node that does not run.
    ///
    /// - Parameter program: The program to start; nil for this one.
    /// - Throws: when it runs already, when one of its ports is taken, or the system refuses.
    package func start(_ node: Node, as program: String? = nil) throws(CommandError) {
        if let process = process(of: node) {
            throw CommandError(
                .unavailable, "\(node.id) already runs, as process \(process.pid)",
                fix: "stop it first with `hearth cluster kill \(node.id) --dir \(folder)`")
        }
        try checkPorts(of: node)
        // The folder may have been removed with the node's data, which the node then gets from its peers.
        try makeFolder(folder(of: node))
        let process = try NodeLaunch.start(
            node.id, configuration: configuration, log: log(of: node), program: program,
            records: records, lifetime: lifetime)
        try writeFile(pidFile(of: node), Array("\(process.pid) \(process.startTicks)\n".utf8))
    }

    /// Reports at once an error that the node would only log.
    package func checkPorts(of node: Node) throws(CommandError) {
        for endpoint in [node.client, node.requests, node.updates] {
            let location = endpoint.prefix { $0 != "#" }
            guard let port = location.split(separator: ":").last.flatMap({ UInt16($0) }),
                LocalPort(number: port).isTaken
            else { continue }
            throw Cluster.takenPort(port, of: node.id)
        }
    }

    /// The error for a port that another program has, possibly for a connection that it has made.
    static func takenPort(_ port: UInt16, of node: String) -> CommandError {
        let outgoing =
            port < 32_768
            ? ""
            : "; Linux also uses ports from 32768 on for outgoing connections, so choose one below"
        return CommandError(
            .unavailable, "port \(port), which \(node) needs, is taken",
            fix: "stop the program that has it (`ss -tanp sport = :\(port)` names it), "
                + "or choose another --base-port\(outgoing)")
    }

    /// Stops nodes: asks all to stop, waits, and kills those that do not within `grace`.
    ///
    /// Calls `report` with the outcome of each.
    package func stop(
        _ nodes: [Node], within grace: Duration, report: (Node, StopOutcome) -> Void
    ) {
        let processes = nodes.map { process(of: $0) }
        for process in processes {
            process?.send(SIGTERM)
            // A suspended process must run to end.
            process?.send(SIGCONT)
        }
        let deadline = ContinuousClock.now + grace
        for (node, process) in zip(nodes, processes) {
            guard let process else {
                report(node, .wasNotRunning)
                continue
            }
            let left = max(.zero, ContinuousClock.now.duration(to: deadline))
            let isStopped = process.waitUntilGone(within: left)
            if !isStopped { kill(process) }
            guard !process.isRunning else {
                report(node, .stillRuns(process))
                continue
            }
            unlink(pidFile(of: node))
            report(node, isStopped ? .stopped(process) : .killed(process))
        }
    }

    /// Ends a node's process at once; nil if none ran.
    package func kill(_ node: Node) -> NodeProcess? {
        guard let process = process(of: node) else { return nil }
        kill(process)
        unlink(pidFile(of: node))
        return process
    }

    private func kill(_ process: NodeProcess) {
        process.send(SIGKILL)
        _ = process.waitUntilGone(within: .seconds(10))
    }

    /// How a node that was to stop has ended.
    package enum StopOutcome: Equatable {
        case stopped(NodeProcess)
        case killed(NodeProcess)
        case wasNotRunning
        /// The system refused to end the process: it is that of another user.
        case stillRuns(NodeProcess)
    }
}
