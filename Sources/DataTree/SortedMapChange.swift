// How a `SortedMap` changes: one descent finds the place, makes every node on the way unshared,
// changes the item in place, and splits or merges nodes on the way back.

extension Node {
    /// Changes the item at `key` below `node`; a right part that split off comes back in `split`.
    @inlinable
    static func mutate<R>(
        _ node: inout Node, _ key: Key, _ split: inout Split?, _ body: (inout Item?) -> R
    ) -> R {
        if !isKnownUniquelyReferenced(&node) { node = node.copy(room: node.room) }
        if node.height == 0 { return mutateLeaf(&node, key, &split, body) }

        let index = node.childIndex(of: key)
        let before = node.children[index].total
        var childSplit: Split?
        let result = mutate(&node.children[index], key, &childSplit, body)
        let change = node.children[index].total - before
        if let childSplit {
            node.total += change + childSplit.right.total
            split = node.insert(childSplit, at: index + 1)
        } else if change != 0 {
            node.total += change
            if change < 0 { node.mergeAfterRemoval(at: index) }
        }
        return result
    }

    @inlinable
    static func mutateLeaf<R>(
        _ leaf: inout Node, _ key: Key, _ split: inout Split?, _ body: (inout Item?) -> R
    ) -> R {
        let index = leaf.insertionIndex(of: key)
        guard index < leaf.count, leaf.keys[index] == key else {
            var item: Item?
            let result = body(&item)
            if let item { split = insert(item, key, at: index, into: &leaf) }
            return result
        }
        // Moved out and back, never copied: `body` must hold the only reference to what it changes.
        let place = leaf.items + index
        var held = Optional(place.move())
        let result = body(&held)
        if let changed = held.take() {
            place.initialize(to: changed)
        } else {
            leaf.closeGap(at: index)
            leaf.total -= 1
        }
        return result
    }
}

// MARK: - Growth

extension Node {
    @inlinable
    static func insert(
        _ item: consuming Item, _ key: Key, at index: Int, into leaf: inout Node
    ) -> Split? {
        if leaf.count < leaf.room {
            leaf.insert(item: item, key: key, at: index)
            return nil
        }
        if leaf.room < fanOut {
            leaf = leaf.moved(room: min(fanOut, max(4, leaf.room * 2)))
            leaf.insert(item: item, key: key, at: index)
            return nil
        }
        let isAscending = index == leaf.count
        let kept = isAscending ? leaf.count - roomForLateKeys : leaf.count / 2
        let right = Node.leaf(room: fanOut)
        leaf.move(from: kept, to: right)
        leaf.total = leaf.count
        right.total = right.count
        if index < kept {
            leaf.insert(item: item, key: key, at: index)
        } else {
            right.insert(item: item, key: key, at: index - kept)
        }
        return Split(right)
    }

    /// Adds a child that split off; `total` counts its items already.
    @inlinable
    func insert(_ split: Split, at index: Int) -> Split? {
        if count < room {
            insert(child: split.right, low: split.low, at: index)
            return nil
        }
        let kept = index == count ? count - 1 : count / 2
        let right = Node.make(room: Node.fanOut, height: height)
        move(from: kept, to: right)
        if index < kept {
            insert(child: split.right, low: split.low, at: index)
        } else {
            right.insert(child: split.right, low: split.low, at: index - kept)
        }
        total = sumOfTotals
        right.total = right.sumOfTotals
        return Split(right)
    }
}

// MARK: - Shrinking

extension Node {
    /// Drops a child that became empty, and joins one that became small with a neighbour.
    @inlinable
    func mergeAfterRemoval(at index: Int) {
        let small = children[index].count
        if small == 0 { return removeChild(at: index) }
        guard small < Node.fanOut / 4, count > 1 else { return }
        let left = index + 1 < count ? index : index - 1
        let sum = children[left].count + children[left + 1].count
        guard sum <= Node.fanOut * 3 / 4 else { return }
        let merged = children[left].copy(room: Node.fanOut)
        let joint = merged.count
        merged.append(copyOf: children[left + 1])
        // A first child's key may be too high; among others it must hold.
        if merged.height > 0 { merged.keys[joint] = keys[left + 1] }
        children[left] = merged
        removeChild(at: left + 1)
    }

    @inlinable
    func removeChild(at index: Int) {
        (children + index).deinitialize(count: 1)
        closeGap(at: index)
    }
}
