internal import ClusterConfiguration
internal import EventLoop
internal import Glibc
internal import ReplicaCore
internal import Storage
internal import SyncProtocol

/// Brings a node's replica and its journal back from the database.
///
/// A node that was killed at any moment finds the turns that were committed, each whole: that is
/// SQLite's transaction, and all the recovery there is.
struct Restoring {
    let configuration: NodeConfiguration
    let member: String
    let log: NodeLog

    /// Opens the node's database, or makes an empty one, and reads it.
    ///
    /// - Complexity: reads the checkpoint and the log.
    func restored() throws(NodeError) -> (Replica, Journal) {
        if configuration.durability != .memory { try makeFolder(configuration.folder(of: member)) }
        let failure: ReadFailure
        do throws(ReadFailure) { return try read() } catch { failure = error }
        guard case .damaged(let error) = failure, configuration.nodes.count > 1,
            let path = databasePath
        else { throw failure.error }
        try setAside(path, because: error)
        do throws(ReadFailure) { return try read() } catch { throw error.error }
    }

    /// Why a database cannot be read: because it is damaged, or for another reason.
    private enum ReadFailure: Error {
        case damaged(NodeError)
        case other(NodeError)

        var error: NodeError {
            switch self {
            case .damaged(let error), .other(let error): error
            }
        }
    }

    private func read() throws(ReadFailure) -> (Replica, Journal) {
        do {
            return try readDatabase()
        } catch let error as StorageError {
            throw error.code == .corrupt ? .damaged(NodeError(error)) : .other(NodeError(error))
        } catch {
            throw .damaged(
                NodeError(
                    problem: "database \(path) is damaged: \(error)",
                    fix: "bring back a backup with `hearth restore`, or move it away"))
        }
    }

    private func readDatabase() throws -> (Replica, Journal) {
        let file = try LogFile(path: path, synchronization: synchronization)
        let start = Loop.monotonicNanoseconds
        let checkpoint = try Self.checkpoint(in: file)
        var replica = Replica(
            replicaConfiguration, properties: try Self.properties(of: file),
            checkpoint: checkpoint, orphans: try file.orphans())
        let logBytes = try restore(&replica, from: file, since: start)
        let writer = checkpoint.map { CheckpointWriter(after: $0) } ?? CheckpointWriter()
        let thread = try StorageThread(owning: file)
        return (
            replica,
            Journal(
                thread, durability: configuration.durability, checkpoints: writer,
                logBytes: logBytes)
        )
    }

    /// Takes a damaged database away and keeps it, so that the node gets the data from its peers.
    private func setAside(_ path: String, because error: NodeError) throws(NodeError) {
        let aside = path + ".damaged-\(Loop.wallClockMilliseconds)"
        for suffix in ["", "-wal", "-shm"] { rename(path + suffix, aside + suffix) }
        // The old log beside the new database would be taken for its own, and the damaged one come back.
        guard access(path, F_OK) != 0, synchronizeFolder(of: path) else { throw error }
        log.write("\(error.problem); it is now \(aside), and the data comes from the peers")
    }

    /// Where the database is; nil in memory.
    var databasePath: String? {
        switch configuration.durability {
        case .commit, .interval: configuration.folder(of: member) + "/log.sqlite"
        case .memory: nil
        }
    }

    private var path: String { databasePath ?? ":memory:" }

    private var synchronization: Synchronization {
        switch configuration.durability {
        case .commit: .full
        case .interval: .normal
        case .memory: .off
        }
    }

    private var replicaConfiguration: ReplicaConfiguration {
        var replica = ReplicaConfiguration(
            cluster: configuration.cluster, member: member,
            peers: configuration.nodes.map(\.id).filter { $0 != member },
            durability: configuration.durability, seed: .random(in: .min ... .max))
        replica.indexes = configuration.indexes
        replica.retryWindowMilliseconds = UInt64(configuration.retryWindowMilliseconds)
        replica.indexByteLimit = configuration.indexMegabytes << 20
        replica.logLimit = UInt64(configuration.logLimit)
        replica.orphanPolicy = configuration.evicted
        replica.endpoints = Dictionary(
            uniqueKeysWithValues: configuration.nodes.map { ($0.id, $0.updates) })
        return replica
    }

