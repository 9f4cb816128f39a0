package import ClusterConfiguration
internal import NodeStorage
internal import Storage

/// A copy of a node's database, as `backup` makes it.
package enum DatabaseCopy {
    /// Checks that the file at `path` is a complete copy.
    ///
    /// - Throws: when it is another file, damaged, or of another version of Hearth.
    /// - Complexity: reads the whole file.
    package static func check(_ path: String) throws(NodeError) {
        do throws(StorageError) {
            try SQLiteTables.check(path)
        } catch {
            throw NodeError(error)
        }
    }

    /// Marks a copy as older than the latest disk of its node, which then asks the other nodes before it votes or serves.
    ///
    /// - Parameter isOfOtherNode: Whether another node has written it.
    package static func markAsOlderDisk(
        _ path: String, isOfOtherNode: Bool
    ) throws(NodeError) {
        do throws(StorageError) {
            try SQLiteTables.markAsOlderDisk(path, isOfOtherNode: isOfOtherNode)
        } catch {
            throw NodeError(error)
        }
    }
}
