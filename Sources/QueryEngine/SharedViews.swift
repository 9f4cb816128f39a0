public import DataTree

/// The views of all listeners at one location, for a server: equal queries share one view, and queries
/// with the same order one index.
///
/// It holds no value, so that the tree can change its own in place. The caller passes the
/// location's value to each call, and every operation that touches the location to `apply`, once.
public struct SharedViews: Sendable {
    /// The effect of one operation on all listeners with one query.
    public struct Notice: Sendable {
        package let query: Query
        package let change: WindowChange
        /// The writes that bring a client's copy of the old window to the new one; never empty.
        public let writes: [(path: Path, value: Value)]
    }

    private struct Group: Sendable {
        var index: Index
        var views = ViewList()
    }

    private var groups: [Group] = []
    private var named: [ChildOrder]

    /// - Parameter named: Orders whose indexes, once built, stay even without listeners.
    public init(indexedBy named: [ChildOrder] = []) { self.named = named }

    /// How many different queries are listened to.
    public var viewCount: Int { groups.reduce(0) { $0 + $1.views.count } }

    /// The indexes held, for reports and to bound their memory.
    public var indexes: [Index] { groups.map(\.index) }

    /// Adds a listener and returns what its query shows now.
    ///
    /// - Complexity: O(log n) for each child shown, whatever the number of views; the first one by an order builds its index.
    public mutating func add(_ query: Query, over value: Value) -> Value {
        let group = group(by: query.order, over: value)
        let list = OrderedList(value, by: groups[group].index)
        return groups[group].views.add(query) {
            var view = View(of: query, for: [])
            view.attach(to: list)
            return view
        }.snapshot(of: list)
    }

    /// Removes a listener; the last one takes the view with it. Their index stays.
    ///
    /// - Complexity: O(1) amortised, whatever the number of views.
    public mutating func remove(_ query: Query) {
        guard let group = groups.firstIndex(where: { $0.index.order == query.order }) else {
            preconditionFailure("nobody listens to \(query)")
        }
        groups[group].views.remove(query)
    }

    /// The children that a query shows, ascending by key, for a single read. The index that it needs
    /// stays.
    ///
    /// - Complexity: O(log n) for each child shown; the first query by an order builds its index.
    public mutating func results(of query: Query, over value: Value) -> ShownChildren {
        let group = group(by: query.order, over: value)
        return query.shown(in: OrderedList(value, by: groups[group].index))
    }

    /// Whether there is an index by an order.
    public func hasIndex(by order: ChildOrder) -> Bool {
        groups.contains { $0.index.order == order }
    }

    /// Makes sure that there is an index by an order.
    ///
    /// - Complexity: O(n log n) if there is none.
    public mutating func buildIndex(by order: ChildOrder, over value: Value) {
        _ = group(by: order, over: value)
    }

    /// Frees the indexes that have neither listeners nor a name.
    public mutating func dropUnusedIndexes() {
        groups.removeAll { $0.views.count == 0 && !named.contains($0.index.order) }
    }

    /// Changes which orders have indexes that stay; none is built or freed.
    public mutating func name(_ orders: [ChildOrder]) { named = orders }

    /// Applies the exact changes of one operation, with paths relative to the location and the value after
    /// it; returns the notices for the queries that show something of it.
    ///
    /// - Complexity: O(log n) for each order and child that changed, O(1) for each such child and
    ///   query, and O(log n) for each child that a query sees come, go or change.
    public mutating func apply(_ changes: [Change], to value: Value) -> [Notice] {
        let listChange = ListChange(changes, to: value)
        var notices: [Notice] = []
        for group in groups.indices {
            groups[group].index.update(listChange, in: value.children)
            let list = OrderedList(value, by: groups[group].index)
            groups[group].views.changeEach { view in
                let change = view.apply(listChange, to: list)
                if change.isEmpty, !change.isOwn { return }
                notices.append(
                    Notice(
                        query: view.query, change: change,
                        writes: change.writes(of: listChange, on: list)))
            }
        }
        return notices
    }

    private mutating func group(by order: ChildOrder, over value: Value) -> Int {
        if let group = groups.firstIndex(where: { $0.index.order == order }) { return group }
        groups.append(Group(index: Index(by: order, of: value.children)))
        return groups.count - 1
    }
}
