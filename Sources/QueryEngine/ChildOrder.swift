public import DataTree

/// By what the children of a list are ordered; equal ones by key.
///
/// Source: `firebase-semantics.md`, section 3.
public enum ChildOrder: Hashable, Sendable {
    /// By key alone.
    case key
    /// By the child's own value.
    case value
    /// By the child's priority: Firebase's order where no other is asked for.
    case priority
    /// By what is at a path below the child, which is null where nothing is.
    case child(Path)

    /// What decides a child's place, together with its key.
    func sortValue(of child: Value) -> SortValue {
        switch self {
        case .key: .null
        case .value: SortValue(child)
        case .priority: SortValue(child.priority)
        case .child(let path): SortValue(child[path])
        }
    }

    /// Where below a child it is that decides; nil if no change below a child does.
    var path: Path? {
        switch self {
        case .key, .value: nil
        case .priority: ChildOrder.priorityPath
        case .child(let path): path
        }
    }

    private static let priorityPath = Path([.priority])

    func place(of key: Key, _ child: Value) -> Place {
        Place(sortValue: sortValue(of: child), key: key)
    }

    /// Whether a child that changed has moved, even if it stands between the same neighbours.
    ///
    /// Source: `firebase-semantics.md`, rule E5.
    func isMoved(from old: Place, to new: Place) -> Bool {
        self == .value || old.sortValue != new.sortValue
    }
}
