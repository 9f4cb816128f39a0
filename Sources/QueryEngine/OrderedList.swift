public import DataTree

/// A location's value whose children are read in the order of an index.
///
/// It exists for one read and is released before the value changes again, so that the change finds the
/// value unshared.
public struct OrderedList: Sendable {
    package let value: Value
    /// Whether the list is complete for every query at the location. It is not while a client waits for the
    /// server's first answer; it is if this is the window that the server sent.
    public let isComplete: Bool
    let order: ChildOrder
    private let children: Children
    private let positions: PositionTree?

    /// Takes an index that is up to date with the value's children.
    public init(_ value: Value, by index: Index, isComplete: Bool = true) {
        self.value = value
        self.isComplete = isComplete
        order = index.order
        children = value.children
        positions = index.positions
        precondition(
            positions == nil || positions?.count == children.count,
            "an index of \(positions?.count ?? 0) positions for \(children.count) children")
    }

    var count: Int { children.count }

    func child(_ key: Key) -> Value { children[key] ?? .null }

    /// How many children lie before a cut.
    ///
    /// - Complexity: O(log n).
    func rank(of cut: Cut) -> Int {
        if let positions { return positions.rank(of: cut) }
        // All children have null here, and nothing comes before null.
        if cut.position.sortValue != .null { return count }
        let rank = children.rank(of: cut.position.key)
        return cut.isBehind && children[cut.position.key] != nil ? rank + 1 : rank
    }

    /// The position just before one that is in the list.
    ///
    /// - Complexity: O(log n).
    func position(before position: ListPosition) -> ListPosition? {
        guard let positions else {
            return children.entry(before: position.key).map {
                ListPosition(sortValue: .null, key: $0.key)
            }
        }
        let rank = positions.rank(of: .before(position))
        return rank > 0 ? positions.position(at: rank - 1) : nil
    }

    /// The children between two cuts, or so many of them at one end, ascending by key.
    ///
    /// - Complexity: O(log n + children); O(k log k) for k children not in key order.
    func shown(from low: Cut, to high: Cut, _ limit: Query.Limit?) -> ShownChildren {
        if let positions {
            return ShownChildren(of: children, by: positions, from: low, to: high, limit)
        }
        let start = rank(of: low)
        let positions = start..<max(start, rank(of: high))
        guard let limit else { return ShownChildren(of: children, at: positions) }
        return ShownChildren(
            of: children,
            at: limit.isFirst ? positions.prefix(limit.count) : positions.suffix(limit.count))
    }

    /// The children of some ranks, ascending by key.
    ///
    /// - Complexity: O(log n + children), and O(log n) for each child not in key order.
    func shown(at ranks: Range<Int>) -> ShownChildren {
        guard let positions else { return ShownChildren(of: children, at: ranks) }
        var keys: [Key] = []
        positions.forEach(in: ranks) { keys.append($0.key) }
        return ShownChildren(of: children, at: keys.sorted())
    }

    /// Calls `body` with the children of some ranks, in order.
    ///
    /// - Complexity: O(log n + ranks), and O(log n) for each child not in key order.
    func forEach(in ranks: Range<Int>, _ body: (ListPosition, Value) -> Void) {
        if ranks.isEmpty { return }
        if let positions { return positions.forEach(in: ranks) { body($0, child($0.key)) } }
        // A few children are found one by one; for more, an iterator is faster.
        if ranks.count <= 3 {
            for rank in ranks {
                let entry = children.entry(at: rank)
                body(ListPosition(sortValue: .null, key: entry.key), entry.value)
            }
            return
        }
        var entries = children.entries(from: children.entry(at: ranks.lowerBound).key)
        for _ in ranks {
            guard let (key, child) = entries.next() else { return }
            body(ListPosition(sortValue: .null, key: key), child)
        }
    }
}
