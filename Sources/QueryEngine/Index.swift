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

    /// Makes it an index of no children, which has places nevertheless.
    mutating func removeAllPlaces() { places = PlaceTree() }

    /// Adds children that are not in the index yet, in any order.
    ///
    /// - Complexity: O(log n) for each.
    mutating func insert(_ entries: [Entry]) {
        // Neighbours are inserted one after the other, so that their nodes are in the processor's cache.
        for entry in entries.sorted(by: { $0.place < $1.place }) {
            places?.insert(entry.place, entry.record)
        }
    }

    /// The places of children all of which, besides those of a change, have null in the order.
    private static func tree(
        of children: Children, withNullBut change: ListChange, by order: ChildOrder
    ) -> PlaceTree {
        var changed = change.children[...]
        var tree = PlaceTree(
            ascending: children.lazy.compactMap { key, child -> Entry? in
                while let next = changed.first, next.key < key { changed.removeFirst() }
                if changed.first?.key == key { return nil }
                return (Place(sortValue: .null, key: key), record(child))
            })
        for child in change.children where !child.new.isNull {
            tree.insert(order.place(of: child.key, child.new), record(child.new))
        }
        return tree
    }

    /// The sort key of a place: two words, and a rank by key for ties. Moving the places themselves would
    /// count references.
    private struct Draft {
        let word0: UInt64
        let word1: UInt64
        let rank: Int

        static func < (a: Draft, b: Draft) -> Bool {
            if a.word0 != b.word0 { return a.word0 < b.word0 }
            if a.word1 != b.word1 { return a.word1 < b.word1 }
            return a.rank < b.rank
        }
    }

    private static func tree(of children: Children, by order: ChildOrder) -> PlaceTree {
        let unsorted = UnsafeMutablePointer<(place: Place, record: PackedChildren?)>
            .allocate(capacity: children.count)
        defer { unsorted.deallocate() }
        var hasLong = false
        var count = 0
        for (key, child) in children {
            let place = order.place(of: key, child)
            hasLong = hasLong || place.sortValue.isLong
            (unsorted + count).initialize(to: (place, record(child)))
            count += 1
        }
        let ranks =
            hasLong
            ? (0..<count).sorted { unsorted[$0].place < unsorted[$1].place }
            : Index.sorted((0..<count).lazy.map { unsorted[$0].place.sortValue })
        // Each is moved out once; to copy it would count a reference to its record, which waits for memory.
        return PlaceTree(ascending: ranks.lazy.map { (unsorted + $0).move() })
    }

    /// The ranks by key of these values, none of which is long, in their order.
    private static func sorted(_ values: some Sequence<SortValue>) -> [Int] {
        var drafts = values.enumerated().map { rank, value in
            Draft(word0: value.words.0, word1: value.words.1, rank: rank)
        }
        drafts.sort(by: <)
        return drafts.map(\.rank)
    }
}
