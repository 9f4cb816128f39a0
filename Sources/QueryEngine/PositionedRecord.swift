import DataTree

/// The key at a position of an index, and the packed children that stand there; nil for a child that is not packed.
///
/// It lives no longer than the index from which it was read, which keeps the children.
struct PositionedRecord {
    let key: Key
    let packed: PackedChildren.Borrowed?

    init(_ leaf: PositionNode, _ index: Int) {
        key = leaf.positions[index].key
        if let record = leaf.records[index] {
            packed = PackedChildren.Borrowed(.passUnretained(record))
        } else {
            packed = nil
        }
    }
}

extension PositionTree {
    /// The records between two cuts, or a limited number at one end, in no order.
    ///
    /// Ranks are not needed for that, and would read many nodes.
    ///
    /// - Complexity: O(log n + positions).
    func records(from low: Cut, to high: Cut, _ limit: Query.Limit?) -> [PositionedRecord] {
        var records: [PositionedRecord] = []
        records.reserveCapacity(min(limit?.count ?? 0, count))
        let room = limit?.count ?? .max
        if limit?.isFirst ?? true {
            root.forEach(behind: low) { leaf, index in
                guard records.count < room, high.isBehind(leaf.positions[index]) else {
                    return false
                }
                records.append(PositionedRecord(leaf, index))
                return true
            }
        } else {
            root.forEachReversed(before: high) { leaf, index in
                guard records.count < room, !low.isBehind(leaf.positions[index]) else {
                    return false
                }
                records.append(PositionedRecord(leaf, index))
                return true
            }
        }
        return records
    }
}

extension PositionNode {
    /// Calls `body` with the positions behind a cut, in order, each as its leaf and its index there, until it returns
    /// false; nil is before all.
    ///
    /// - Returns: Whether it never did.
    @discardableResult
    fileprivate func forEach(behind cut: Cut?, _ body: (PositionNode, Int) -> Bool) -> Bool {
        guard height > 0 else {
            let start = cut.map { lowerBound(of: $0) } ?? 0
            return (start..<count).allSatisfy { body(self, $0) }
        }
        let first = cut.map { childIndex(of: $0) } ?? 0
        return (first..<count).allSatisfy {
            children[$0].forEach(behind: $0 == first ? cut : nil, body)
        }
    }

    /// Calls `body` with the positions before a cut, the last one first, until it returns false; nil is behind all.
    ///
    /// - Returns: Whether it never did.
    @discardableResult
    fileprivate func forEachReversed(before cut: Cut?, _ body: (PositionNode, Int) -> Bool) -> Bool
    {
        guard height > 0 else {
            let end = cut.map { lowerBound(of: $0) } ?? count
            return (0..<end).reversed().allSatisfy { body(self, $0) }
        }
        let last = cut.map { childIndex(of: $0) } ?? count - 1
        return (0...last).reversed().allSatisfy {
            children[$0].forEachReversed(before: $0 == last ? cut : nil, body)
        }
    }
}
