internal import ClusterConfiguration
internal import EventLoop
internal import Glibc
internal import NodeCore
internal import NodeStorage
internal import ReplicaCore
internal import Storage
internal import Store
internal import SyncProtocol

/// The databases that a node has open: their journals and files, and what becomes of the files of those that end.
struct OpenDatabases {
    let recovery: Recovery
    /// By the indexes of the databases; nil for one that is closed.
    private var journals: [Journal?]
    private var files: [DatabaseIndex: DatabaseFiles]
    /// The databases with turns on their way to the disk.
    private var storing: Set<DatabaseIndex> = []
    /// Those that are being opened.
    private var opening: Set<DatabaseIndex> = []
    private let opener = DatabaseOpener()
    /// The removed databases whose files are still open.
    private var removing: Set<DatabaseIndex> = []
    /// The databases whose files could not be moved aside yet, with the epochs of these, and those whose placement could not be
    /// recorded. They are not opened before that.
    private var unkept: [DatabaseName: UInt32] = [:]
    private var unrecorded: [DatabaseName: PlacementRecord] = [:]

    /// The default database alone, which is always open.
    init(_ recovery: Recovery, _ recovered: borrowing Recovered) {
        self.recovery = recovery
        journals = [Journal(recovered, durability: recovery.configuration.durability)]
        files = [.default: DatabaseFiles(of: recovery.databasePath)]
    }

    /// The recovery of a named database.
    private func recovery(of name: DatabaseName) -> Recovery {
        var recovery = recovery
        recovery.name = name
        return recovery
    }

    // MARK: Opening

    /// The facts about a database that opens.
    struct Opening {
        let name: DatabaseName
        let waking: ReplicaConfiguration.Waking?
        /// Nil if all nodes hold it.
        let nodes: [String]?
        /// Whether it was closed in order.
        let wasClosed: Bool
    }

    /// Receives databases that were read, on the loop's thread.
    typealias Openings = Mailbox<(database: DatabaseIndex, result: Result<Recovered, NodeError>)>

    /// Begins to open a database, or to create it, and to read it, beside the loop.
    ///
    /// - Parameter completion: Receives it some time later.
    mutating func open(
        _ database: DatabaseIndex, _ opening: Opening,
        completion: Openings
    ) throws(NodeError) {
        do throws(StorageError) {
            if let epoch = unkept[opening.name] { _ = try keep(opening.name, epoch: epoch) }
            if let record = unrecorded[opening.name] { try self.record(record, of: opening.name) }
        } catch {
            throw NodeError(error)
        }
        self.opening.insert(database)
        var recovery = recovery(of: opening.name)
        (recovery.waking, recovery.nodes) = (opening.waking, opening.nodes)
        recovery.hasDurableFolder = opening.wasClosed
        opener.open(
            recovery, on: journal(of: .default).thread, bytes: recovery.fileBytes(of: opening.name)
        ) { completion.post((database, $0)) }
    }

    /// Goes on with a database that was read.
    mutating func finishOpening(
        _ database: DatabaseIndex, _ name: DatabaseName, _ recovered: borrowing Recovered
    ) {
        opening.remove(database)
        while journals.count <= database.number { journals.append(nil) }
        journals[database.number] = Journal(
            recovered, durability: recovery.configuration.durability)
        files[database] = DatabaseFiles(of: recovery(of: name).databasePath)
    }

    /// Records that a database could not be opened.
    mutating func failOpening(_ database: DatabaseIndex, _ name: DatabaseName) {
        opening.remove(database)
        if removing.remove(database) != nil { recovery.deleteFiles(of: name) }
    }

    /// Begins to hand over what becomes of the turns and requests of a database; of all open ones without an index.
    func receive(
        of database: DatabaseIndex? = nil, on loop: Loop,
        _ receive: @escaping (Journal.Event, DatabaseIndex) -> Void
    ) {
        for number in database.map({ $0.number..<$0.number + 1 }) ?? journals.indices {
            journals[number]?.open(on: loop) { receive($0, DatabaseIndex(number)) }
        }
    }

    // MARK: Work

    /// The journal of a database that is open.
    func journal(of database: DatabaseIndex) -> Journal {
        guard let journal = journals[database.number] else {
            preconditionFailure("database \(database.number) is not open")
        }
        return journal
    }

    mutating func store(_ turn: Turn, of database: DatabaseIndex) {
        storing.insert(database)
        journal(of: database).store(turn)
    }

    /// Records that turns of a database are stored.
    mutating func recordStored(_ database: DatabaseIndex) {
        if journals[database.number]?.isEmpty == true { storing.remove(database) }
    }

