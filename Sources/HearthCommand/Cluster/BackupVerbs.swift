internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import Glibc
internal import Sockets
internal import Storage
internal import SyncProtocol

/// `hearth backup` and `hearth restore`: copies of a node's database.
enum BackupVerbs {
    private static let name = Argument(
        "NAME", "The name of the copy, such as monday; not needed with --to.", arity: .optional)
    private static let target = Option(
        "to", "FILE",
        "Check the copy, write it to FILE, or to standard output for a dash, and delete the copy in "
            + "the folder of the node. Run it on the machine of the node.", values: .file)
    private static let kept = Option(
        "keep", "NUMBER",
        "Add the time to NAME, check the copy, and delete the oldest copies of this NAME "
            + "beyond NUMBER. Run it on the machine of the node.")
    private static let check = Option(
        flag: "check", "Only check that FILE is a complete copy; NODE is not needed.")
    private static let file = Argument(
        "FILE", "A copy that `hearth backup` wrote, or - for standard input.", values: .file)
    private static let node = Argument(
        "NODE", "The node whose database the copy replaces, such as n1.", arity: .optional,
        values: .node)

    static let backup = Verb(
        "backup",
        "Makes a running node write a copy of its database, and prints the path of the copy "
            + "on the host of the node.",
        arguments: [name],
        options: [target, kept]
            + NodeClient.options(waiting: "600, and 5 for a node that does not answer at all"),
        examples: [
            "hearth backup monday --node n1", "hearth backup daily --keep 7 --node n1",
            "hearth backup --to /mnt/monday.sqlite --node n1",
        ]
    ) { invocation throws(CommandError) in
        if let target = invocation[target] {
            let copy = try BackupCopy(at: try writeCopy(for: invocation))
            defer { copy.remove() }
            try copy.check()
            try copy.write(to: target)
            return .success
        }
        let count = try invocation.integer(kept, in: 1...100_000)
        let path = try writeCopy(for: invocation)
        if let count {
            let copy = try BackupCopy(at: path)
            try copy.check()
            try copy.removeOlder(named: invocation.words(of: name)[0], keeping: count)
        }
        StandardOutput.shared.print(path)
        return .success
    }

    /// Has a node write a copy, and returns its path there.
    private static func writeCopy(for invocation: Invocation) throws(CommandError) -> String {
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(600)
        let name = try copyName(of: invocation)
        let servers = try NodeOptions.servers(of: invocation)
        let probe = try StatusProbe(for: invocation)
        let server = try firstThatAnswers(of: servers, probe, within: limit)
        return try probe.backUp(server, to: name, within: limit) {
            Terminal.standardError.print(
                "waiting for \(server.location) to write the copy, for "
                    + "\(NodeWait.text(of: limit)) at most (--timeout)")
        }
    }

