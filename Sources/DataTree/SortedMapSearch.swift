// How a `SortedMap` finds things: binary search in each node on the way down.

extension Node {
    /// The index of the first key of this leaf that is not before `key`.
    @inlinable
    func lowerBound(of key: Key) -> Int {
        let keys = keys
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Like `lowerBound`, but quick for a key behind all others, the common case of a growing list.
    @inlinable
    func insertionIndex(of key: Key) -> Int {
        let count = count
        return count > 0 && keys[count - 1] < key ? count : lowerBound(of: key)
    }

    /// The index of the child of this branch below which `key` belongs.
    @inlinable
    func childIndex(of key: Key) -> Int {
        let keys = keys
        var low = 0
        var high = count - 1
        if !(key < keys[high]) { return high }
        while low + 1 < high {
            let middle = (low + high) / 2
            if key < keys[middle] { high = middle } else { low = middle }
        }
        return low
    }

    /// Calls `body` with the leaf in which `key` belongs, without counting references on the way.
    @inlinable
    func withLeaf<R>(of key: Key, _ body: (Node) -> R) -> R {
        var node = Unmanaged.passUnretained(self)
        while true {
            let next: Unmanaged<Node>? = node._withUnsafeGuaranteedRef { node in
                guard node.height > 0 else { return nil }
                return Unmanaged.passUnretained(node.children[node.childIndex(of: key)])
            }
            guard let next else { return node._withUnsafeGuaranteedRef(body) }
            node = next
        }
    }

    @inlinable
    func find(_ key: Key) -> Item? {
        withLeaf(of: key) { leaf in
            let index = leaf.lowerBound(of: key)
            guard index < leaf.count, leaf.keys[index] == key else { return nil }
            return leaf.items[index]
        }
    }

    @inlinable
    func entry(before key: Key) -> (key: Key, value: Item)? {
        guard height > 0 else {
            let index = lowerBound(of: key)
            return index > 0 ? entry(at: index - 1) : nil
        }
        let index = childIndex(of: key)
        if let entry = children[index].entry(before: key) { return entry }
        guard index > 0 else { return nil }
        let left = children[index - 1]
        return left.entry(at: left.total - 1)
    }

    @inlinable
    func rank(of key: Key) -> Int {
        guard height > 0 else { return lowerBound(of: key) }
        let index = childIndex(of: key)
        let rank = children[index].rank(of: key)
        // Counting back from the end is short for the recent keys that listeners ask about.
        if index > count / 2 {
            return (index..<count).reduce(rank + total) { $0 - children[$1].total }
        }
        return (0..<index).reduce(rank) { $0 + children[$1].total }
    }

    @inlinable
    func entry(at index: Int) -> (key: Key, value: Item) {
        guard height > 0 else { return (keys[index], items[index]) }
        let (child, start) = child(at: index)
        return children[child].entry(at: index - start)
    }
}
