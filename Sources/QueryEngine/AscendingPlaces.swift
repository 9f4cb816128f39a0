import DataTree

/// The leaves of a `PlaceTree` while places are appended in order.
struct AscendingPlaces {
    /// Some room stays in each leaf, as after ascending insertions, so that the next change splits nothing.
    static let filled = PlaceNode.fanOut - PlaceNode.roomForLatePlaces

    private var full: [PlaceNode] = []
    private var leaf = PlaceNode(height: 0)

    /// Adds a place behind all others.
    mutating func append(_ place: Place, _ record: PackedChildren?) {
        if leaf.count == Self.filled {
            full.append(leaf)
            leaf = PlaceNode(height: 0)
        } else if !isKnownUniquelyReferenced(&leaf) {
            leaf = PlaceNode(copying: leaf)
        }
        leaf.insert(place, record, at: leaf.count)
    }

    var leaves: [PlaceNode] { full + [leaf] }
}

// A shared leaf is never changed.
extension AscendingPlaces: @unchecked Sendable {}
