public import DataTree

/// The order of the children of a list; the key breaks ties.
///
/// Source: `firebase-semantics.md`, section 3.
public enum ChildOrder: Hashable, Sendable {
    /// By key alone.
    case key
    /// By the child's own value.
    case value
    /// By the child's priority: Firebase's default.
    case priority
    /// By the value at a path below the child; a missing value is null.
    case child(Path)

    /// The order's name in queries, configurations and rules.
    package var name: String {
        switch self {
        case .key: ".key"
        case .value: ".value"
        case .priority: ".priority"
        case .child(let path): path.keys.map(\.text).joined(separator: "/")
        }
    }

    /// The value that, with the key, decides a child's position.
    func sortValue(of child: Value) -> SortValue {
        switch self {
        case .key: .null
        case .value: SortValue(child)
        case .priority: SortValue(child.priority)
        case .child(let path): SortValue(child[path])
        }
    }

    /// The path below a child whose value decides; nil if no change below a child moves it.
    var path: Path? {
        switch self {
        case .key, .value: nil
        case .priority: ChildOrder.priorityPath
        case .child(let path): path
        }
    }

    private static let priorityPath = Path([.priority])

    func position(of key: Key, _ child: Value) -> ListPosition {
        ListPosition(sortValue: sortValue(of: child), key: key)
    }

    /// Whether a child that changed has moved, even if it stands between the same neighbours.
    ///
    /// Source: `firebase-semantics.md`, rule E5.
    func isMoved(from old: ListPosition, to new: ListPosition) -> Bool {
        self == .value || old.sortValue != new.sortValue
    }
}
