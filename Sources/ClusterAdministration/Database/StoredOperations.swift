package import ClusterConfiguration
internal import Glibc
internal import NodeStorage
internal import Storage
package import SyncProtocol

/// The operations in the database of a node that does not run, to compare with those of other nodes.
package struct StoredOperations: Equatable, Sendable {
    /// How many operations it holds of each writer; closed writers are named as in `status`.
    package private(set) var counts: [String: UInt64] = [:]
    /// Operations that were orphaned by an eviction and are not replayed yet, in batches.
    package private(set) var orphanedBatches = 0

    /// The databases with files in a node's folder, the default one first, including the catalog.
    package static func databases(inFolder folder: String) -> [DatabaseName] {
        guard let entries = opendir(folder + "/databases") else { return [.default] }
        defer { closedir(entries) }
        var names: [DatabaseName] = []
        while let entry = readdir(entries) {
            let text = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            // The folder of a removed database may still have its backups.
            if let name = DatabaseName(stored: text), !name.isDefault,
                access(path(of: name, inFolder: folder), F_OK) == 0
            {
                names.append(name)
            }
        }
        return [.default] + names.sorted()
    }

    static func path(of name: DatabaseName, inFolder folder: String) -> String {
        folder + (name.isDefault ? "" : "/databases/\(name)") + "/log.sqlite"
    }

    /// Reads a database in a node's folder; a folder without it holds nothing.
    ///
    /// - Throws: when the node runs, or the database is damaged.
    package init(
        of name: DatabaseName = .default, inFolder folder: String
    ) throws(NodeError) {
        let path = Self.path(of: name, inFolder: folder)
        if access(path, F_OK) == 0 { try self.init(inFile: path) } else { self.init() }
    }

    private init() {}

    /// Reads the database in a file.
    ///
    /// - Throws: as above.
    init(inFile path: String) throws(NodeError) {
        do throws(StorageError) {
            var store = NodeStore(try SQLiteTables(path: path))
            let held = try store.inventory()
            for (origin, sequence) in held.vector.entries { counts["\(origin)"] = sequence }
            orphanedBatches = held.orphans
        } catch {
            throw NodeError(error)
        }
    }
}
