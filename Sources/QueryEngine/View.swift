public import DataTree

/// What one listener sees: its value as it stands, and the events that led there.
///
///     var view = View(of: .all)
///     view.set(value)                                   // the initial events
///     view.apply([Change(path: path, old: .null, new: 3)])   // those of one operation
///
/// Events come in Firebase's order, computed from the exact changes of one operation.
/// Source: `firebase-semantics.md`, section 5.
public struct View: Sendable {
    /// The kinds of events that are made; others cost nothing.
    public let kinds: ViewEvent.Kinds
    /// What is at the location; null until the view is complete.
    public private(set) var value: Value = .null
    /// Whether the whole value has been given.
    public private(set) var isComplete = false
    private var order = ViewOrder(by: .priority)

    public init(of kinds: ViewEvent.Kinds) { self.kinds = kinds }

    /// Gives the whole value, at first or again after a gap; only what differs makes events.
    ///
    /// - Complexity: O(children that either value has) per level that is not shared by both.
    public mutating func set(_ new: Value) -> [ViewEvent] {
        var changes: [Change] = []
        Change.append(from: value, to: new, at: .root, into: &changes)
        let isFirst = !isComplete
        isComplete = true
        return move(to: new, by: changes, isFirst: isFirst)
    }

    /// Applies the exact changes of one operation, in the order in which they happened, their paths
    /// relative to the view's location.
    ///
    /// - Complexity: O(log n) for each change to a child of a list of n, besides the size of the
    ///   change itself.
    public mutating func apply(_ changes: [Change]) -> [ViewEvent] {
        var after = value
        for change in View.ordered(changes, by: { ($0.path, $0.new) }) {
            after.set(change.new, at: change.path)
        }
        return move(to: after, by: changes, isFirst: false)
    }

    /// Replaces what is at some paths, together; what is there already is no change.
    public mutating func apply(writing writes: [(path: Path, value: Value)]) -> [ViewEvent] {
        if writes.count == 1, writes[0].path.isRoot { return set(writes[0].value) }
        var after = value
        var changes: [Change] = []
        for (path, new) in View.ordered(writes, by: { $0 }) {
            let old = after[path]
            after.set(new, at: path)
            // Read back, because a priority where nothing is leaves nothing.
            Change.append(from: old, to: after[path], at: path, into: &changes)
        }
        return move(to: after, by: changes, isFirst: false)
    }

    /// What is written together, so ordered that no object is empty on the way to being filled: it
    /// would lose its priority. Where one path contains another, the given order counts.
    private static func ordered<Element>(
        _ elements: [Element], by part: (Element) -> (path: Path, value: Value)
    ) -> [Element] {
        if elements.count < 2 || containsNested(elements.map { part($0).path }) { return elements }
        let parts = elements.map(part)
        let values = parts.indices.filter { parts[$0].path.last != .priority }
        let places =
            values.filter { !parts[$0].value.isNull } + values.filter { parts[$0].value.isNull }
            + parts.indices.filter { parts[$0].path.last == .priority }
        return places.map { elements[$0] }
    }
}

// MARK: - Events of one operation

extension View {
    private mutating func move(
        to new: Value, by changes: [Change], isFirst: Bool
    ) -> [ViewEvent] {
        let old = value
        value = new
        let children = View.changedChildren(changes, from: old, to: value)
        order.update(children, in: value.children)

        var events: [ViewEvent] = []
        if !kinds.isDisjoint(with: .children) { appendChildEvents(of: children, to: &events) }
        if kinds.contains(.value), isFirst || !children.isEmpty || hasOwnChange(from: old) {
            events.append(ViewEvent(.value, nil, value))
        }
        return events
    }

    /// The children that differ, ascending by key.
    private static func changedChildren(
        _ changes: [Change], from old: Value, to new: Value
    ) -> [ChildChange] {
        var keys = SortedMap<Void>()
        for change in changes {
            if let key = change.path.keys.first {
                if key != .priority { keys[key] = () }
            } else {
                for key in change.old.children.keys { keys[key] = () }
                for key in change.new.children.keys { keys[key] = () }
            }
        }
        // Only changes at one place, one after the other, can undo each other.
        let mayCancel = containsNested(changes.map(\.path))
        return keys.keys.compactMap { key in
            let child = ChildChange(key: key, old: old[key], new: new[key])
            if child.old.isNull, child.new.isNull { return nil }
            return mayCancel && child.old == child.new ? nil : child
        }
    }

    private static func containsNested(_ paths: [Path]) -> Bool {
        if paths.count < 2 { return false }
        let paths = paths.sorted()
        return zip(paths, paths.dropFirst()).contains { $0.contains($1) }
    }

    /// Whether the location's own primitive or priority is another.
    private func hasOwnChange(from old: Value) -> Bool {
        if old.priority != value.priority { return true }
        if old.children.isEmpty, value.children.isEmpty { return old != value }
        return old.isPrimitive != value.isPrimitive
    }

    private func appendChildEvents(of changes: [ChildChange], to events: inout [ViewEvent]) {
        var found: [(kind: ViewEvent.Kind, place: Place, data: Value)] = []
        for change in changes {
            let old = order.place(of: change.key, change.old)
            let new = order.place(of: change.key, change.new)
            if change.new.isNull {
                found.append((.childRemoved, old, change.old))
            } else if change.old.isNull {
                found.append((.childAdded, new, change.new))
            } else {
                if old.indexedValue != new.indexedValue {
                    found.append((.childMoved, new, change.new))
                }
                found.append((.childChanged, new, change.new))
            }
        }
        if found.count > 1 {
            found.sort {
                $0.kind == $1.kind ? $0.place < $1.place : $0.kind.rawValue < $1.kind.rawValue
            }
        }
        let children = value.children
        for (kind, place, data) in found where kinds.contains(ViewEvent.Kinds(kind)) {
            let previous =
                kind == .childRemoved ? nil : order.key(before: place.key, data, in: children)
            events.append(ViewEvent(kind, place.key, after: previous, data))
        }
    }
}
