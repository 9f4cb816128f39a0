internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import Glibc
internal import SyncProtocol

/// `hearth restore`: brings back databases of a node from backups.
enum RestoreVerb {
    private static let file = Argument(
        "FILE", "A backup that `hearth backup` wrote, or - for standard input.", values: .file)
    private static let node = Argument(
        "NODE", "The node whose databases the backup replaces, such as n1.", arity: .optional,
        values: .node)
    private static let check = Option(
        flag: "check",
        "Only check that FILE is a complete backup, and list its databases; NODE is not needed.")
    private static let isWhole = Option(
        flag: "whole-cluster",
        "All nodes return to backups: run it for each node. All other files of the node move aside. Refused if "
            + "a database would be lost.")
    private static let others = Option(
        "with", "FILE",
        "A further backup, of another node of the cluster; may be repeated. For --whole-cluster and --check.",
        values: .file)
    private static let omitted = Option(
        "without", "NAMES", "The databases that --whole-cluster may lose, such as chat,news.")
    private static let isNew = Option(
        flag: "as-new",
        "Accept a backup of another cluster or database. Its databases are then on all nodes.")

    static let restore = Verb(
        "restore",
        "Replaces the databases of a stopped node by those of a backup. With --database, it replaces that one "
            + "alone. The old files stay beside them. When the node starts, it serves once it has heard enough "
            + "other nodes, and fetches all newer writes from them.",
        arguments: [file, node],
        options: [
            check, isWhole, others, omitted, isNew, NodeOptions.folder, NodeOptions.configuration,
            NodeOptions.database,
        ],
        examples: [
            "hearth restore .hearth/n1/backups/monday.tar n1",
            "hearth restore monday.tar n1 --config /etc/hearth/cluster.json5",
            "hearth restore --check n1.tar --with n2.tar",
            "hearth restore n1.tar n1 --whole-cluster --with n2.tar --with n3.tar",
            "hearth restore - n1",
        ]
    ) { invocation throws(CommandError) in
        var backups = [try BackupFile(invocation.words(of: file)[0])]
        for path in invocation.values(of: others) { backups.append(try BackupFile(path)) }
        if invocation.has(check) { return try checkBackups(backups) }
        guard let id = invocation.words(of: node).first else {
            throw invocation.usageError(
                "\(invocation.name): NODE is missing", fix: "name the node to restore, such as n1")
        }
        let choices = try choices(of: invocation)
        let target = try NodeOptions.stoppedNode(id, for: invocation)
        let names = try Restoration(of: target, from: backups, choices).run()
        let databases = names.filter { !$0.isCatalog }.map(\.text).joined(separator: ", ")
        StandardOutput.shared.print("restored: \(databases)")
        StandardOutput.shared.print("\(id) now has the data of the copy; start the node")
        return .success
    }

    private static func choices(
        of invocation: Invocation
    ) throws(CommandError) -> Restoration.Choices {
        var choices = Restoration.Choices()
        choices.database = try NodeOptions.namedDatabase(of: invocation)
        choices.isAsNew = invocation.has(isNew)
        choices.isWholeCluster = invocation.has(isWhole)
        for text in (invocation[omitted] ?? "").split(separator: ",") {
            guard let name = DatabaseName(String(text)) else {
                throw invocation.usageError(
                    "--\(omitted.name): \(text) is not the name of a database",
                    fix: "separate names by commas")
            }
            choices.omitted.insert(name)
        }
        let needsWhole = !choices.omitted.isEmpty || !invocation.values(of: others).isEmpty
        if needsWhole, !choices.isWholeCluster {
            throw invocation.usageError(
                "--\(others.name) and --\(omitted.name) need --\(isWhole.name)",
                fix: "restore one node from one backup, or the whole cluster")
        }
        if choices.isWholeCluster, choices.database != nil {
            throw invocation.usageError(
                "--\(isWhole.name) and --\(NodeOptions.database.name) are both given",
                fix: "restore the whole cluster, or one database at each of its nodes")
        }
        return choices
    }

    /// Checks each database of backups, in a file without a name.
    private static func checkBackups(_ backups: [BackupFile]) throws(CommandError) -> ExitStatus {
        for backup in backups {
            let path = "\(temporaryFolder)/hearth-check-\(getpid()).sqlite"
            defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
            try backup.unpack { _ in
                path
            } didWrite: { name, path throws(CommandError) in
                do throws(NodeError) { try DatabaseCopy.check(path) } catch {
                    let problem = name.map { "\($0): \(error.problem)" } ?? error.problem
                    throw CommandError(
                        .badData, "\(backup.name) is not a complete copy: \(problem)",
                        fix: "use another backup")
                }
            }
            StandardOutput.shared.print("\(backup.name) is a complete copy" + contents(of: backup))
        }
        let manifests = backups.compactMap(\.manifest)
        let missing = BackupCoverage(manifests, single: nil).missing(from: manifests.map(\.node))
            .filter { !BackupCoverage(manifests, single: nil).isCopied($0.name) }
        if !missing.isEmpty {
            StandardOutput.shared.print(
                "without databases of the cluster: \(missing.map(\.text).joined(separator: ", "))")
        }
        return .success
    }

    private static func contents(of backup: BackupFile) -> String {
        guard let manifest = backup.manifest else { return "" }
        let names = manifest.copied.filter { !$0.isCatalog }.map(\.text).joined(separator: ", ")
        let time = BackupRetention.text(ofMilliseconds: manifest.milliseconds)
        return ": node \(manifest.node) of the cluster \(manifest.cluster), \(time), \(names)"
    }

    private static var temporaryFolder: String { environment("TMPDIR") ?? "/var/tmp" }
}
