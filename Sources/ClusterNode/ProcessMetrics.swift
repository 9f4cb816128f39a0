internal import DataTree
internal import EventLoop
internal import Glibc

/// What only the process knows of a node, as `status` shows it under `process`.
struct ProcessMetrics {
    let startNanoseconds = Loop.monotonicNanoseconds
    let member: NodeConfiguration.Member
    let databasePath: String?
    private let openFiles = OpenFiles()

    /// Why nobody can connect; nil if there is room.
    var shortage: String? {
        guard openFiles.count >= openFiles.limit else { return nil }
        return "has \(openFiles.limit) files and connections open, and may not have more"
    }

    /// Takes stock, with what the node's parts count themselves.
    ///
    /// - Parameter refusals: Newcomers without a key that is let in; nil where there are no keys.
    func value(
        clients: ClientPort, peers: PeerPorts, journal: Journal, refusals: Int?
    ) -> Value {
        let uptime = Loop.monotonicNanoseconds - startNanoseconds
        return object([
            ("pid", Int(getpid())),
            ("uptimeMilliseconds", Int(uptime / 1_000_000)),
            ("residentBytes", residentBytes),
            ("databaseBytes", databaseBytes),
            ("diskFreeBytes", diskFreeBytes),
            ("openFiles", openFiles.count),
            ("openFilesLimit", openFiles.limit),
            ("logBytes", journal.logBytes),
            ("storageBacklog", journal.backlog),
            ("storageBacklogLimit", Journal.turnsLimit),
            ("sessions", clients.count),
            ("sessionsLimit", ClientTable.limit),
            ("slowClients", clients.slowClients),
            ("waitingReplyBytes", clients.waitingBytes),
            ("droppedReplies", clients.droppedReplies),
            ("droppedFrames", peers.dropped),
            ("refusedConnections", refusals),
        ])
    }

    private func object(_ counts: [(String, Int?)]) -> Value {
        var children = Children()
        children[Key(unchecked: "address")] = .string(member.client)
        for case (let name, let count?) in counts {
            children[Key(unchecked: name)] = .integer(Int64(count))
        }
        return Value(children)
    }

    /// The database and its write-ahead log; nil in memory.
    private var databaseBytes: Int? {
        guard let databasePath else { return nil }
        return [databasePath, databasePath + "-wal"].reduce(0) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// What this user may still write to the disk of the database.
    private var diskFreeBytes: Int? {
        guard let databasePath else { return nil }
        var status = statvfs()
        guard statvfs(databasePath, &status) == 0 else { return nil }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// The second number of `statm`, in pages.
    private var residentBytes: Int? {
        let file = open("/proc/self/statm", O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(file, &bytes, bytes.count)
        let fields = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self))
        else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
