internal import ClusterConfiguration
package import CommandLineKit
internal import Glibc
internal import JSONText
internal import Storage
package import SyncProtocol

/// The replacement of databases of a stopped node by those of backups.
///
/// All copies are unpacked, checked and marked before the first one gets its place. The old files stay beside the new ones.
package struct Restoration {
    /// A stopped node.
    package struct Target {
        package let id: String
        package let folder: String
        package let cluster: ClusterFile

        func folder(of name: DatabaseName) -> String {
            folder + (name.isDefault ? "" : "/databases/\(name)")
        }
    }

    /// The choices of the user.
    package struct Choices {
        /// The only database to restore; nil for all that the backups have.
        package var database: DatabaseName?
        /// Whether the copies may be those of another cluster or database.
        package var isAsNew = false
        /// Whether all nodes of the cluster return to copies.
        package var isWholeCluster = false
        /// The databases that a return of the whole cluster may lose.
        package var omitted: Set<DatabaseName> = []

        package init() {}
    }

    /// A copy that is unpacked beside the database that it replaces.
    private struct Copy {
        let path: String
        /// Whether another node has written it.
        let isOfOtherNode: Bool
        /// The placement in which it was used; nil if the backup does not say.
        let record: PlacementRecord?
    }

    private let target: Target
    private let choices: Choices
    private let backups: [BackupFile]
    /// The time in the names of the old files.
    private let time = Glibc.time(nil)

    package init(of target: Target, from backups: [BackupFile], _ choices: Choices) {
        (self.target, self.backups, self.choices) = (target, backups, choices)
    }

    /// Replaces the databases; returns their names, ascending.
    package func run() throws(CommandError) -> [DatabaseName] {
        try checkCluster()
        if choices.isWholeCluster { try checkNothingIsLost() }
        var copies: [DatabaseName: Copy] = [:]
        do throws(CommandError) {
            for backup in backups { try unpack(backup, &copies) }
            guard !copies.isEmpty else { throw nothingToRestore }
            for (_, copy) in copies.sorted(by: { $0.key < $1.key }) { try mark(copy) }
        } catch {
            for copy in copies.values { unlink(copy.path) }
            throw error
        }
        if choices.isWholeCluster { try moveEverythingAside(but: copies) }
        for (name, copy) in copies.sorted(by: { $0.key < $1.key }) {
            try replace(name, by: copy)
        }
        return copies.keys.sorted()
    }

    // MARK: Checks

    /// Refuses the backup of another cluster.
    private func checkCluster() throws(CommandError) {
        let name = target.cluster.cluster
        for backup in backups where !choices.isAsNew {
            guard let manifest = backup.manifest, manifest.cluster != name else { continue }
            throw CommandError(
                .badData,
                "\(backup.name) is a backup of the cluster \(manifest.cluster), and \(target.id) belongs to \(name)",
                fix:
                    "name a backup of this cluster, or bring its data into this cluster with --as-new"
            )
        }
    }

    /// Refuses a return of the whole cluster that would lose a database which is in no backup, or whose nodes this cluster
    /// does not have.
    private func checkNothingIsLost() throws(CommandError) {
        let present = StoredOperations.databases(inFolder: target.folder).filter { !$0.isCatalog }
        let held = (try? StoredOperations(inFolder: target.folder))?.counts.isEmpty == false
        let lost = BackupCoverage(backups.compactMap(\.manifest), single: singleDatabase)
            .missing(
                from: target.cluster.nodes.map(\.id),
                present: held ? present : present.filter { !$0.isDefault }
            )
            .filter { !choices.omitted.contains($0.name) }
        guard !lost.isEmpty else { return }
        let names = lost.map(\.text).joined(separator: ", ")
        throw CommandError(
            .badData, "the cluster would lose databases that no backup has: \(names)",
            fix:
                "add a backup of a node that holds them with --with FILE, or accept their loss with "
                + "--without " + lost.map(\.name.text).joined(separator: ","))
    }

    /// The database of a backup that does not name it.
    private var singleDatabase: DatabaseName? {
        backups.contains { $0.form == .database } ? choices.database ?? .default : nil
    }

    private var nothingToRestore: CommandError {
        let names = backups.compactMap(\.manifest).flatMap(\.copied).map(\.text)
        return CommandError(
            .badData,
            choices.database.map { "the backup has no copy of the database \($0)" }
                ?? "the backup has no database for \(target.id)",
            fix: "name one of \(Set(names).sorted().joined(separator: ", "))")
    }

    /// Refuses a copy that has no operation of a writer of the database in whose place it would come.
    private func checkOrigin(
        of copy: String, for name: DatabaseName, from backup: BackupFile
    ) throws(CommandError) {
        if choices.isAsNew || choices.isWholeCluster { return }
        let path = target.folder(of: name) + "/log.sqlite"
        guard access(path, F_OK) == 0,
            // A damaged database says nothing about its writers.
            let present = try? StoredOperations(inFile: path),
            let copied = try? StoredOperations(inFile: copy),
            !present.counts.isEmpty, !copied.counts.isEmpty,
            !copied.counts.keys.contains(where: { present.counts[$0] != nil })
        else { return }
        throw CommandError(
            .badData,
            "\(backup.name) is a copy of another database than \(name.isDefault ? "the default one" : name.text) of \(target.id): "
                + "they share no operations",
            fix: "name its database with --database, or bring its data into this one with --as-new")
    }

    // MARK: Copies

    private func unpack(
        _ backup: BackupFile, _ copies: inout [DatabaseName: Copy]
    ) throws(CommandError) {
        let own = backup.manifest?.node == target.id
        let isOfOtherNode = backup.manifest != nil && !own || choices.isAsNew
        let placements = BackupCoverage(backups.compactMap(\.manifest), single: nil)
        var known = copies
        defer { copies = known }
        try backup.unpack { entry throws(CommandError) in
            let name = destination(of: entry, in: backup)
            guard let name, known[name] == nil || own else { return nil }
            // A new cluster has other nodes, and none of the placements.
            guard choices.isAsNew || placements.concerns(name, target.id) else { return nil }
            return try preparePath(for: name)
        } didWrite: { entry, path throws(CommandError) in
            guard let name = destination(of: entry, in: backup) else { return }
            known[name] = Copy(
                path: path, isOfOtherNode: isOfOtherNode, record: record(of: entry, in: backup))
            do throws(NodeError) { try DatabaseCopy.check(path) } catch {
                throw BackupFile.noBackup(backup.name, error.problem)
            }
            try checkOrigin(of: path, for: name, from: backup)
        }
    }

    /// The database of this node that an entry of a backup replaces; nil for one that is not restored.
    private func destination(of entry: DatabaseName?, in backup: BackupFile) -> DatabaseName? {
        guard let entry else { return choices.database ?? .default }
        if choices.isAsNew {
            // Its placements name nodes of another cluster; without them, databases are on all nodes.
            if entry.isCatalog { return nil }
            if let wanted = choices.database, backup.manifest?.copied == [entry] { return wanted }
        }
        return choices.database.map { $0 == entry } ?? true ? entry : nil
    }

    /// The placement of an entry, as the backup names it. A new cluster places its databases on all nodes.
    private func record(of entry: DatabaseName?, in backup: BackupFile) -> PlacementRecord? {
        guard let entry, let manifest = backup.manifest else { return nil }
        return PlacementRecord(
            choices.isAsNew ? nil : manifest.databases[entry].flatMap(\.placement))
    }

    private func preparePath(for name: DatabaseName) throws(CommandError) -> String {
        let folder = target.folder(of: name)
        let parents = name.isDefault ? [] : [target.folder + "/databases"]
        for path in [target.folder] + parents + [folder] where access(path, F_OK) != 0 {
            guard mkdir(path, 0o700) == 0 else {
                throw CommandError(
                    .cannotCreate, "cannot create \(path): \(systemErrorText)",
                    fix: "run this command as the user of the node, or as root")
            }
            giveToOwnerOfFolder(path)
        }
        let path = folder + "/log.sqlite.restored"
        // Those of a command that was killed.
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        return path
    }

    /// Marks a copy before it gets its place, so that no node ever starts on it without the mark.
    private func mark(_ copy: Copy) throws(CommandError) {
        do throws(NodeError) {
            try DatabaseCopy.markAsOlderDisk(copy.path, isOfOtherNode: copy.isOfOtherNode)
        } catch {
            throw CommandError(.cannotCreate, error.problem, fix: error.fix)
        }
    }

    // MARK: Files

    /// Puts a copy in the place of a database. The old files move first, and durably: SQLite would apply an old log to the new
    /// database.
    private func replace(_ name: DatabaseName, by copy: Copy) throws(CommandError) {
        let database = target.folder(of: name) + "/log.sqlite"
        for suffix in ["-wal", "-shm", "", "-digest"] {
            try move(
                database + suffix, to: "\(database).before-restore-\(time)\(suffix)", ifThere: true)
        }
        try synchronize(database)
        if let record = copy.record { try write(record, of: name) }
        try move(copy.path, to: database)
        try synchronize(database)
    }

    /// Writes the placement of a copy, as a node does, to which the files belong from then on.
    private func write(_ record: PlacementRecord, of name: DatabaseName) throws(CommandError) {
        let path = target.folder(of: name) + "/placement.json"
        try move(path, to: "\(path).before-restore-\(time)", ifThere: true)
        guard record.placement != nil else { return }
        let file = try DatabaseFileWriter(path)
        try file.write(Array(JSONWriter.text(of: record.value).utf8)[...])
        try file.finish()
    }

    /// Moves all databases of the node, and its records of removed ones, into a folder beside them, but not backups.
    private func moveEverythingAside(
        but copies: [DatabaseName: Copy]
    ) throws(CommandError) {
        let aside = "\(target.folder)/before-restore-\(time)"
        let databases = target.folder + "/databases"
        guard mkdir(aside, 0o700) == 0, mkdir(aside + "/databases", 0o700) == 0 else {
            throw CommandError(
                .cannotCreate, "cannot create \(aside): \(systemErrorText)",
                fix: "run this command as the user of the node, or as root")
        }
        giveToOwnerOfFolder(aside)
        giveToOwnerOfFolder(aside + "/databases")
        let kept = Set(copies.values.map(\.path))
        for entry in entries(of: target.folder)
        where entry.hasPrefix("log.sqlite") && !kept.contains("\(target.folder)/\(entry)") {
            try move("\(target.folder)/\(entry)", to: "\(aside)/\(entry)")
        }
        for entry in entries(of: databases) {
            let source = "\(databases)/\(entry)"
            guard let name = DatabaseName(stored: entry), let copy = copies[name] else {
                try move(source, to: "\(aside)/databases/\(entry)")
                continue
            }
            for file in entries(of: source)
            where file.hasPrefix("log.sqlite") || file.hasPrefix("placement.json") {
                guard "\(source)/\(file)" != copy.path else { continue }
                mkdir("\(aside)/databases/\(entry)", 0o700)
                giveToOwnerOfFolder("\(aside)/databases/\(entry)")
                try move("\(source)/\(file)", to: "\(aside)/databases/\(entry)/\(file)")
            }
        }
        try synchronize(aside)
        try synchronize(aside + "/databases")
    }

    private func entries(of folder: String) -> [String] {
        guard let list = opendir(folder) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private func move(
        _ path: String, to target: String, ifThere: Bool = false
    ) throws(CommandError) {
        guard rename(path, target) != 0, !(ifThere && errno == ENOENT) else { return }
        throw CommandError(
            .cannotCreate, "cannot rename \(path): \(systemErrorText)",
            fix: "check the rights of its folder")
    }

    private func synchronize(_ path: String) throws(CommandError) {
        guard synchronizeFolder(of: path) else {
            throw CommandError(
                .cannotCreate, "cannot sync the folder of \(path): \(systemErrorText)",
                fix: "check its disk")
        }
    }
}

/// The databases that the backups of a cluster have, and those that they name.
package struct BackupCoverage {
    /// A database that would be lost.
    package struct Missing: Equatable {
        package let name: DatabaseName
        /// The nodes that held it; nil if all nodes did, or if it is not known.
        let nodes: [String]?

        package var text: String {
            nodes.map { "\(name) (on \($0.joined(separator: ", ")))" } ?? name.text
        }
    }

    private var copied: Set<DatabaseName> = []
    private var placements: [DatabaseName: DatabasePlacement?] = [:]

    /// - Parameter single: The database of a backup that does not name it.
    package init(_ manifests: [BackupManifest], single: DatabaseName?) {
        if let single { copied.insert(single) }
        for manifest in manifests {
            copied.formUnion(manifest.copied)
            for (name, database) in manifest.databases {
                let known = placements[name].flatMap { $0?.epoch } ?? 0
                if placements[name] == nil || database.placement?.epoch ?? 0 > known {
                    placements[name] = .some(database.placement)
                }
            }
        }
    }

    /// The databases without a copy, ascending; without nodes also those whose nodes are not among these.
    ///
    /// - Parameter present: Databases that the node has, whatever the backups name.
    package func missing(
        from nodes: [String], present: [DatabaseName] = []
    ) -> [Missing] {
        let names = Set(placements.keys).union(present).filter { !$0.isCatalog }
        return names.sorted().compactMap { name in
            let placement = placements[name] ?? nil
            let isPlaced = placement?.nodes.contains(where: nodes.contains) ?? true
            if copied.contains(name), isPlaced { return nil }
            return Missing(name: name, nodes: placement?.nodes)
        }
    }

    /// Whether a backup has the database.
    package func isCopied(_ name: DatabaseName) -> Bool { copied.contains(name) }

    /// Whether a node holds a database.
    func concerns(_ name: DatabaseName, _ node: String) -> Bool {
        (placements[name] ?? nil)?.nodes.contains(node) ?? true
    }
}
