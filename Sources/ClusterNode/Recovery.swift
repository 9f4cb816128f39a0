internal import ClusterConfiguration
internal import EventLoop
internal import Glibc
internal import NodeStorage
internal import ReplicaCore
internal import Storage
internal import Store
internal import SyncProtocol

/// A database that was read, and where its store is.
struct Recovered: Sendable {
    let replica: Replica
    let thread: StorageThread
    let store: StoreNumber
    /// The size of the log.
    let logBytes: Int
}

/// Recovers the replica and the store of one of a node's databases, on any thread.
///
/// A node that was killed at any moment finds whole committed turns: each is one transaction of SQLite,
/// which needs no other recovery.
struct Recovery: Sendable {
    let configuration: NodeConfiguration
    let member: String
    let log: NodeLog
    var name = DatabaseName.default
    /// Set for a database that wakes.
    var waking: ReplicaConfiguration.Waking?
    /// The nodes that hold the database; nil if all nodes hold it.
    var nodes: [String]?
    /// Whether the name of the folder is known to be on the disk, because the database was closed in order.
    var hasDurableFolder = false

    /// Opens the database, or makes an empty one, and reads it.
    ///
    /// - Parameter thread: The node's storage thread; nil to start it.
    /// - Complexity: reads the checkpoint and the log.
    func recovered(on thread: StorageThread? = nil) throws(NodeError) -> Recovered {
        let failure: StorageError
        do throws(StorageError) { return try read(on: thread) } catch { failure = error }
        guard failure.code == .corrupt, members.count > 1, let path = databasePath
        else { throw NodeError(failure) }
        try moveAway(path, because: NodeError(failure))
        do throws(StorageError) { return try read(on: thread) } catch { throw NodeError(error) }
    }

    /// The names of the databases in the node's folder, besides the default one.
    func storedNames() -> [DatabaseName] {
        let removed = Set(removedNames())
        return entries(of: databasesFolder).compactMap { DatabaseName(stored: $0) }
            .filter { !$0.isDefault && !removed.contains($0) }.sorted()
    }