    private func makeFolder(_ folder: String) throws(NodeError) {
        var path = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            path += "/" + part
            guard mkdir(path, 0o755) != 0, errno != EEXIST else { continue }
            throw NodeError(
                problem: "cannot create folder \(path): \(String(cString: strerror(errno)))",
                fix: "choose another folder, or give this user the right to write there")
        }
    }
}

// MARK: - Reading

extension Restoring {
    private static func properties(of file: LogFile) throws(StorageError) -> [Property] {
        var properties: [Property] = []
        for name in Property.Name.allCases {
            guard let bytes = try file.property(name.rawValue) else { continue }
            properties.append(Property(name, bytes: bytes))
        }
        return properties
    }

    /// Reads the last complete checkpoint. It writes nothing: a start needs no room on the disk.
    private static func checkpoint(in file: LogFile) throws -> RestoredCheckpoint? {
        guard let bytes = try file.checkpointHead() else { return nil }
        let head = try CheckpointHead(bytes)
        var reader = CheckpointReader(head)
        var rows = ConcurrentDecoding { (row: CheckpointRow) throws(FrameError) in
            try DecodedRow(row)
        }
        var failure: FrameError?
        func add(_ decoded: [Result<DecodedRow, FrameError>]) {
            do throws(FrameError) {
                for row in decoded { reader.add(try row.get()) }
            } catch {
                failure = error
            }
        }
        // Copied, because SQLite's memory holds the bytes for the call only.
        try file.forEachRow(through: head.lastRow) { id, bytes in
            guard failure == nil else { return }
            add(rows.add(CheckpointRow(id: id, bytes: Array(bytes)), byteCount: bytes.count))
        }
        if failure == nil { add(rows.finish()) }
        if let failure { throw failure }
        return try reader.finish()
    }

    /// Applies the log batch by batch, as SQLite reads it; says so when it takes more than a moment.
    ///
    /// Returns the size of the log in bytes.
    private func restore(
        _ replica: inout Replica, from file: LogFile, since start: UInt64
    ) throws -> Int {
        var byteCount = 0
        var progress = Progress(log: log, start: start)
        let covered = replica.vector
        var batches = ConcurrentDecoding { (entry: LogEntry) throws(FrameError) in
            try DecodedBatch(entry, coveredBy: covered)
        }
        var failure: FrameError?
        func add(_ decoded: [Result<DecodedBatch, FrameError>]) {
            do throws(FrameError) {
                for batch in decoded {
                    let batch = try batch.get()
                    try replica.restore(batch)
                    progress.add(UInt64(batch.head.count))
                }
            } catch {
                failure = error
            }
        }
        // About the order of stamps, in which what is summed up grows at its end.
        try file.forEachBatch(inOrderOf: BatchCoding.wallMilliseconds(of:)) {
            origin, first, last, bytes in
            byteCount += bytes.count
            guard failure == nil else { return }
            let entry = LogEntry(
                origin: WriterID(bits: origin), first: first, last: last, bytes: Array(bytes))
            add(batches.add(entry, byteCount: bytes.count))
        }
        if failure == nil { add(batches.finish()) }
        if let failure { throw failure }
        try replica.finishRestoring()
        let milliseconds = (Loop.monotonicNanoseconds - start) / 1_000_000
        log.write("has \(replica.vector.total) operations, read in \(milliseconds) ms")
        return byteCount
    }

    /// Tells every other second how far a long restore has come.
    private struct Progress {
        let log: NodeLog
        let start: UInt64
        var operations: UInt64 = 0
        private var batches = 0
        private var nextSecond: UInt64 = 2

        init(log: NodeLog, start: UInt64) {
            self.log = log
            self.start = start
        }

        mutating func add(_ count: UInt64) {
            operations += count
            batches += 1
            guard batches.isMultiple(of: 256) else { return }
            let seconds = (Loop.monotonicNanoseconds - start) / 1_000_000_000
            guard seconds >= nextSecond else { return }
            nextSecond = seconds + 2
            log.write("restoring: \(operations) operations so far, after \(seconds) s")
        }
    }
}
