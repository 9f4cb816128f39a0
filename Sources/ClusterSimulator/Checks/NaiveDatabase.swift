import DataTree
import SyncProtocol

/// The contents of one database alone: the leaves of a tree and its priorities, each by its path.
///
/// Slow, short, and written without the tree that ships. Source: `firebase-semantics.md`, sections 6 and 7.
struct NaiveDatabase {
    private var leaves: [Path: Value] = [:]
    private var priorities: [Path: Value] = [:]

    init(_ value: Value) { insert(value, at: .root) }

    /// What it shows. A place without a value has no priority.
    var value: Value {
        var value = Value.null
        // In any order: no leaf is above another one.
        for (path, leaf) in leaves { value.set(leaf, at: path) }
        for (path, priority) in priorities {
            value.set(priority, at: path.appending(.priority))
        }
        return value
    }

    /// Does the writes of one request, of which none is above another one.
    mutating func apply(_ writes: [Write], at milliseconds: UInt64) {
        for write in writes where write.path.last != .priority {
            apply(write, at: milliseconds)
        }
        for write in writes where write.path.last == .priority {
            guard let owner = write.path.parent else { continue }
            priorities[owner] = resolved(write.value, over: priorities[owner], milliseconds)
        }
        for owner in priorities.keys where !leaves.keys.contains(where: owner.contains) {
            priorities[owner] = nil
        }
    }

    private mutating func apply(_ write: Write, at milliseconds: UInt64) {
        let old = self
        for path in leaves.keys where write.path.contains(path) { leaves[path] = nil }
        for path in priorities.keys where write.path.contains(path) { priorities[path] = nil }
        if write.value.isNull { return }
        for path in leaves.keys where path.contains(write.path) { leaves[path] = nil }
        insert(write.value, at: write.path)
        for path in leaves.keys where write.path.contains(path) {
            leaves[path] = resolved(leaves[path], over: old.leaves[path], milliseconds)
        }
        for path in priorities.keys where write.path.contains(path) {
            priorities[path] = resolved(priorities[path], over: old.priorities[path], milliseconds)
        }
    }

    private mutating func insert(_ value: Value, at path: Path) {
        if value.isPrimitive, !value.isNull { leaves[path] = value.content }
        for (key, child) in value.children { insert(child, at: path.appending(key)) }
        if !value.priority.isNull { priorities[path] = value.priority }
    }

    /// A leaf with the time or the sum that it asks for; nil for null.
    private func resolved(_ leaf: Value?, over old: Value?, _ milliseconds: UInt64) -> Value? {
        switch leaf?.content {
        case .deferred(.timestamp): .integer(Int64(milliseconds))
        case .deferred(.increment(.integer(let delta))):
            if case .integer(let count)? = old?.content {
                .integer(count + delta)
            } else {
                .integer(delta)
            }
        case .null, nil: nil
        default: leaf
        }
    }
}
