public import DataTree

/// The change of a location by one operation: its children before and after.
///
/// It is made once for an operation, and every index and view of the location uses it.
public struct ListChange: Sendable {
    /// One child before and after; null where there is none.
    public struct Child: Sendable {
        package let key: Key
        package let new: Value
        /// The old value, if the change says it; otherwise it follows from the changes below.
        private let known: Value?
        private let changes: ArraySlice<Change>
        /// Whether both may be the same because changes undid each other.
        let mayBeSame: Bool

        /// A child whose two states are known completely; null for a child that is known in part.
        public init(key: Key, old: Value, new: Value) {
            self.init(key, old, new, mayBeSame: true)
        }

        init(_ key: Key, _ old: Value, _ new: Value, mayBeSame: Bool) {
            self.key = key
            self.new = new
            self.mayBeSame = mayBeSame
            known = old
            changes = []
        }

        /// A child that changed below itself, and so existed before and after.
        fileprivate init(_ key: Key, changed changes: ArraySlice<Change>, to new: Value) {
            self.key = key
            self.new = new
            self.changes = changes
            known = nil
            // Only changes at one position, one after the other, can undo each other.
            mayBeSame = changes.count > 1 && Value.areNested(changes.map(\.path))
        }

        /// - Complexity: the size of what changed, if it changed below.
        public var old: Value { known ?? new.reverting(changes, below: 1) }

        var wasNull: Bool { known?.isNull ?? false }

        /// Its old position in an order in which its new position is `position`.
        func oldPosition(in order: ChildOrder, now position: ListPosition) -> ListPosition {
            if let known { return order.position(of: key, known) }
            guard let path = order.path, let change = changes.first(where: { $0.decides(path) })
            else { return position }
            let old = change.old[Path(Array(path.keys[(change.path.count - 1)...]))]
            return ListPosition(sortValue: SortValue(old), key: key)
        }
    }

    /// The children that may differ, ascending by key.
    public private(set) var children: [Child] = []
    /// Whether the location's own primitive or priority is another one.
    public private(set) var isOwn = false
    /// Whether the location as a whole was replaced, as when it becomes null or an object.
    private(set) var isReplacement = false
    /// The exact changes, as they were reported.
    private(set) var changes: [Change] = []

    /// Takes children that differ, in any order but each key once.
    public init(children: [Child]) {
        // Most changes are of one child, and sorting it has its price.
        self.children =
            children.count > 1 ? children.sorted { $0.key < $1.key } : children
    }

    /// Takes all changes of one operation, their paths relative to the location, and the location's
    /// value afterwards.
    ///
    /// - Complexity: O(log n) for each change to a child of a list of n, besides the changes' size.
    public init(_ changes: [Change], to value: Value) {
        self.changes = changes
        if changes.contains(where: \.path.isRoot) {
            replace(value.reverting(changes[...], below: 0), by: value)
        } else if changes.count == 1 {
            takeChild(changes[...], to: value)
        } else {
            takeChildren(changes, to: value)
        }
    }

    /// Applies the steps of one operation to a value.
    ///
    /// - Complexity: O(log n) for each step below a list of n, besides the steps' size.
    init(of value: inout Value, taking steps: [Step]) {
        if steps.contains(where: \.path.isRoot) {
            let old = value
            value.apply(steps)
            replace(old, by: value)
            return
        }
        var before: [(key: Key, value: Value)] = []
        for step in steps where before.last?.key != step.path.keys[0] {
            before.append((step.path.keys[0], value[step.path.keys[0]]))
        }
        let (primitive, priority) = (value.primitive, value.priority)
        value.apply(steps)
        isOwn = primitive != value.primitive || priority != value.priority
        if before.count > 1 { before.sort { $0.key < $1.key } }
        for (key, old) in before where key != .priority && children.last?.key != key {
            let new = value[key]
            if old.isNull, new.isNull { continue }
            children.append(Child(key, old, new, mayBeSame: true))
        }
    }

    private mutating func replace(_ old: Value, by new: Value) {
        isReplacement = true
        isOwn = old.primitive != new.primitive || old.priority != new.priority
        let before = old.children
        let after = new.children
        for (key, child) in before {
            children.append(Child(key, child, after[key] ?? .null, mayBeSame: true))
        }
        for (key, child) in after where before[key] == nil {
            children.append(Child(key, .null, child, mayBeSame: false))
        }
        if !before.isEmpty, !after.isEmpty { children.sort { $0.key < $1.key } }
    }

    private mutating func takeChildren(_ changes: [Change], to value: Value) {
        // Stable, so that changes of one child stay in the order in which they happened.
        let positions = changes.indices.sorted {
            let a = changes[$0].path.keys[0]
            let b = changes[$1].path.keys[0]
            return a == b ? $0 < $1 : a < b
        }
        let sorted = positions.map { changes[$0] }
        var start = 0
        while start < sorted.count {
            let key = sorted[start].path.keys[0]
            let end = sorted[start...].firstIndex { $0.path.keys[0] != key } ?? sorted.count
            takeChild(sorted[start..<end], to: value)
            start = end
        }
    }

    /// Takes all changes to one child, or to the location's priority.
    private mutating func takeChild(_ changes: ArraySlice<Change>, to value: Value) {
        let key = changes[changes.startIndex].path.keys[0]
        if key == .priority {
            isOwn = changes[changes.startIndex].old != value.priority
            return
        }
        let new = value[key]
        guard let first = changes.first(where: { $0.path.count == 1 }) else {
            children.append(Child(key, changed: changes, to: new))
            return
        }
        let old = changes.count == 1 ? first.old : new.reverting(changes, below: 1)
        if old.isNull, new.isNull { return }
        children.append(Child(key, old, new, mayBeSame: changes.count > 1))
    }

    /// The child with a key, if the operation touched it.
    ///
    /// - Complexity: O(log children).
    func child(_ key: Key) -> Child? {
        var low = 0
        var high = children.count
        while low < high {
            let middle = (low + high) / 2
            if children[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low < children.count && children[low].key == key ? children[low] : nil
    }
}

extension Value {
    /// The value without its priority if it is a primitive, otherwise null.
    fileprivate var primitive: Value { isPrimitive ? content : .null }
}

extension Change {
    /// Whether this change, somewhere below a child, changes the value at a path below that child. A change
    /// below an object leaves it an object, and an order sees no more of it.
    fileprivate func decides(_ path: Path) -> Bool {
        self.path.count - 1 <= path.count && path.keys.starts(with: self.path.keys.dropFirst())
    }
}