    func backUp(
        _ database: DatabaseIndex, _ name: DatabaseName, to copy: String, _ id: UInt64,
        for session: SessionID
    ) {
        let folder = recovery(of: name).folder + "/backups"
        journal(of: database).backUp(to: copy, in: folder, id, for: session)
    }

    /// Begins to copy a database for a backup. The files of one that sleeps are opened for the copy alone.
    func copy(
        _ source: BackupPlan.Source, to path: String,
        completion: @escaping StorageThread.Completion<Void>
    ) -> BackupRun.CopyStart {
        let number = source.database.number
        if opening.contains(source.database) { return .mustWait }
        if journals.indices.contains(number), let journal = journals[number] {
            if journal.isClosing { return .mustWait }
            journal.copy(to: path, completion: completion)
            return .isAwake
        }
        let file = recovery(of: source.name).databasePath
        let copy = { @Sendable (_: inout NodeStore) throws(StorageError) in
            guard let file, access(file, F_OK) == 0 else { throw .gone(source.name) }
            try SQLiteTables(path: file).backUp(to: path)
        }
        journal(of: .default).thread.run(copy, completion: completion)
        return .isAsleep
    }

    /// Whether a database has files to copy.
    func hasFile(_ source: BackupPlan.Source) -> Bool {
        let number = source.database.number
        if journals.indices.contains(number), journals[number] != nil { return true }
        return recovery(of: source.name).databasePath.map { access($0, F_OK) == 0 } ?? false
    }

    /// The folder for backups of the node.
    var backupFolder: String { recovery.folder + "/backups" }

    /// Whether so much waits for the disk that the node pauses its inputs.
    var isFull: Bool { storing.contains { journals[$0.number]?.isFull == true } }

    /// Whether all turns are stored.
    var isEmpty: Bool { storing.allSatisfy { journals[$0.number]?.isEmpty != false } }

    /// Hands all gathered turns to the storage thread.
    func submit() { for journal in journals { journal?.submit() } }

    /// Why writes would be lost; nil while all files are in place.
    mutating func missing() -> StorageError? {
        var missing: StorageError?
        for database in files.keys.sorted() { missing = missing ?? files[database]?.problem() }
        return missing
    }

    // MARK: Closing

    /// Begins to close a database, whose journal reports the end.
    mutating func close(_ database: DatabaseIndex) {
        // SQLite deletes its write-ahead log as it closes.
        files[database] = nil
        journal(of: database).closeStore()
    }

    /// Completes the closing of a database, whose files hold the operations and the tree of these digests.
    mutating func finishClosing(
        _ database: DatabaseIndex, _ name: DatabaseName, holding digests: DigestFile.Digests?
    ) {
        journals[database.number] = nil
        storing.remove(database)
        if removing.remove(database) != nil {
            recovery.deleteFiles(of: name)
        } else if let digests {
            recovery(of: name).digestFile?.write(digests)
        }
    }

    /// Records that a database was removed, and deletes its files once they are closed.
    mutating func remove(_ name: DatabaseName, _ database: DatabaseIndex?) {
        recovery(of: name).recordRemoval()
        if let database, isOpen(database) || opening.contains(database) {
            files[database] = nil
            removing.insert(database)
        } else {
            recovery.deleteFiles(of: name)
        }
    }

    /// Has databases that are closed take their disk for an old one, also after a restart.
    func distrust(_ names: [DatabaseName]) {
        for name in names { recovery(of: name).distrustFiles() }
    }

    private func isOpen(_ database: DatabaseIndex) -> Bool {
        journals.indices.contains(database.number) && journals[database.number] != nil
    }

    // MARK: Placements

    /// Moves the files of a closed database aside, and returns where they are; nil if there are none.
    ///
    /// - Throws: Then the database is not opened before that has succeeded.
    mutating func keep(_ name: DatabaseName, epoch: UInt32) throws(StorageError) -> String? {
        unkept[name] = epoch
        let path = try recovery(of: name).keepFiles(epoch: epoch)
        unkept[name] = nil
        return path
    }

    /// Records in which placement the files of a database are used.
    ///
    /// - Throws: Then the database is not opened before that has succeeded.
    mutating func record(
        _ record: PlacementRecord, of name: DatabaseName
    ) throws(StorageError) {
        unrecorded[name] = record
        try recovery(of: name).placementFile?.write(record)
        unrecorded[name] = nil
    }

    /// Ends with the process, once all submitted turns are stored.
    func finish() {
        opener.close()
        for journal in journals.dropFirst() { journal?.finish() }
        journal(of: .default).close()
    }
}

extension StorageError {
    fileprivate static func gone(_ name: DatabaseName) -> StorageError {
        StorageError(
            code: .missing,
            problem: "the database \(name) has left this node since the backup began",
            fix: "run the backup again")
    }
}
