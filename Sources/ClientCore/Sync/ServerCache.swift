import DataTree
import QueryEngine

/// The data that a server has sent of a location, for one query there.
struct ServerCache: Sendable {
    private(set) var value: Value
    /// Whether the server has sent all that the query shows.
    private(set) var isComplete: Bool
    /// Whether children may exist that are not here, because the query does not show them.
    private(set) var isFiltered = false
    /// Children that the query no longer shows.
    private var hidden: [Key] = []

    init(_ value: Value, isComplete: Bool) {
        self.value = value
        self.isComplete = isComplete
    }

    /// Whether all of a child is known: it is here, or it is known that there is none.
    func isComplete(for key: Key) -> Bool {
        isComplete && !isFiltered || !value[key].isNull
    }

    func isComplete(at path: Path) -> Bool {
        path.keys.first.map(isComplete(for:)) ?? (isComplete && !isFiltered)
    }

    /// The whole value, once there is one.
    var completeValue: Value? { isComplete ? value : nil }

    /// All that is wholly known with some writes over it.
    ///
    /// A write below an unknown child makes no child, because the child may have other data.
    func value(under overlay: PendingOverlay) -> Value {
        isComplete && !isFiltered
            ? overlay.applied(to: value) : overlay.completedChildren(over: value)
    }

    /// Children that have left the window since this was last read.
    mutating func takeHidden() -> [Key] {
        defer { hidden = [] }
        return hidden
    }
}

// MARK: - Learning

extension ServerCache {
    /// Replaces everything.
    mutating func replace(by new: Value, through query: Query?) {
        if isFiltered { hidden += value.children.keys }
        value = query?.window(of: new) ?? new
        isComplete = true
        isFiltered = query != nil
    }

    /// Marks the data as complete for the query.
    mutating func complete() { isComplete = true }

    /// Replaces the data below; returns false if this cache does not hold that place.
    mutating func set(_ new: Value, at path: Path, through query: Query?) -> Bool {
        // Data deep in a child that is known in part belong to other listens.
        let isFilteringAll = query != nil && !isFiltered
        if !isFilteringAll, path.count > 1, !isComplete(at: path) { return false }
        value.set(new, at: path)
        narrow(to: query, changed: path.keys.prefix(1))
        return true
    }

    /// Writes over some children that are known.
    mutating func merge(_ change: SyncChange, through query: Query?) {
        value = change.applied(to: value)
        narrow(to: query, changed: change.children.keys.map { $0 }[...])
    }

    /// Drops the children that the query no longer shows after some children changed.
    ///
    /// - Complexity: O(log n) for each child; O(n log n) for n children if they are more than the
    ///   limit, as happens only briefly, or if nothing was dropped before.
    private mutating func narrow(to query: Query?, changed keys: ArraySlice<Key>) {
        let wasFiltered = isFiltered
        isFiltered = query != nil
        guard let query else { return }
        value = value.content
        for key in keys where wasFiltered {
            let child = value[key]
            guard child.isNull || !query.isInRange(key, child) else { continue }
            hidden.append(key)
            value.set(.null, at: Path([key]))
        }
        let isTooMuch = query.limit.map { value.children.count > $0.count } ?? false
        guard !wasFiltered || value.isPrimitive || isTooMuch else { return }
        let old = value
        value = query.window(of: old)
        hidden += old.children.keys.filter { value[$0].isNull }
    }
}

extension Query {
    /// The part of a value that the query shows.
    ///
    /// - Complexity: O(n log n) for n children.
    func window(of value: Value) -> Value {
        let index = Index(by: order, of: value.children)
        let list = OrderedList(value, by: index)
        var children = Children()
        for (key, child) in results(in: list) { children[key] = child }
        return Value(children)
    }
}
