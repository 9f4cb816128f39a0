internal import DataTree
internal import ReplicaCore
internal import SyncProtocol

/// The catalog of a cluster: a database on all nodes that says which nodes hold the others. `hearth database` changes it by
/// transactions, so that each epoch is decided once.
///
/// A database without a placement is on all nodes.
struct DatabaseCatalog {
    /// The position of the catalog among the named databases; nil while the cluster has none.
    var position: Int?
    /// The placements of databases, by the last operations of the catalog that are durable here.
    private(set) var placements: [DatabaseName: DatabasePlacement] = [:]
    /// Other placements that were decided for the same epochs. No node serves these databases.
    private(set) var rivals: [DatabaseName: DatabasePlacement] = [:]
    /// The nodes that know of databases that move that all of their nodes hold the same operations.
    private(set) var copied: [DatabaseName: Set<String>] = [:]
    /// The operations that the node has followed; nil before the first ones.
    private var followed: VersionVector?
    /// The positions of databases that wait for the catalog before they open.
    var waiting: [Int] = []
    /// The positions of databases that move, ascending.
    var moving: [Int] = []

    /// Whether the cluster has a catalog that the node does not know yet.
    var isPending: Bool { position != nil && followed == nil }

    /// The placement of a database.
    func placement(of name: DatabaseName) -> DatabasePlacement? {
        placements.isEmpty ? nil : placements[name]
    }

    /// The epoch of a database.
    func epoch(of name: DatabaseName) -> UInt32 { placement(of: name)?.epoch ?? 0 }

    /// Records the durable operations of the catalog; returns whether there are others than before.
    mutating func follow(_ vector: VersionVector) -> Bool {
        defer { followed = vector }
        return followed != vector
    }

    /// The meaning of a placement beside the one that is known.
    enum News {
        case isKnown, isNewer, contradicts
    }

    /// Records a placement if it is newer than the known one.
    mutating func record(_ placement: DatabasePlacement, of name: DatabaseName) -> News {
        if let known = placements[name], placement.contradicts(known) { return .contradicts }
        guard placement.epoch > epoch(of: name) else { return .isKnown }
        placements[name] = placement
        (rivals[name], copied[name]) = (nil, nil)
        return .isNewer
    }

    /// Records that another placement was decided for the epoch of a database; returns false if one is known.
    mutating func recordRival(_ placement: DatabasePlacement, of name: DatabaseName) -> Bool {
        guard rivals[name] == nil else { return false }
        rivals[name] = placement
        return true
    }

    /// Records that a node knows that all nodes of a move hold the same operations.
    mutating func recordCopy(of name: DatabaseName, at node: String) {
        copied[name, default: []].insert(node)
    }

    /// The placements in the catalog's data, ascending by name.
    static func entries(in value: Value) -> [(DatabaseName, DatabasePlacement)] {
        value[Key(unchecked: "databases")].children.compactMap { key, entry in
            guard let name = DatabaseName(key.text), !name.isDefault,
                let placement = DatabasePlacement(entry[Key(unchecked: "placement")])
            else { return nil }
            return (name, placement)
        }
    }
}
