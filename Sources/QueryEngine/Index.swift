public import DataTree

/// The children of one list in one order, kept up to date by exact changes.
///
///     var index = Index(by: .child(Path([score])), of: value.children)
///     index.update(change, in: value.children)   // after each operation
///
/// If all children have the same null in the order, as always by key and mostly by priority, the order is key
/// order. The children themselves then suffice, and the index takes no memory. Several views, and one-shot queries,
/// read one index.
public struct Index: Sendable {
    package let order: ChildOrder
    /// Nil while the children's own order is the order.
    private(set) var positions: PositionTree?

    /// - Complexity: O(n log n); O(n) if all children have null in the order, and O(1) by key.
    public init(by order: ChildOrder, of children: Children) {
        self.order = order
        if order != .key, Index.differs(from: order, in: children) {
            positions = Index.tree(of: children, by: order)
        }
    }

    /// How many positions the index holds besides the children themselves.
    public var placeCount: Int { positions?.count ?? 0 }

    /// Memory that the index takes, strings of more than 14 bytes not counted: the tree has them.
    ///
    /// - Complexity: O(n / 64).
    public var byteCount: Int { positions?.byteCount ?? 0 }

    /// Applies an operation; `children` are all children after it.
    ///
    /// - Complexity: O(log n) for each child that changed, and O(n) once, when the first child gets
    ///   something else than null in the order.
    public mutating func update(_ change: ListChange, in children: Children) {
        if order == .key { return }
        if children.isEmpty { positions = nil }
        if positions == nil {
            let isNeeded = change.children.contains { order.sortValue(of: $0.new) != .null }
            positions = isNeeded ? Index.tree(of: children, withNullBut: change, by: order) : nil
            return
        }
        for child in change.children {
            let new = order.position(of: child.key, child.new)
            let old = child.oldPosition(in: order, now: new)
            let record = Index.record(child.new)
            if !child.wasNull, !child.new.isNull, old == new {
                positions?.replace(record, at: new)
                continue
            }
            if !child.wasNull { positions?.remove(old) }
            if !child.new.isNull { positions?.insert(new, record) }
        }
    }

    /// The part of a child that the index keeps besides its position.
    static func record(_ child: Value) -> PackedChildren? {
        if case .object(let children) = child { children.packed } else { nil }
    }

    private static func differs(from order: ChildOrder, in children: Children) -> Bool {
        children.contains { order.sortValue(of: $0.value) != .null }
    }
}

// MARK: - Building

extension Index {
    /// A position, and the record of its child.
    typealias Entry = (position: ListPosition, record: PackedChildren?)

    /// Makes it an index of the positions in a tree.
    mutating func begin(with tree: PositionTree) { positions = tree }

    /// The positions of children all of which, besides those of a change, have null in the order.
    private static func tree(
        of children: Children, withNullBut change: ListChange, by order: ChildOrder
    ) -> PositionTree {
        var changed = change.children[...]
        var others = AscendingPositions()
        for (key, child) in children {
            while let next = changed.first, next.key < key { changed.removeFirst() }
            if changed.first?.key == key { continue }
            others.append(ListPosition(sortValue: .null, key: key), record(child))
        }
        var tree = PositionTree(others)
        for child in change.children where !child.new.isNull {
            tree.insert(order.position(of: child.key, child.new), record(child.new))
        }
        return tree
    }

    private static func tree(of children: Children, by order: ChildOrder) -> PositionTree {
        var sort = PositionSort()
        for (key, child) in children { sort.append(order.position(of: key, child), record(child)) }
        sort.beginMerge()
        sort.merge(limit: .max)
        return sort.tree
    }
}
