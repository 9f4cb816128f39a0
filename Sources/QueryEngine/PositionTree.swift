import DataTree

/// Positions in order, with their ranks and records: a B-tree whose nodes are shared until they change.
struct PositionTree {
    private(set) var root: PositionNode

    init() { root = PositionNode(height: 0) }

    /// Makes a tree of positions in order.
    ///
    /// - Complexity: O(leaves).
    init(_ ascending: AscendingPositions) {
        var nodes = ascending.leaves
        while nodes.count > 1 {
            nodes = stride(from: 0, to: nodes.count, by: AscendingPositions.filled).map { start in
                let branch = PositionNode(height: nodes[start].height + 1)
                for node in nodes[start..<min(start + AscendingPositions.filled, nodes.count)] {
                    branch.insert(node, at: branch.count)
                }
                branch.countPositions()
                return branch
            }
        }
        root = nodes[0]
    }

    var count: Int { root.total }

    /// Memory of the nodes.
    ///
    /// - Complexity: O(count / 64).
    var byteCount: Int { root.nodeCount * PositionNode.byteCount }

    /// - Complexity: O(log n), as for all that follow.
    mutating func insert(_ position: ListPosition, _ record: PackedChildren?) {
        if let right = PositionNode.insert(position, record, below: &root) {
            root = PositionNode(over: root, and: right)
        }
    }

    /// Replaces the record of a position in the tree.
    mutating func replace(_ record: PackedChildren?, at position: ListPosition) {
        PositionNode.replace(record, at: position, below: &root)
    }

    /// Removes a position that is in the tree.
    mutating func remove(_ position: ListPosition) {
        PositionNode.remove(position, below: &root)
        while root.height > 0, root.count == 1 { root = root.children[0] }
    }

    /// How many positions lie before a cut.
    func rank(of cut: Cut) -> Int {
        var rank = 0
        var node = root
        while node.height > 0 {
            let index = node.childIndex(of: cut)
            rank += node.total(before: index)
            node = node.children[index]
        }
        return rank + node.lowerBound(of: cut)
    }

    /// The position with a rank, which must exist.
    func position(at rank: Int) -> ListPosition {
        precondition(rank >= 0 && rank < count, "no position \(rank) among \(count)")
        var rest = rank
        var node = root
        while node.height > 0 { node = node.child(at: &rest) }
        return node.positions[rest]
    }

    /// Calls `body` with the positions of some ranks, in order.
    ///
    /// - Complexity: O(log n + ranks).
    func forEach(in ranks: Range<Int>, _ body: (ListPosition) -> Void) {
        precondition(ranks.lowerBound >= 0 && ranks.upperBound <= count, "no positions \(ranks)")
        root.forEach(in: ranks, body)
    }
}

// A shared node is never changed: every change first makes sure that it holds the only reference.
extension PositionTree: @unchecked Sendable {}

// MARK: - Changing

extension PositionNode {
    /// Inserts below `node`; a right part that split off comes back.
    fileprivate static func insert(
        _ position: ListPosition, _ record: PackedChildren?, below node: inout PositionNode
    ) -> PositionNode? {
        if !isKnownUniquelyReferenced(&node) { node = PositionNode(copying: node) }
        guard node.height > 0 else { return insert(position, record, into: node) }
        let index = node.childIndex(of: .behind(position))
        node.total += 1
        guard let right = insert(position, record, below: &node.children[index]) else { return nil }
        guard node.count == fanOut else {
            node.insert(right, at: index + 1)
            return nil
        }
        let kept = index + 1 == node.count ? node.count - 1 : node.count / 2
        let sibling = node.split(at: kept)
        if index + 1 <= kept {
            node.insert(right, at: index + 1)
            node.total += right.total
        } else {
            sibling.insert(right, at: index + 1 - kept)
            sibling.total += right.total
        }
        return sibling
    }

