public import DataTree

/// How one operation moved the window of a query.
public struct WindowChange: Sendable {
    /// A child that comes, goes or changes.
    public struct Entry: Sendable {
        let position: ListPosition
        /// Its value now; for a child that goes, its last value.
        public let value: Value
        /// Whether the value that decides its position changed; only for children shown before and after.
        public let isMoved: Bool

        package var key: Key { position.key }

        init(position: ListPosition, value: Value, isMoved: Bool = false) {
            self.position = position
            self.value = value
            self.isMoved = isMoved
        }
    }

    /// Children no longer shown, in the order in which they stood.
    public internal(set) var removed: [Entry] = []
    /// Children shown from now on, in order.
    public internal(set) var added: [Entry] = []
    /// Children shown before and after that differ, in order.
    public internal(set) var changed: [Entry] = []
    /// Whether the location's own primitive or priority is another, as only a query without range
    /// and limit sees.
    public internal(set) var isOwn = false

    /// Whether a value event is due.
    var isValueDue = false
    /// Whether the view showed nothing before.
    var isOpening = false
    private let isFiltered: Bool

    init(of query: Query) { isFiltered = query.isFiltered }

    /// Whether the same children are shown as before.
    public var isEmpty: Bool { removed.isEmpty && added.isEmpty && changed.isEmpty }

    mutating func sort() {
        // Most changes are of one child, and an empty sort has its price.
        if removed.count > 1 { removed.sort { $0.position < $1.position } }
        if added.count > 1 { added.sort { $0.position < $1.position } }
        if changed.count > 1 { changed.sort { $0.position < $1.position } }
    }
}

// MARK: - The wire

extension WindowChange {
    /// The writes that turn a copy of the old window into the new one, with paths relative to the
    /// location.
    ///
    /// No path contains another. A child that comes in is sent whole, one that goes as null, and of
    /// one that changes only what changed. Without range and limit these are the exact changes.
    ///
    /// - Complexity: O(changes of the operation + children that come and go).
    public func writes(
        of listChange: ListChange, on list: OrderedList
    ) -> [(path: Path, value: Value)] {
        if !isFiltered {
            if !listChange.changes.isEmpty, !Value.areNested(listChange.changes.map(\.path)) {
                return listChange.changes.map { ($0.path, $0.new) }
            }
            if listChange.isReplacement { return [(.root, list.value)] }
        }
        var writes: [(path: Path, value: Value)] = []
        writes.reserveCapacity(removed.count + added.count + changed.count)
        for entry in removed { writes.append((Path([entry.key]), .null)) }
        for entry in added { writes.append((Path([entry.key]), entry.value)) }
        if !changed.isEmpty { appendChanged(of: listChange, to: &writes) }
        if isOwn { writes.append((Path([.priority]), list.value.priority)) }
        return writes
    }

    private func appendChanged(
        of listChange: ListChange, to writes: inout [(path: Path, value: Value)]
    ) {
        if listChange.changes.count == 1, !listChange.isReplacement {
            return writes.append((listChange.changes[0].path, listChange.changes[0].new))
        }
        var exact = SortedMap<[Change]>()
        for entry in changed { exact[entry.key] = [] }
        for change in listChange.changes {
            guard let key = change.path.keys.first, exact[key] != nil else { continue }
            exact.mutate(key) { $0?.append(change) }
        }
        for entry in changed {
            let changes = exact[entry.key] ?? []
            if listChange.isReplacement || changes.isEmpty || Value.areNested(changes.map(\.path)) {
                writes.append((Path([entry.key]), entry.value))
            } else {
                writes += changes.map { ($0.path, $0.new) }
            }
        }
    }
}