    private func entries(of folder: String) -> [String] {
        guard databasePath != nil, let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    private func read(on thread: StorageThread?) throws(StorageError) -> Recovered {
        if databasePath != nil { try prepareFolder() }
        let start = Loop.monotonicNanoseconds
        var store = NodeStore(try SQLiteTables(path: path, synchronization: synchronization))
        if let mark = distrustMark, access(mark, F_OK) == 0 {
            try store.markAsOlderDisk()
            unlink(mark)
        }
        let configuration = replicaConfiguration
        var progress = Progress(log: log, start: start)
        let replica = try store.recover(decoding: .concurrent) { state in
            Replica(
                configuration, properties: state.properties, checkpoint: state.checkpoint,
                orphans: state.orphans)
        } replay: { replica, batch in
            replica.replay(batch)
            progress.add(UInt64(batch.head.count))
        }
        store.tables.freeCache()
        let milliseconds = (Loop.monotonicNanoseconds - start) / 1_000_000
        let subject = name.isDefault ? "" : "database \(name): "
        log.write(
            subject + "has \(replica.vector.total) operations, read in \(milliseconds) ms")
        let logBytes = store.logByteCount
        guard let thread else {
            let thread = try StorageThread(owning: store)
            return Recovered(replica: replica, thread: thread, store: .first, logBytes: logBytes)
        }
        let number = thread.add(store)
        return Recovered(replica: replica, thread: thread, store: number, logBytes: logBytes)
    }

    /// Makes the node's folder, and withdraws the rights of other users in it, which earlier versions gave.
    private func prepareFolder() throws(StorageError) {
        if hasDurableFolder, access(folder, F_OK) == 0 { return }
        try makeFolder(folder)
        guard name.isDefault else {
            // So that the new folders survive a power failure.
            guard synchronizeFolder(of: folder), synchronizeFolder(of: databasesFolder) else {
                throw StorageError(
                    code: .cannotOpen, problem: "cannot write the folder \(databasesFolder)",
                    fix: "give this user the right to write there")
            }
            return
        }
        for path in restrictToOwner(folder) {
            log.write(
                "other users may read \(path): this user may not change its mode", .warning)
        }
    }

    /// Moves a damaged database aside, so that the node gets the data from its peers.
    private func moveAway(_ path: String, because error: NodeError) throws(NodeError) {
        let aside = path + ".damaged-\(Loop.wallClockMilliseconds)"
        for suffix in ["", "-wal", "-shm"] { rename(path + suffix, aside + suffix) }
        // SQLite would apply the old write-ahead log to the new database, and restore the damage.
        guard access(path, F_OK) != 0, synchronizeFolder(of: path) else { throw error }
        log.write(
            "\(error.problem); moved it to \(aside), and fetches the data from its peers", .error)
    }

    // MARK: Old disks

    /// The path of an empty file that says that the file of the database, which is closed, lacks its latest data; nil in
    /// memory. It is deleted once the database itself says so.
    private var distrustMark: String? { databasePath.map { $0 + "-is-old" } }

    /// Records that the file of the database, which is closed, lacks its latest data.
    func distrustFiles() {
        guard let mark = distrustMark, let databasePath, access(databasePath, F_OK) == 0 else {
            return
        }
        let file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
        guard file >= 0, synchronizeFolder(of: mark) else {
            return log.write(
                "cannot record in \(mark) that the disk is old: write there, and start the node again",
                .error)
        }
    }

    // MARK: Removed databases

    /// The end of the name of the file that records a removal. No database has such a name.
    private static let removalSuffix = ".removed"

    /// The names of the databases that were removed.
    func removedNames() -> [DatabaseName] {
        entries(of: databasesFolder).filter { $0.hasSuffix(Recovery.removalSuffix) }
            .compactMap { DatabaseName(String($0.dropLast(Recovery.removalSuffix.count))) }
            .sorted()
    }

    /// Records durably that the database was removed.
    func recordRemoval() {
        if databasePath == nil { return }
        let path = "\(databasesFolder)/\(name)\(Recovery.removalSuffix)"
        mkdir(databasesFolder, 0o700)
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
        guard file >= 0, synchronizeFolder(of: path) else {
            return log.write(
                "cannot record in \(path) that the database \(name) was removed: after a restart it "
                    + "learns that from its peers")
        }
    }

    /// The size of the file of a database that is not open.
    func fileBytes(of name: DatabaseName) -> Int {
        var recovery = self
        recovery.name = name
        var status = stat()
        guard let path = recovery.databasePath, stat(path, &status) == 0 else { return 0 }
        return Int(status.st_size)
    }

    /// Deletes the files of a database that was removed or has moved, except its backups.
    func deleteFiles(of name: DatabaseName) {
        var recovery = self
        recovery.name = name
        let folder = recovery.folder
        for entry in entries(of: folder)
        where entry.hasPrefix("log.sqlite") || entry.hasPrefix(PlacementFile.name) {
            unlink("\(folder)/\(entry)")
        }
        rmdir(folder)
    }

    // MARK: Databases on some nodes

    /// Moves the files of a database aside, if there are some.
    ///
    /// - Returns: The path of the kept files.
    func keepFiles(epoch: UInt32) throws(StorageError) -> String? {
        if databasePath == nil { return nil }
        return try KeptFiles.keep(
            folder, of: name.text, epoch: epoch, inFolder: configuration.folder(of: member),
            at: Int(Loop.wallClockMilliseconds / 1_000))
    }

    /// The files that the node keeps aside.
    func keptFiles() -> [KeptFiles] {
        databasePath == nil ? [] : KeptFiles.all(inFolder: configuration.folder(of: member))
    }

    /// The record of the placement in which the stored files of a database are used; nil if there are no files.
    func record(of name: DatabaseName) throws(NodeError) -> PlacementRecord? {
        var recovery = self
        recovery.name = name
        guard let path = recovery.databasePath, access(path, F_OK) == 0 else { return nil }
        do throws(StorageError) {
            return try recovery.placementFile?.read()
        } catch {
            throw NodeError(error)
        }
    }

    /// The record of the placement in which the files of the database are used; nil in memory.
    var placementFile: PlacementFile? {
        databasePath == nil ? nil : PlacementFile(folder: folder)
    }

    private var databasesFolder: String { configuration.folder(of: member) + "/databases" }

    /// The folder of the database and its backups; that of the default database is the node's.
    var folder: String {
        name.isDefault ? configuration.folder(of: member) : "\(databasesFolder)/\(name)"
    }

    /// The file of the database; nil in memory.
    var databasePath: String? {
        switch configuration.durability {
        case .commit, .interval: folder + "/log.sqlite"
        case .memory: nil
        }
    }

    /// The file with the digest of the database while it sleeps; nil in memory.
    var digestFile: DigestFile? { databasePath.map { DigestFile(of: $0) } }

    private var path: String { databasePath ?? ":memory:" }

    private var synchronization: Synchronization {
        switch configuration.durability {
        case .commit: .full
        case .interval: .normal
        case .memory: .off
        }
    }

    /// The nodes of the cluster that hold the database.
    private var members: [String] {
        configuration.nodes.map(\.id).filter { nodes?.contains($0) ?? true }
    }

    private var replicaConfiguration: ReplicaConfiguration {
        var replica = ReplicaConfiguration(
            cluster: configuration.cluster, member: member,
            peers: members.filter { $0 != member },
            durability: configuration.durability, seed: .random(in: .min ... .max))
        replica.waking = waking
        // The gateway says of each client who it is; without that, nobody may do anything.
        replica.unidentified =
            configuration.secrets.isEmpty && configuration.tokens.isEmpty
            ? .administrator(name: nil) : .anonymous
        replica.slowMilliseconds = UInt64(configuration.log.slowMilliseconds)
        replica.presenceMilliseconds = UInt64(configuration.presenceSeconds) * 1_000
        replica.permitsAllWithoutRules = configuration.isEmulator
        replica.indexes = configuration.indexes
        replica.retryWindowMilliseconds = UInt64(configuration.retryWindowMilliseconds)
        replica.indexByteLimit = configuration.indexMegabytes << 20
        replica.strictIndexes = configuration.strictIndexes
        replica.logLimit = UInt64(configuration.logLimit)
        replica.orphanPolicy = configuration.evicted
        replica.endpoints = Dictionary(
            uniqueKeysWithValues: configuration.nodes.map { ($0.id, $0.updates) })
        return replica
    }
}

extension Recovery {
    /// Logs the progress of a long recovery every other second.
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
            log.write("reading its database: \(operations) operations so far, after \(seconds) s")
        }
    }
}
