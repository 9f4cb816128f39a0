public import DataTree

// The indexes of shared views: built in slices, dropped where memory is short, and built again.

extension SharedViews {
    /// How far a slice has brought a build.
    public enum BuildProgress: Equatable, Sendable {
        /// The build goes on.
        case unfinished
        /// The index will take memory, and the build waits until it may.
        case awaitsRoom
        /// There is an index.
        case complete
    }

    /// Whether there is an index by an order.
    public func hasIndex(by order: ChildOrder) -> Bool {
        groups.contains { $0.order == order && $0.index != nil }
    }

    /// Whether there are listeners by an order.
    public func hasViews(by order: ChildOrder) -> Bool {
        groups.contains { $0.order == order && $0.views.count > 0 }
    }

    /// The number of queries that are listened to without an index.
    public var unindexedViewCount: Int {
        groups.reduce(0) { $0 + ($1.index == nil ? $1.views.count : 0) }
    }

    /// The orders whose indexes have neither listeners nor a name, each with the time of its last use and its positions.
    public var unusedIndexes: [(order: ChildOrder, usedMilliseconds: UInt64, placeCount: Int)] {
        groups.compactMap { group in
            guard let index = group.index, group.views.count == 0, !named.contains(group.order)
            else { return nil }
            return (group.order, group.usedMilliseconds, index.placeCount)
        }
    }

    /// Builds a slice of the index by an order.
    ///
    /// - Parameters:
    ///   - work: The cost limit of the slice, in visited children.
    ///   - hasRoom: Whether the index may take memory.
    /// - Returns: The cost of the slice, and the state of the build.
    public mutating func buildIndex(
        by order: ChildOrder, over value: Value, spending work: Int, hasRoom: Bool,
        at milliseconds: UInt64 = 0
    ) -> (work: Int, progress: BuildProgress) {
        let group = group(by: order)
        if groups[group].index != nil { return (0, .complete) }
        var build = groups[group].build.take() ?? IndexBuild(by: order)
        if hasRoom, build.phase == .awaitingRoom { build.beginCollecting() }
        let spent = build.advance(over: value.children, spending: work)
        guard build.phase == .complete else {
            let progress: BuildProgress =
                build.phase == .awaitingRoom ? .awaitsRoom : .unfinished
            groups[group].build = build
            return (spent, progress)
        }
        groups[group].index = build.index
        groups[group].usedMilliseconds = milliseconds
        return (spent, .complete)
    }

    /// Drops an index in the making.
    public mutating func abandonBuild(by order: ChildOrder) {
        guard let group = groups.firstIndex(where: { $0.order == order }) else { return }
        groups[group].build = nil
        dropIfEmpty(group)
    }

    /// Drops an index; listeners by its order have to be refreshed after the next operation.
    public mutating func dropIndex(by order: ChildOrder) {
        guard let group = groups.firstIndex(where: { $0.order == order }) else { return }
        groups[group].index = nil
        dropIfEmpty(group)
    }

    /// Frees the indexes that have neither listeners nor a name.
    public mutating func dropUnusedIndexes() {
        for index in unusedIndexes { dropIndex(by: index.order) }
    }

    /// Brings the views that have missed operations up to date, once there is an index again; the notices have all of their
    /// windows.
    ///
    /// - Complexity: O(log n) for each child shown.
    public mutating func refresh(by order: ChildOrder, over value: Value) -> [Refreshed] {
        guard let group = groups.firstIndex(where: { $0.order == order }),
            groups[group].isStale, let index = groups[group].index
        else { return [] }
        groups[group].isStale = false
        let list = OrderedList(value, by: index)
        var refreshed: [Refreshed] = []
        groups[group].views.changeEach { view in
            view.attach(to: list)
            refreshed.append(Refreshed(query: view.query, window: view.snapshot(of: list)))
        }
        return refreshed
    }

    /// The result of a query after operations that its view has missed.
    public struct Refreshed: Sendable {
        package let query: Query
        /// All that the query shows.
        public let window: Value
    }

    /// Has the listeners by an order refreshed, as one of them has missed something.
    public mutating func markStale(_ order: ChildOrder) {
        guard let group = groups.firstIndex(where: { $0.order == order }) else { return }
        groups[group].isStale = true
    }
}
