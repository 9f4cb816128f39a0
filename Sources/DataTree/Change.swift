/// One place where two states of a tree differ: everything at and below `path` was `old`, and is `new`.
///
/// Changes come in lists, in the order in which they happened. A list is exact: no leaf below `path`
/// is equal in `old` and `new`, but for the priorities of a primitive that became an object, or the
/// other way round.
public struct Change: Equatable, Sendable {
    /// Where.
    public var path: Path
    /// What was there.
    public var old: Value
    /// What is there.
    public var new: Value

    /// A change of what is at a path.
    public init(path: Path, old: Value, new: Value) {
        self.path = path
        self.old = old
        self.new = new
    }

    /// Appends the exact difference of two values at `path`.
    ///
    /// Setting the new values in this order, one after the other, makes `new` of `old`.
    ///
    /// - Complexity: O(children that either has) per level at which both are objects.
    public static func append(
        from old: Value, to new: Value, at path: Path, into changes: inout [Change]
    ) {
        guard case .object(let before) = old.content, case .object(let after) = new.content else {
            if old != new { changes.append(Change(path: path, old: old, new: new)) }
            return
        }
        if old.priority != new.priority {
            changes.append(
                Change(path: path.appending(.priority), old: old.priority, new: new.priority))
        }
        if before.isShared(with: after) { return }
        // Removals come last: an object that lost all its children in between would lose its
        // priority as well.
        var removed: [Key] = []
        for (key, value) in before {
            if let new = after[key] {
                append(from: value, to: new, at: path.appending(key), into: &changes)
            } else {
                removed.append(key)
            }
        }
        for (key, value) in after where before[key] == nil {
            changes.append(Change(path: path.appending(key), old: .null, new: value))
        }
        for key in removed {
            let value = before[key] ?? .null
            changes.append(Change(path: path.appending(key), old: value, new: .null))
        }
    }
}
