public import ClusterConfiguration
public import DataTree
internal import NodeStorage
internal import ReplicaCore
internal import Storage

/// The data in the file of a database that no node has open.
public enum StoredValue {
    /// Reads the data as a node would show them that starts with the file at `path`.
    ///
    /// - Throws: If another process has the file open, or it is damaged.
    /// - Complexity: reads the whole file.
    public static func read(_ path: String) throws(NodeError) -> Value {
        let configuration = ReplicaConfiguration(
            cluster: "", member: "", peers: [], durability: .commit, seed: 0)
        do throws(StorageError) {
            var store = NodeStore(try SQLiteTables(path: path))
            let replica = try store.recover { state in
                Replica(
                    configuration, properties: state.properties, checkpoint: state.checkpoint,
                    orphans: state.orphans)
            } replay: {
                $0.replay($1)
            }
            return replica.value
        } catch {
            throw NodeError(error)
        }
    }
}
