public import DataTree

/// The record beside the files of a database on the disk of a node: the placement in which the node used them last.
///
/// It says whether the files belong to the database of a later placement, or to what the node had before it lost the database.
/// It also keeps a contradiction: a placement of the same epoch that was decided by other nodes.
public struct PlacementRecord: Equatable, Sendable {
    private static let rivalKey = Key(unchecked: "rival")

    /// Nil for files from before the first placement.
    public let placement: DatabasePlacement?
    /// Another placement of the same epoch, if the node has seen one.
    public let rival: DatabasePlacement?

    /// A record of a placement.
    public init(_ placement: DatabasePlacement?, rival: DatabasePlacement? = nil) {
        (self.placement, self.rival) = (placement, rival)
    }

    /// Reads a record; nil if the value is none.
    public init?(_ value: Value) {
        guard let placement = DatabasePlacement(value) else { return nil }
        self.init(placement, rival: DatabasePlacement(value[Self.rivalKey]))
    }

    /// The record as the disk has it.
    public var value: Value {
        var value = placement?.value ?? .null
        if let rival { value.set(rival.value, at: Path([Self.rivalKey])) }
        return value
    }

    /// Whether the files belong to the database that a node holds by a placement.
    public func belongs(to next: DatabasePlacement, at node: String) -> Bool {
        placement?.epoch ?? 0 >= next.since(of: node)
    }
}
