/// The place of a database, as one node sees it.
public enum DatabasePlace: Equatable, Sendable {
    /// The node holds it.
    case here
    /// The nodes with these names hold it, since this version of its entry in the catalog.
    case elsewhere(nodes: [String], epoch: UInt64)
    /// It moves to other nodes, and no client may use it for some seconds.
    case moving
    /// Two placements were decided for the same epoch, and no client may use it until an administrator has named one.
    case contested
}
