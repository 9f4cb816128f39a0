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
    private(set) var places: PlaceTree?

    /// - Complexity: O(n log n); O(n) if all children have null in the order, and O(1) by key.
    public init(by order: ChildOrder, of children: Children) {
        self.order = order
        if order != .key, Index.differs(from: order, in: children) {
            places = Index.tree(of: children, by: order)
        }
    }

    /// How many places the index holds besides the children themselves.
    public var placeCount: Int { places?.count ?? 0 }

    /// Memory that the index takes, strings of more than 14 bytes not counted: the tree has them.
    ///
    /// - Complexity: O(n / 64).
    public var byteCount: Int { places?.byteCount ?? 0 }

    /// Applies an operation; `children` are all children after it.
    ///
    /// - Complexity: O(log n) for each child that changed, and O(n) once, when the first child gets
    ///   something else than null in the order.
    public mutating func update(_ change: ListChange, in children: Children) {
        if order == .key { return }
        if children.isEmpty { places = nil }
        if places == nil {
            let isNeeded = change.children.contains { order.sortValue(of: $0.new) != .null }
            places = isNeeded ? Index.tree(of: children, withNullBut: change, by: order) : nil
            return
        }
        for child in change.children {
            let new = order.place(of: child.key, child.new)
            let old = child.oldPlace(in: order, now: new)
            let record = Index.record(child.new)
            if !child.wasNull, !child.new.isNull, old == new {
                places?.replace(record, at: new)
                continue
            }
            if !child.wasNull { places?.remove(old) }
            if !child.new.isNull { places?.insert(new, record) }
        }
    }

    /// The part of a child that the index keeps besides its place.
    static func record(_ child: Value) -> PackedChildren? {
        if case .object(let children) = child { children.packed } else { nil }
    }

    private static func differs(from order: ChildOrder, in children: Children) -> Bool {
        children.contains { order.sortValue(of: $0.value) != .null }
    }
}

// MARK: - Building

extension Index {
    /// A place, and the record of its child.
    typealias Entry = (place: Place, record: PackedChildren?)

    /// Makes it an index of the places in a tree.
    mutating func begin(with tree: PlaceTree) { places = tree }

    /// The places of children all of which, besides those of a change, have null in the order.
    private static func tree(
        of children: Children, withNullBut change: ListChange, by order: ChildOrder
    ) -> PlaceTree {
        var changed = change.children[...]
        var others = AscendingPlaces()
        for (key, child) in children {
            while let next = changed.first, next.key < key { changed.removeFirst() }
            if changed.first?.key == key { continue }
            others.append(Place(sortValue: .null, key: key), record(child))
        }
        var tree = PlaceTree(others)
        for child in change.children where !child.new.isNull {
            tree.insert(order.place(of: child.key, child.new), record(child.new))
        }
        return tree
    }

    private static func tree(of children: Children, by order: ChildOrder) -> PlaceTree {
        var sort = PlaceSort()
        for (key, child) in children { sort.append(order.place(of: key, child), record(child)) }
        sort.beginMerge()
        sort.merge(limit: .max)
        return sort.tree
    }
}