    /// - Throws: a usage error for a name that no node accepts.
    private static func copyName(of invocation: Invocation) throws(CommandError) -> String {
        let isDated = invocation.has(kept)
        guard let text = invocation.words(of: name).first else {
            guard invocation.has(target), !isDated else {
                throw invocation.usageError(
                    "\(invocation.name): NAME is missing",
                    fix: "write `hearth backup monday`, or `hearth backup --to FILE`")
            }
            return BackupRetention.datedName("sent-\(getpid())", at: now)
        }
        if invocation.has(target), isDated {
            throw invocation.usageError(
                "--\(target.name) and --\(kept.name) are both given", fix: "use one of them")
        }
        let name = isDated ? BackupRetention.datedName(text, at: now) : text
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

    static let restore = Verb(
        "restore",
        "Replaces the database of a stopped node by a copy. The old database stays beside it. "
            + "When the node starts, it fetches all newer writes from the other nodes. To return "
            + "the cluster to an older state, stop all nodes, restore one, and move the data of the "
            + "others away.",
        arguments: [file, node],
        options: [check, NodeOptions.folder, NodeOptions.configuration, NodeOptions.database],
        examples: [
            "hearth restore .hearth/n1/backups/monday.sqlite n1",
            "hearth restore monday.sqlite n1 --config /etc/hearth/cluster.json5",
            "hearth restore --check monday.sqlite",
            "hearth restore - n1",
        ]
    ) { invocation throws(CommandError) in
        if invocation.has(check) { return try checkCopy(for: invocation) }
        guard let id = invocation.words(of: node).first else {
            throw invocation.usageError(
                "\(invocation.name): NODE is missing", fix: "name the node to restore, such as n1")
        }
        var folder = try NodeOptions.folder(ofStopped: id, for: invocation)
        let name = try NodeOptions.database(of: invocation)
        if !name.isDefault { folder += "/databases/\(name)" }
        let database = folder + "/log.sqlite"
        let kept = database + ".before-restore-\(time(nil))"
        let copy = database + ".restored"
        let source = invocation.words(of: file)[0]
        // Those of a command that was killed.
        for suffix in ["-wal", "-shm"] { unlink(copy + suffix) }
        try copyFile(source, to: copy)
        do throws(NodeError) {
            try DatabaseCopy.check(copy)
        } catch {
            unlink(copy)
            throw CommandError(
                .noInput,
                "\(source == "-" ? "standard input" : source) is not a complete backup: \(error.problem)",
                fix: "name a file that `hearth backup` wrote")
        }
        // Before the copy gets its place, so that no node ever starts on it without the mark.
        do throws(NodeError) {
            try DatabaseCopy.markAsOlderDisk(copy)
        } catch {
            unlink(copy)
            throw CommandError(.cannotCreate, error.problem, fix: error.fix)
        }
        // The files of the old database move first, and durably: SQLite would apply an old log to the new
        // database.
        for suffix in ["-wal", "-shm", ""] {
            try move(database + suffix, to: kept + suffix, ifThere: true)
        }
        try synchronize(database)
        try move(copy, to: database)
        try synchronize(database)
        StandardOutput.shared.print("\(id) now has the data of the copy; start the node")
        return .success
    }

    private static func checkCopy(for invocation: Invocation) throws(CommandError) -> ExitStatus {
        let path = invocation.words(of: file)[0]
        guard path != "-" else {
            throw invocation.usageError(
                "--\(check.name) needs a file", fix: "store standard input in a file first")
        }
        // A path that is wrong is the user's mistake, and not that of a node on another machine.
        close(try InputFile(path).descriptor)
        try BackupCopy(at: path).check()
        StandardOutput.shared.print("\(path) is a complete copy")
        return .success
    }

    private static func move(
        _ path: String, to target: String, ifThere: Bool = false
    ) throws(CommandError) {
        guard rename(path, target) != 0, !(ifThere && errno == ENOENT) else { return }
        throw CommandError(
            .cannotCreate, "cannot rename \(path): \(systemErrorText)",
            fix: "check the rights of its folder")
    }

    private static func synchronize(_ path: String) throws(CommandError) {
        guard synchronizeFolder(of: path) else {
            throw CommandError(
                .cannotCreate, "cannot sync the folder of \(path): \(systemErrorText)",
                fix: "check its disk")
        }
    }

    private static func copyFile(_ source: String, to target: String) throws(CommandError) {
        let input = try InputFile(source).descriptor
        defer { if input != STDIN_FILENO { close(input) } }
        let output = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { if output >= 0 { close(output) } }
        var isWritten = output >= 0
        while isWritten {
            guard let chunk = readChunk(from: input) else {
                throw CommandError(
                    .noInput, "cannot read \(source): \(systemErrorText)", fix: "check its disk")
            }
            if chunk.isEmpty { break }
            let count = chunk.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            isWritten = count == chunk.count
        }
        if isWritten { giveToOwner(ofFolder: target, output) }
        guard isWritten, fsync(output) == 0 else {
            throw CommandError(
                .cannotCreate, "cannot write \(target): \(systemErrorText)",
                fix: "make room there")
        }
    }

    /// Gives a file to the owner of its folder, the user of the node. A command of that user changes nothing.
    private static func giveToOwner(ofFolder path: String, _ file: Int32) {
        var status = stat()
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        if stat(folder, &status) == 0 { _ = fchown(file, status.st_uid, status.st_gid) }
    }
}
