package import ClusterConfiguration
internal import Glibc
internal import NodeStorage
internal import Storage
package import SyncProtocol

/// The decision of an operator that a node serves without what its disk has lost.
package enum LossAcceptance {
    /// Records it in each database of a node that does not run.
    ///
    /// - Returns: The databases that had lost something, the default one first.
    /// - Throws: when the node runs, or a database is damaged.
    package static func record(inFolder folder: String) throws(NodeError) -> [DatabaseName] {
        var accepted: [DatabaseName] = []
        for name in StoredOperations.databases(inFolder: folder) {
            let path = StoredOperations.path(of: name, inFolder: folder)
            guard access(path, F_OK) == 0 else { continue }
            do throws(StorageError) {
                if try SQLiteTables.acceptLoss(path) { accepted.append(name) }
            } catch {
                throw NodeError(error)
            }
        }
        return accepted
    }
}
