import DataTree

/// The leaves of a `PositionTree` while positions are appended in order.
struct AscendingPositions {
    /// Some room stays in each leaf, as after ascending insertions, so that the next change splits nothing.
    static let filled = PositionNode.fanOut - PositionNode.roomForLatePositions

    private var full: [PositionNode] = []
    private var leaf = PositionNode(height: 0)

    /// Adds a position behind all others.
    mutating func append(_ position: ListPosition, _ record: PackedChildren?) {
        if leaf.count == Self.filled {
            full.append(leaf)
            leaf = PositionNode(height: 0)
        } else if !isKnownUniquelyReferenced(&leaf) {
            leaf = PositionNode(copying: leaf)
        }
        leaf.insert(position, record, at: leaf.count)
    }

    var leaves: [PositionNode] { full + [leaf] }
}

// A shared leaf is never changed.
extension AscendingPositions: @unchecked Sendable {}
