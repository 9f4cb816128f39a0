package import GatewayCore
internal import ReplicaCore
public import SyncProtocol

/// The databases that a driver copies for a backup, and the description of them.
public struct BackupPlan: Equatable, Sendable {
    /// A database to copy.
    public struct Source: Equatable, Sendable {
        public let database: DatabaseIndex
        public let name: DatabaseName
    }

    /// The name of the file in the node's folder; nil if the archive is sent to the client.
    public let fileName: String?
    /// The databases, in the order of their names.
    public private(set) var sources: [Source]
    public private(set) var manifest: BackupManifest

    /// The same plan without databases that have no files yet.
    public func limited(to hasFile: (Source) -> Bool) -> BackupPlan {
        var plan = self
        for source in sources where !hasFile(source) {
            plan.sources.removeAll { $0 == source }
            plan.manifest.databases[source.name]?.isCopied = false
        }
        return plan
    }
}

extension NodeCore {
    /// The plan of a backup: the databases that this node holds, and what it knows of the others.
    package mutating func plan(of backup: NodeBackup) -> BackupPlan {
        var databases: [DatabaseName: BackupManifest.Database] = [:]
        for (name, placement) in catalog.placements where !removed.contains(name) {
            databases[name] = .init(isCopied: false, placement: placement)
        }
        var sources: [BackupPlan.Source] = []
        let held = indexes.filter { isHeld($0.value) }
        for (name, index) in held.sorted(by: { $0.key < $1.key }) + [(.default, .default)] {
            let isCopied = backup.database.map { $0 == name } ?? true
            databases[name, default: .init(isCopied: false)].isCopied = isCopied
            if isCopied { sources.append(.init(database: index, name: name)) }
        }
        return BackupPlan(
            fileName: backup.fileName, sources: sources,
            manifest: BackupManifest(
                cluster: replica.clusterName, node: replica.memberName,
                milliseconds: now.wallMilliseconds, databases: databases))
    }

    private func isHeld(_ index: DatabaseIndex) -> Bool {
        named[index.position].isListed || named[index.position].name.isCatalog
    }
}
