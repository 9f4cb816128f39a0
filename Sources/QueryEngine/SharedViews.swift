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

    /// The queries by one order.
    struct Group: Sendable {
        let order: ChildOrder
        /// Nil until it is built, and again if there was no room to keep it.
        var index: Index?
        /// The index in the making.
        var build: IndexBuild?
        var views = ViewList()
        /// Whether the views have missed an operation, because there was no index.
        var isStale = false
        /// When a query by this order was last served.
        var usedMilliseconds: UInt64 = 0
    }

    var groups: [Group] = []
    var named: [ChildOrder]

    /// - Parameter named: Orders whose indexes, once built, stay even without listeners.
    public init(indexedBy named: [ChildOrder] = []) { self.named = named }

    /// How many different queries are listened to.
    public var viewCount: Int { groups.reduce(0) { $0 + $1.views.count } }

    /// How many views and indexes an operation is applied to.
    public var updateCost: Int { groups.reduce(0) { $0 + $1.views.count + 1 } }

    /// The indexes held, for reports and to bound their memory.
    public var indexes: [Index] { groups.compactMap(\.index) }

    /// Whether there are neither listeners nor indexes.
    public var isEmpty: Bool { groups.isEmpty }

    /// Adds a listener and returns what its query shows now.
    ///
    /// - Complexity: O(log n) for each child shown, whatever the number of views; the first one by an order builds its index,
    ///   unless it is there already.
    public mutating func add(
        _ query: Query, over value: Value, at milliseconds: UInt64 = 0
    ) -> Value {
        let (group, index) = indexed(by: query.order, over: value, at: milliseconds)
        let list = OrderedList(value, by: index)
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
        guard let group = groups.firstIndex(where: { $0.order == query.order }) else {
            preconditionFailure("nobody listens to \(query)")
        }
        groups[group].views.remove(query)
        dropIfEmpty(group)
    }

    /// The children that a query shows, ascending by key, for a single read. The index that it needs
    /// stays.
    ///
    /// - Complexity: O(log n) for each child shown; the first query by an order builds its index, unless it is there already.
    public mutating func results(
        of query: Query, skipping skip: Int = 0, over value: Value, at milliseconds: UInt64 = 0
    ) -> ShownChildren {
        let (_, index) = indexed(by: query.order, over: value, at: milliseconds)
        return query.shown(in: OrderedList(value, by: index), skipping: skip)
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
            groups[group].build?.update(listChange, in: value.children)
            groups[group].index?.update(listChange, in: value.children)
            guard let index = groups[group].index else {
                groups[group].isStale = groups[group].views.count > 0
                continue
            }
            let list = OrderedList(value, by: index)
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

    private mutating func indexed(
        by order: ChildOrder, over value: Value, at milliseconds: UInt64
    ) -> (group: Int, index: Index) {
        let group = group(by: order)
        groups[group].usedMilliseconds = milliseconds
        if let index = groups[group].index { return (group, index) }
        precondition(groups[group].views.count == 0, "views by \(order) have no index")
        let index = Index(by: order, of: value.children)
        (groups[group].index, groups[group].build) = (index, nil)
        return (group, index)
    }

    /// The position of the group of an order, which is made if there is none.
    mutating func group(by order: ChildOrder) -> Int {
        if let group = groups.firstIndex(where: { $0.order == order }) { return group }
        groups.append(Group(order: order))
        return groups.count - 1
    }

    /// Removes a group that has nothing.
    mutating func dropIfEmpty(_ group: Int) {
        guard groups[group].index == nil, groups[group].build == nil,
            groups[group].views.count == 0
        else { return }
        groups.remove(at: group)
    }
}
