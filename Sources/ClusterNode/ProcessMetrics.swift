internal import ClusterConfiguration
internal import EventLoop
internal import Glibc
internal import SyncProtocol

/// Measures a node's process: memory, disk, files and queues.
struct ProcessMetrics {
    let startNanoseconds = Loop.monotonicNanoseconds
    let member: NodeConfiguration.Member
    let databasePath: String?
    private let openFiles = OpenFiles()

    /// Why the node takes no connections; nil if there is room.
    var shortage: String? {
        guard openFiles.count >= openFiles.limit else { return nil }
        return "has \(openFiles.limit) files and connections open, and may not have more"
    }

    /// The process's part of the status, with the counters of the node's parts.
    ///
    /// - Parameter security: Nil where there are no keys.
    func status(
        clients: HTTPPort, peers: PeerPorts, journal: Journal, security: Security?
    ) -> NodeStatus.Process {
        var process = NodeStatus.Process()
        process.address = member.client
        process.pid = Int(getpid())
        process.uptimeMilliseconds = Int((Loop.monotonicNanoseconds - startNanoseconds) / 1_000_000)
        process.cpuMilliseconds = cpuMilliseconds
        process.residentBytes = residentBytes
        process.databaseBytes = databaseBytes
        process.diskFreeBytes = diskFreeBytes
        process.openFiles = openFiles.count
        process.openFilesLimit = openFiles.limit
        process.logBytes = journal.logBytes
        process.storageBacklog = journal.backlog
        process.storageBacklogLimit = Journal.turnsLimit
        process.sessions = clients.count
        process.sessionsLimit = clients.connectionLimit
        process.slowClients = clients.slowClients
        process.waitingReplyBytes = clients.waitingBytes
        process.droppedReplies = clients.droppedReplies
        process.droppedFrames = peers.dropped
        process.refusedConnections = security?.refusals
        process.refusedKeys = security?.refusedKeys.reports(at: Loop.monotonicNanoseconds) ?? []
        let connections = peers.connections
        process.peerConnections = connections.connections
        process.cutPeerConnections = connections.cut
        return process
    }

    /// The database and its write-ahead log; nil in memory.
    private var databaseBytes: Int? {
        guard let databasePath else { return nil }
        return [databasePath, databasePath + "-wal"].reduce(0) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    /// The space that this user may still write on the disk of the database.
    private var diskFreeBytes: Int? {
        guard let databasePath else { return nil }
        var status = statvfs()
        guard statvfs(databasePath, &status) == 0 else { return nil }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    private var cpuMilliseconds: Int? {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
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
