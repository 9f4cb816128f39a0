internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import Sockets
internal import SyncProtocol

/// `hearth backup`: copies of a node's databases.
enum BackupVerb {
    private static let name = Argument(
        "NAME", "The name of the copy, such as monday; not needed with --to.", arity: .optional)
    private static let target = Option(
        "to", "FILE",
        "Receive the backup in FILE, which only this user can read, or on standard output for a dash. "
            + "The node keeps none.",
        values: .file)
    private static let kept = Option(
        "keep", "NUMBER",
        "Add the time to NAME, and delete the oldest backups of this NAME beyond NUMBER. Run it on the "
            + "machine of the node.")

    static let backup = Verb(
        "backup",
        "Makes a running node write a backup of all its databases. With --database, it has that one alone. The "
            + "node checks each copy. Prints the path of the backup on the host of the node.",
        arguments: [name],
        options: [target, kept]
            + NodeClient.options(waiting: "600, and 5 for a node that does not answer at all"),
        examples: [
            "hearth backup monday --node n1", "hearth backup daily --keep 7 --node n1",
            "hearth backup --to /mnt/monday.tar --node n1",
            "hearth backup chat --database chat --node n1",
        ]
    ) { invocation throws(CommandError) in
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(600)
        if let target = invocation[target] {
            try checkUse(ofTargetIn: invocation)
            try receive(for: invocation, within: limit, in: target)
            return .success
        }
        let count = try invocation.integer(kept, in: 1...100_000)
        let name = try backupName(of: invocation)
        let server = try server(for: invocation, within: limit)
        let path = try BackupProbe(for: invocation).write(name, at: server, within: limit) {
            reportWait(for: server, limit)
        }
        if let count {
            let words = invocation.words(of: BackupVerb.name)
            try BackupFolder(of: path).removeOlder(named: words[0], keeping: count)
        }
        StandardOutput.shared.print(path)
        return .success
    }

    /// Receives a backup from a node, and checks that it arrives complete.
    private static func receive(
        for invocation: Invocation, within limit: Duration, in target: String
    ) throws(CommandError) {
        let server = try server(for: invocation, within: limit)
        // The backup has all data.
        let output = try OutputFile(private: target)
        var passage = BackupPassage()
        do throws(CommandError) {
            try BackupProbe(for: invocation).fetch(from: server, within: limit) {
                reportWait(for: server, limit)
            } _: { bytes throws(CommandError) in
                passage.read(bytes)
                try output.write(bytes)
            }
            if let problem = passage.failure {
                throw CommandError(
                    .badData, "the backup of \(server.location) is not complete: \(problem)",
                    fix: "make another one; see the log of the node")
            }
            try output.finish()
        } catch {
            output.discard()
            throw error
        }
    }

    private static func reportWait(for server: HTTPAddress, _ limit: Duration) {
        Terminal.standardError.print(
            "waiting for \(server.location) to write the backup; at most "
                + "\(NodeWait.text(of: limit)) without progress (--timeout)")
    }

    private static func server(
        for invocation: Invocation, within limit: Duration
    ) throws(CommandError) -> HTTPAddress {
        // A connection to the database itself might create it.
        let probe = StatusProbe(showing: try NodeOptions.secret(of: invocation))
        return try firstThatAnswers(
            of: try NodeOptions.servers(of: invocation), probe, within: limit)
    }

    /// - Throws: a usage error for a name, or --keep, beside --to.
    private static func checkUse(ofTargetIn invocation: Invocation) throws(CommandError) {
        if invocation.has(kept) {
            throw invocation.usageError(
                "--\(target.name) and --\(kept.name) are both given", fix: "use one of them")
        }
        guard invocation.words(of: name).isEmpty else {
            throw invocation.usageError(
                "NAME and --\(target.name) are both given", fix: "use one of them")
        }
    }

    /// - Throws: a usage error for a name that no node accepts.
    private static func backupName(of invocation: Invocation) throws(CommandError) -> String {
        guard let text = invocation.words(of: name).first else {
            throw invocation.usageError(
                "\(invocation.name): NAME is missing",
                fix: "write `hearth backup monday`, or `hearth backup --to FILE`")
        }
        let name = invocation.has(kept) ? BackupRetention.datedName(text, at: now) : text
        if BackupName.isValid(name) { return name }
        throw CommandError(
            .usage, "\"\(text.prefix(80))\" cannot name a backup", fix: BackupName.fix)
    }

    /// The time since 1970.
    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Fails soon if a node does not answer at all, as a copy takes long.
    private static func firstThatAnswers(
        of servers: [HTTPAddress], _ probe: StatusProbe, within limit: Duration
    ) throws(CommandError) -> HTTPAddress {
        let share = min(limit, .seconds(5)) / servers.count
        var refusals: [CommandError] = []
        for server in probe.respondingFirst(servers) {
            switch probe.answers(of: [server], within: share)[0].outcome {
            case .status, .unreadable: return server
            case .denied(let denial): refusals.append(denial.error(at: server))
            case .failed(let problem, let fix):
                refusals.append(
                    CommandError(.unavailable, "\(server.location): \(problem)", fix: fix))
            case .unavailable, .refused, .silent: break
            }
        }
        throw refusals.mostInformative
            ?? CommandError(
                .unavailable,
                "no node answers at " + servers.map(\.location).joined(separator: " or "),
                fix: "run `hearth cluster status`")
    }
}

extension BackupProbe {
    /// Requests all databases, unless the command line or the environment names one.
    fileprivate init(for invocation: Invocation) throws(CommandError) {
        self.init(
            showing: try NodeOptions.secret(of: invocation),
            of: try NodeOptions.namedDatabase(of: invocation))
    }
}
