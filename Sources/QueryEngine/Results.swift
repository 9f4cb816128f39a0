public import DataTree

extension Query {
    /// The result of the query on a list, in order: a one-shot read.
    ///
    /// - Complexity: O(log n + children shown), and O(log n) for each child not in key order.
    public func results(in list: OrderedList) -> [(key: Key, value: Value)] {
        precondition(list.order == order, "a query by \(order) of a list by \(list.order)")
        var window = Window(of: self)
        return Query.entries(window.open(on: list), in: list)
    }

    /// The result of the query on a list, ascending by key, as the children of an object are encoded.
    ///
    /// - Complexity: O(log n + children shown).
    public func shown(in list: OrderedList) -> ShownChildren {
        precondition(list.order == order, "a query by \(order) of a list by \(list.order)")
        return list.shown(from: lowCut, to: highCut, limit)
    }

    /// The result without the first `skip` children of the range, or the last ones if the limit begins at the end.
    ///
    /// - Complexity: O(log n) for each child shown, whatever is skipped.
    public func shown(in list: OrderedList, skipping skip: Int) -> ShownChildren {
        if skip == 0 { return shown(in: list) }
        let start = list.rank(of: lowCut)
        let range = start..<max(start, list.rank(of: highCut))
        let count = limit?.count ?? range.count
        return list.shown(
            at: limit?.isFirst ?? true
                ? range.dropFirst(skip).prefix(count) : range.dropLast(skip).suffix(count))
    }

    fileprivate static func entries(
        _ ranks: Range<Int>, in list: OrderedList
    ) -> [(key: Key, value: Value)] {
        var entries: [(key: Key, value: Value)] = []
        entries.reserveCapacity(ranks.count)
        list.forEach(in: ranks) { entries.append(($0.key, $1)) }
        return entries
    }
}

extension View {
    /// The content of the view for a listener that joins; `list` is the list as of the last operation.
    ///
    /// - Complexity: O(log n) for each child shown; O(1) without range and limit.
    public func snapshot(of list: OrderedList) -> Value {
        guard query.isFiltered else { return list.value }
        return list.shown(from: window.low, to: window.high, nil).value
    }
}

extension Children {
    /// The children in another order than that of their keys.
    ///
    /// - Complexity: O(n log n); O(n) if all have null in the order.
    public func ordered(by order: ChildOrder) -> [(key: Key, value: Value)] {
        let list = OrderedList(Value(self), by: Index(by: order, of: self))
        return Query.entries(0..<count, in: list)
    }
}
