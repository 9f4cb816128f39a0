package import ClusterConfiguration
internal import Glibc
internal import ReplicaCore
internal import Storage
internal import SyncProtocol

/// What the database of a node that does not run holds, for others to compare with what they hold.
package struct StoredOperations: Equatable, Sendable {
    /// How many operations it holds of each writer, as `status` names writers that are no node's current one.
    package private(set) var counts: [String: UInt64] = [:]
    /// Operations that were orphaned by an eviction and are not replayed yet, in batches.
    package private(set) var orphanedBatches = 0

    /// Reads the database of a node's folder; a folder without one holds nothing.
    ///
    /// - Throws: when the node runs, or the database is damaged.
    /// - Complexity: reads the whole log.
    package init(inFolder folder: String) throws(NodeError) {
        let path = folder + "/log.sqlite"
        guard access(path, F_OK) == 0 else { return }
        do throws(StorageError) {
            try read(LogFile(path: path))
        } catch {
            throw NodeError(error)
        }
    }

    private mutating func read(_ file: LogFile) throws(StorageError) {
        if let head = try file.checkpointHead() {
            guard let head = try? CheckpointHead(head) else {
                throw file.damage("the head of its checkpoint")
            }
            for (origin, sequence) in head.vector.entries { note(origin, through: sequence) }
        }
        var logged: [UInt64: UInt64] = [:]
        // In any order: only the highest sequence of each writer counts.
        let anyOrder = { (_: UnsafeRawBufferPointer) in UInt64(0) }
        try file.forEachBatch(inOrderOf: anyOrder) { origin, _, last, _ in
            logged[origin] = max(logged[origin] ?? 0, last)
        }
        for (origin, last) in logged { note(WriterID(bits: origin), through: last) }
        orphanedBatches = try file.orphans().count
    }

    private mutating func note(_ origin: WriterID, through sequence: UInt64) {
        counts["\(origin)"] = max(counts["\(origin)"] ?? 0, sequence)
    }
}
