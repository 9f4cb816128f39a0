public import DataTree

/// The children of one list in one order, kept up to date by exact changes.
///
///     var index = Index(by: .child(Path([score])), of: value.children)
///     index.update(change, in: value.children)   // after each operation
///
/// As long as all children have the same null in the order, as they do by key and mostly by
/// priority, key order is the order: then the children themselves are all that is needed, and the
/// index takes no memory. Several views, and one-shot queries, read one index.
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
    /// - Complexity: O(log n) for each child that changed, and O(n log n) once, when the first
    ///   child gets something else than null in the order.
    public mutating func update(_ change: ListChange, in children: Children) {
        if order == .key { return }
        guard places != nil, !children.isEmpty else {
            let isNeeded = change.children.contains { order.sortValue(of: $0.new) != .null }
            places = isNeeded ? Index(by: order, of: children).places : nil
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

    /// What the index keeps of a child beside its place.
    private static func record(_ child: Value) -> PackedChildren? {
        if case .object(let children) = child { children.packed } else { nil }
    }

    private static func differs(from order: ChildOrder, in children: Children) -> Bool {
        children.contains { order.sortValue(of: $0.value) != .null }
    }
}

// MARK: - Building

extension Index {
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
