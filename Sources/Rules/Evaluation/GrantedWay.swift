internal import DataTree

/// A way on which a user may write all that lies below, whatever the data: what one user's writes have in common is judged once.
///
/// It is valid for one user and one document. Rules that use more than `auth` and the keys of the
/// way are never remembered.
public struct GrantedWay: Sendable {
    /// The keys of the way.
    let keys: ArraySlice<Key>
    /// The level to which they lead.
    let level: Int
    /// The work of the rules that led to the grant.
    let work: Int

    var depth: Int { keys.count }

    init(_ keys: ArraySlice<Key>, to level: Int, for work: Int) {
        (self.keys, self.level, self.work) = (keys, level, work)
    }

    /// Whether a path goes along the way, to its end at least.
    func leads(to path: Path) -> Bool {
        path.keys.withUnsafeBufferPointer { path in
            keys.withUnsafeBufferPointer { keys in
                if path.count < keys.count { return false }
                for index in keys.indices where keys[index] != path[index] { return false }
                return true
            }
        }
    }
}

extension Expression {
    /// Whether its result depends on the user and the way alone, and not on data or time.
    var isOfWayAlone: Bool {
        nodes.allSatisfy { node in
            switch node.kind {
            case .variable(.auth), .variable(.binding): true
            case .variable: false
            default: true
            }
        }
    }
}
