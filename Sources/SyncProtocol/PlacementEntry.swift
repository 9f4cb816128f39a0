public import DataTree

/// The entry of a database in the catalog: the placement that nodes follow, and beside it as `next` the one that replaces it.
///
/// A coordinator that is cut off may write an entry which is never decided, because another coordinator decides a different one.
/// Some nodes see the first one for a while. So a change is written as `next`, which no node follows, and takes effect once that
/// write was acknowledged. From then on it cannot be given up, because a node may follow it already.
public struct PlacementEntry: Equatable, Sendable {
    private static let nextKey = Key(unchecked: "next")

    /// Nil if all nodes hold the database.
    public let placement: DatabasePlacement?
    public let next: DatabasePlacement?

    public init(_ placement: DatabasePlacement?, next: DatabasePlacement? = nil) {
        (self.placement, self.next) = (placement, next)
    }

    /// Reads an entry of the catalog; nil if the value is none.
    public init?(_ value: Value) {
        let nextValue = value[Self.nextKey]
        next = DatabasePlacement(nextValue)
        placement = DatabasePlacement(value)
        guard nextValue.isNull || next != nil else { return nil }
        guard placement != nil || next != nil || value.isNull else { return nil }
    }

    /// The entry as the catalog has it.
    public var value: Value {
        var value = placement?.value ?? .null
        if let next { value.set(next.value, at: Path([Self.nextKey])) }
        return value
    }
}
