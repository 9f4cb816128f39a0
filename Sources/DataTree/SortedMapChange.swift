// How a `SortedMap` changes: one descent finds the place, makes every node on the way unshared,
// changes the entry in place, and splits or merges nodes on the way back.

extension Node {
    /// Changes the entry at `key` below `node`; a right half that split off comes back in `split`.
    @inlinable
    static func mutate<R>(
        _ node: inout Node, _ key: Key, _ split: inout Link?, _ body: (inout Item?) -> R
    ) -> R {
        if !isKnownUniquelyReferenced(&node) {
            node = node.copy(capacity: Int(node.header.capacity))
        }
        if node.header.height == 0 { return mutateLeaf(&node, key, &split, body) }

        let index = node.childIndex(of: key)
        let before = node.links[index].child.header.total
        var childSplit: Link?
        let result = mutate(&node.links[index].child, key, &childSplit, body)
        var change = node.links[index].child.header.total - before
        if let childSplit {
            change += childSplit.child.header.total
            node.header.total += change
            insert(childSplit, at: index + 1, into: &node, &split)
        } else {
            node.header.total += change
            if change < 0 { node.mergeAfterRemoval(at: index) }
        }
        return result
    }

    @inlinable
    static func mutateLeaf<R>(
        _ node: inout Node, _ key: Key, _ split: inout Link?, _ body: (inout Item?) -> R
    ) -> R {
        let index = node.lowerBound(of: key)
        let entries = node.entries
        guard index < node.header.count, entries[index].key == key else {
            var element: Item?
            let result = body(&element)
            if let element {
                insert(Entry(key: key, element: element), at: index, into: &node, &split)
            }
            return result
        }
        // Moved out and back, never copied: `body` must hold the only reference to what it changes.
        let element = withUnsafeMutablePointer(to: &entries[index].element) { $0 }
        var held = Optional(element.move())
        let result = body(&held)
        if let changed = held.take() {
            element.initialize(to: changed)
        } else {
            node.closeGap(at: index)
        }
        return result
    }

    /// Removes an entry whose element has been moved out.
    @inlinable
    func closeGap(at index: Int) {
        let entries = entries
        withUnsafeMutablePointer(to: &entries[index].key) { $0 }.deinitialize(count: 1)
        let behind = header.count - index - 1
        (entries + index).moveInitialize(from: entries + index + 1, count: behind)
        header.count -= 1
        header.total -= 1
    }

    @inlinable
    static func insert(
        _ entry: consuming Entry, at index: Int, into node: inout Node, _ split: inout Link?
    ) {
        let count = node.header.count
        if count == Int(node.header.capacity) {
            if count == fanOut {
                split = node.splitLeaf(inserting: entry, at: index)
                return
            }
            node = node.moved(capacity: min(fanOut, max(4, count * 2)))
        }
        let place = node.entries + index
        (place + 1).moveInitialize(from: place, count: count - index)
        place.initialize(to: entry)
        node.header.count = count + 1
        node.header.total += 1
    }

    /// Gives the right part to a new leaf: half of it, or only the new entry where keys ascend.
    @inlinable
    func splitLeaf(inserting entry: consuming Entry, at index: Int) -> Link {
        let count = header.count
        let kept = index == count ? count : count / 2
        var right = Node.leaf(capacity: Node.fanOut)
        right.entries.moveInitialize(from: entries + kept, count: count - kept)
        right.header.count = count - kept
        right.header.total = count - kept
        header.count = kept
        header.total = kept
        var none: Link?
        if index >= kept {
            Node.insert(entry, at: index - kept, into: &right, &none)
        } else {
            var left = self
            Node.insert(entry, at: index, into: &left, &none)
        }
        return Link(low: right.entries[0].key, child: right)
    }

    @inlinable
    static func insert(
        _ link: Link, at index: Int, into node: inout Node, _ split: inout Link?
    ) {
        let count = node.header.count
        if count == fanOut {
            split = node.splitBranch(inserting: link, at: index)
            return
        }
        if count == Int(node.header.capacity) { node = node.moved(capacity: fanOut) }
        let place = node.links + index
        (place + 1).moveInitialize(from: place, count: count - index)
        place.initialize(to: link)
        node.header.count = count + 1
    }

    @inlinable
    func splitBranch(inserting link: Link, at index: Int) -> Link {
        let count = header.count
        let kept = index == count ? count : count / 2
        let right = Node.make(capacity: Node.fanOut, height: header.height)
        right.links.moveInitialize(from: links + kept, count: count - kept)
        right.header.count = count - kept
        header.count = kept
        let target = index >= kept ? right : self
        let place = target.links + (index >= kept ? index - kept : index)
        let behind = target.header.count - (place - target.links)
        (place + 1).moveInitialize(from: place, count: behind)
        place.initialize(to: link)
        target.header.count += 1
        header.total = sumOfTotals
        right.header.total = right.sumOfTotals
        return Link(low: right.links[0].low, child: right)
    }

    @inlinable
    var sumOfTotals: Int {
        var sum = 0
        for index in 0..<header.count { sum += links[index].child.header.total }
        return sum
    }

    /// Drops a child that became empty, and joins one that became small with a neighbour.
    @inlinable
    func mergeAfterRemoval(at index: Int) {
        let small = links[index].child.header.count
        if small == 0 { return removeLink(at: index) }
        guard small < Node.fanOut / 4, header.count > 1 else { return }
        let left = index + 1 < header.count ? index : index - 1
        let sum = links[left].child.header.count + links[left + 1].child.header.count
        guard sum <= Node.fanOut * 3 / 4 else { return }
        let merged = links[left].child.copy(capacity: Node.fanOut)
        let joint = merged.header.count
        merged.append(contentsOf: links[left + 1].child)
        // A first link's `low` may be too high; among other links it must hold.
        if merged.header.height > 0 { merged.links[joint].low = links[left + 1].low }
        links[left].child = merged
        removeLink(at: left + 1)
    }

    @inlinable
    func append(contentsOf right: Node) {
        let count = header.count
        if header.height == 0 {
            (entries + count).initialize(from: right.entries, count: right.header.count)
        } else {
            (links + count).initialize(from: right.links, count: right.header.count)
        }
        header.count += right.header.count
        header.total += right.header.total
    }

    @inlinable
    func removeLink(at index: Int) {
        (links + index).deinitialize(count: 1)
        let behind = header.count - index - 1
        (links + index).moveInitialize(from: links + index + 1, count: behind)
        header.count -= 1
    }
}
