// How two maps differ; nodes that they share are not visited.

extension SortedMap {
    /// Whether two maps are the same memory; equal maps need not be.
    @inlinable
    public func isShared(with other: SortedMap) -> Bool { root === other.root }

    /// The keys, ascending, under which this map and an older one hold different items.
    ///
    /// A map and a changed copy of it share the nodes in which nothing changed; those are passed over
    /// as a whole. `areSame` may take equal items for different ones.
    ///
    /// - Complexity: O(nodes that the maps do not share).
    @inlinable
    public func differences(
        from old: SortedMap, areSame: (_ old: Item, _ new: Item) -> Bool
    ) -> [Key] {
        var before = NodeCursor(old.root)
        var after = NodeCursor(root)
        var keys: [Key] = []
        while let next = NodeCursor.next(&before, &after) {
            switch next {
            case .only(let key): keys.append(key)
            case .both(let key, let old, let new): if !areSame(old, new) { keys.append(key) }
            }
        }
        return keys
    }
}

/// A position in a map: before a node that has not been entered, or before an item of a leaf.
@usableFromInline
struct NodeCursor<Item> {
    @usableFromInline
    enum Difference {
        /// One of the maps has nothing under this key.
        case only(Key)
        case both(Key, Item, Item)
    }

    /// The root, until it is entered or passed over.
    @usableFromInline var root: Node<Item>?
    /// Nodes that were entered, each with the index of what comes next in it.
    @usableFromInline var stack: [(node: Node<Item>, index: Int)] = []

    @inlinable
    init(_ root: Node<Item>?) { self.root = root }

    /// Takes what comes next in two maps, but for whole nodes that they share; nil at their end.
    @inlinable
    static func next(_ a: inout NodeCursor, _ b: inout NodeCursor) -> Difference? {
        while true {
            guard let x = a.firstKey else { return b.takeItem().map { .only($0.key) } }
            guard let y = b.firstKey else { return a.takeItem().map { .only($0.key) } }
            if x < y { return a.takeItem().map { .only($0.key) } }
            if y < x { return b.takeItem().map { .only($0.key) } }
            switch (a.node, b.node) {
            case (nil, nil):
                guard let x = a.takeItem(), let y = b.takeItem() else { return nil }
                return .both(x.key, x.item, y.item)
            case (let node?, let other?) where node === other:
                a.skip()
                b.skip()
            case (let node, let other):
                let height = node?.height ?? -1
                let otherHeight = other?.height ?? -1
                if height >= otherHeight { a.enter() }
                if otherHeight >= height { b.enter() }
            }
        }
    }

    /// The node that comes next, unless it is an item.
    @inlinable
    var node: Node<Item>? {
        if let root { return root }
        guard let (node, index) = stack.last, node.height > 0 else { return nil }
        return node.children[index]
    }

    /// The key of the next item; nil at the end.
    @inlinable
    var firstKey: Key? {
        guard var node else { return stack.last.map { $0.node.keys[$0.index] } }
        while node.height > 0 { node = node.children[0] }
        return node.keys[0]
    }

    /// Goes before the first child or item of the next node.
    @inlinable
    mutating func enter() {
        guard let node else { return }
        skip()
        stack.append((node, 0))
    }

    /// Passes over the next node or item.
    @inlinable
    mutating func skip() {
        if root != nil {
            root = nil
        } else if let (node, index) = stack.popLast(), index + 1 < node.count {
            stack.append((node, index + 1))
        }
    }

    @inlinable
    mutating func takeItem() -> (key: Key, item: Item)? {
        while node != nil { enter() }
        guard let (leaf, index) = stack.last else { return nil }
        skip()
        return (leaf.keys[index], leaf.items[index])
    }
}

extension Value {
    /// Whether two values are the same primitive or the same memory: a cheap test, which may take
    /// equal objects for different ones.
    public func isShared(with other: Value) -> Bool {
        switch (self, other) {
        case (.object(let a), .object(let b)): a.isShared(with: b)
        case (.prioritized(let a), .prioritized(let b)): a === b
        case (.object, _), (.prioritized, _), (_, .object), (_, .prioritized): false
        default: self == other
        }
    }
}