    private static func insert(
        _ position: ListPosition, _ record: PackedChildren?, into leaf: PositionNode
    ) -> PositionNode? {
        let index = leaf.lowerBound(of: .before(position))
        precondition(
            index == leaf.count || leaf.positions[index] != position,
            "\(position.key) is there already")
        guard leaf.count == fanOut else {
            leaf.insert(position, record, at: index)
            return nil
        }
        let kept = index == leaf.count ? leaf.count - roomForLatePositions : leaf.count / 2
        let right = leaf.split(at: kept)
        if index < kept {
            leaf.insert(position, record, at: index)
        } else {
            right.insert(position, record, at: index - kept)
        }
        return right
    }

    fileprivate static func replace(
        _ record: PackedChildren?, at position: ListPosition, below node: inout PositionNode
    ) {
        if !isKnownUniquelyReferenced(&node) { node = PositionNode(copying: node) }
        guard node.height > 0 else {
            node.records[node.index(of: position)] = record
            return
        }
        replace(record, at: position, below: &node.children[node.childIndex(of: .behind(position))])
    }

    /// The index of a position in its leaf.
    private func index(of position: ListPosition) -> Int {
        let index = lowerBound(of: .before(position))
        precondition(
            index < count && positions[index] == position,
            "\(position.key) is not where the order says")
        return index
    }

    fileprivate static func remove(_ position: ListPosition, below node: inout PositionNode) {
        if !isKnownUniquelyReferenced(&node) { node = PositionNode(copying: node) }
        guard node.height > 0 else { return node.removePosition(at: node.index(of: position)) }
        let index = node.childIndex(of: .behind(position))
        remove(position, below: &node.children[index])
        node.total -= 1
        node.mergeAfterRemoval(at: index)
    }

    /// Drops a child that became empty, and joins one that became small with a neighbour.
    private func mergeAfterRemoval(at index: Int) {
        let small = children[index].count
        if small == 0 { return removeChild(at: index) }
        guard small < PositionNode.fanOut / 4, count > 1 else { return }
        let left = index + 1 < count ? index : index - 1
        let sum = children[left].count + children[left + 1].count
        guard sum <= PositionNode.fanOut * 3 / 4 else { return }
        let merged = PositionNode(copying: children[left])
        let joint = merged.count
        merged.append(copyOf: children[left + 1])
        // A first child's position may lie too far behind; among others it must hold.
        if merged.height > 0 { merged.positions[joint] = positions[left + 1] }
        children[left] = merged
        removeChild(at: left + 1)
    }
}

// MARK: - Searching

extension PositionNode {
    /// How many positions of this leaf lie before the cut.
    func lowerBound(of cut: Cut) -> Int { partition(from: 0, cut) }

    /// The index of the child of this branch below which the cut lies. A position that is a child's
    /// low is below that child, and so behind its position is where to look for it.
    func childIndex(of cut: Cut) -> Int { partition(from: 1, cut) - 1 }

    @inline(__always)
    private func partition(from start: Int, _ cut: Cut) -> Int {
        var low = start
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if cut.isBehind(positions[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// How many positions lie below the children before one of them; counted from the nearer end.
    fileprivate func total(before index: Int) -> Int {
        if index > count / 2 {
            return (index..<count).reduce(total) { $0 - children[$1].total }
        }
        return (0..<index).reduce(0) { $0 + children[$1].total }
    }

    /// The child below which a rank lies, which becomes the rank below it.
    fileprivate func child(at rank: inout Int) -> PositionNode {
        var index = 0
        if rank >= total / 2 {
            var end = total
            index = count
            repeat {
                index -= 1
                end -= children[index].total
            } while rank < end
            rank -= end
        } else {
            while rank >= children[index].total {
                rank -= children[index].total
                index += 1
            }
        }
        return children[index]
    }

    fileprivate func forEach(in ranks: Range<Int>, _ body: (ListPosition) -> Void) {
        guard height > 0 else {
            for index in ranks { body(positions[index]) }
            return
        }
        var start = 0
        for index in 0..<count where start < ranks.upperBound {
            let child = children[index]
            let below = ranks.clamped(to: start..<start + child.total)
            if !below.isEmpty {
                child.forEach(in: below.lowerBound - start..<below.upperBound - start, body)
            }
            start += child.total
        }
    }

    fileprivate var nodeCount: Int {
        height == 0 ? 1 : (0..<count).reduce(1) { $0 + children[$1].nodeCount }
    }
}
