// How a `SortedMap` adds the entries of another one: leaf by leaf, if the other's keys all come later.

extension SortedMap {
    /// Adds the entries of another map, which replace those of the same keys.
    ///
    /// - Complexity: O(log n) for each leaf that is more than half full, and is shared from then on, if all
    ///   keys of the other one come after those here; otherwise O(m log n).
    @inlinable
    public mutating func merge(_ other: SortedMap) {
        guard !other.isEmpty, let added = other.root else { return }
        guard !isEmpty else {
            self = other
            return
        }
        if root!.lastKey < added.firstKey {
            added.visitLeaves { append($0) }
        } else {
            for (key, item) in other { updateValue(item, forKey: key) }
        }
    }

    /// Adds a leaf whose keys come after all others.
    @inlinable
    mutating func append(_ leaf: Node<Item>) {
        // A small leaf would stay small.
        guard leaf.count > Node<Item>.fanOut / 2 else {
            for index in 0..<leaf.count { updateValue(leaf.items[index], forKey: leaf.keys[index]) }
            return
        }
        if let split = Node.append(leaf, to: &root!) { root = .branch(over: root!, and: split) }
    }
}

extension Node {
    /// Adds a leaf behind all others below `node`; a right part that split off comes back.
    @inlinable
    static func append(_ leaf: Node, to node: inout Node) -> Split? {
        if node.height == 0 { return Split(leaf) }
        if !isKnownUniquelyReferenced(&node) { node = node.copy(room: node.room) }
        node.total += leaf.total
        guard let split = append(leaf, to: &node.children[node.count - 1]) else { return nil }
        return node.insert(split, at: node.count)
    }

    /// The first key below this node, which is not empty.
    @inlinable
    var firstKey: Key { height == 0 ? keys[0] : children[0].firstKey }

    /// The last key below this node, which is not empty.
    @inlinable
    var lastKey: Key { height == 0 ? keys[count - 1] : children[count - 1].lastKey }

    @inlinable
    func visitLeaves(_ body: (Node) -> Void) {
        if height == 0 { return body(self) }
        for index in 0..<count { children[index].visitLeaves(body) }
    }
}
