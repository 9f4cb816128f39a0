package import ClusterConfiguration
internal import Glibc
internal import NodeStorage
internal import Storage

/// The operations in the database of a node that does not run, to compare with those of other nodes.
package struct StoredOperations: Equatable, Sendable {
    /// How many operations it holds of each writer; closed writers are named as in `status`.
    package private(set) var counts: [String: UInt64] = [:]
    /// Operations that were orphaned by an eviction and are not replayed yet, in batches.
    package private(set) var orphanedBatches = 0

    /// Reads the database of a node's folder; a folder without one holds nothing.
    ///
    /// - Throws: when the node runs, or the database is damaged.
    package init(inFolder folder: String) throws(NodeError) {
        let path = folder + "/log.sqlite"
        guard access(path, F_OK) == 0 else { return }
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
