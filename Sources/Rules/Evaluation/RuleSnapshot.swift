internal import DataTree

/// A place of the tree as a rule sees it: one on the way of the operation, or one below that, with the places between.
enum RuleSnapshot: Sendable {
    /// The place of the way to which so many keys lead: the most frequent by far, and without a box of its own.
    case way(Route.Tree, depth: Int)
    /// A place one key below another, at which something is.
    indirect case found(Value, below: RuleSnapshot)
    /// A place so many keys below the last one at which something is.
    indirect case missing(levels: Int, below: RuleSnapshot)

    /// The place above; nil at the root.
    var parent: RuleSnapshot? {
        switch self {
        case .way(let tree, let depth): depth == 0 ? nil : .way(tree, depth: depth - 1)
        case .found(_, let place), .missing(1, let place): place
        case .missing(let levels, let place): .missing(levels: levels - 1, below: place)
        }
    }
}

extension Key {
    /// The keys of a path as rules write it: segments between slashes, of which empty ones are dropped. No segment means
    /// a place above, and characters that keys cannot have lead to nothing.
    static func keys(ofPath path: String) -> [Key] {
        // An unchecked key is found only if it is one; none begins with a dot.
        path.utf8.split(separator: UInt8(ascii: "/")).map {
            Key(unchecked: String(decoding: $0, as: UTF8.self))
        }
    }
}
