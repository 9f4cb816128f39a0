import DataTree
import QueryEngine
import SyncProtocol

/// A location with queries: listeners with equal queries share a view, and queries by one order an
/// index.
struct QueriedList: Sendable {
    let path: Path
    private(set) var views: SharedViews
    /// Never iterated, only looked up.
    private var listeners: [Query: ListenerList] = [:]
    private(set) var listenerCount = 0

    init(at path: Path, named orders: [ChildOrder]) {
        self.path = path
        views = SharedViews(indexedBy: orders)
    }

    /// Whether there are no listeners and no indexes.
    var isEmpty: Bool { listenerCount == 0 && views.isEmpty }

    /// Changes which orders have indexes that stay.
    mutating func name(_ orders: [ChildOrder]) { views.name(orders) }

    /// Adds a listener and returns what its query shows of the location's value.
    mutating func add(
        _ listener: Listens.Listener, to query: Query, over value: Value, at milliseconds: UInt64
    ) -> Value {
        listeners[query, default: ListenerList()].append(listener)
        listenerCount += 1
        return views.add(query, over: value, at: milliseconds)
    }

    mutating func remove(_ listener: Listens.Listener, from query: Query) {
        views.remove(query)
        listenerCount -= 1
        listeners[query]?.remove(listener)
        if listeners[query]?.isEmpty ?? false { listeners[query] = nil }
    }

    /// The children in a query's window, ascending by key.
    mutating func results(
        of query: Query, skipping skip: Int = 0, over value: Value, at milliseconds: UInt64
    ) -> ShownChildren {
        views.results(of: query, skipping: skip, over: value, at: milliseconds)
    }

    /// The notices of one operation, whose changes are relative to the location, for the listeners.
    mutating func notices(of changes: [Change], to value: Value) -> [Listens.Notice] {
        views.apply(changes, to: value).map { notice in
            listeners[notice.query]?.compact()
            return Listens.Notice(
                listeners: listeners[notice.query]?.all ?? [],
                writes: notice.writes.map { Write(path: $0.path, value: $0.value) })
        }
    }
}

// MARK: - Indexes

extension QueriedList {
    /// Builds a slice of an index.
    mutating func buildIndex(
        by order: ChildOrder, over value: Value, spending work: Int, hasRoom: Bool,
        at milliseconds: UInt64
    ) -> (work: Int, progress: SharedViews.BuildProgress) {
        views.buildIndex(
            by: order, over: value, spending: work, hasRoom: hasRoom, at: milliseconds)
    }

    mutating func abandonBuild(by order: ChildOrder) { views.abandonBuild(by: order) }
    mutating func dropIndex(by order: ChildOrder) { views.dropIndex(by: order) }
    mutating func markStale(_ order: ChildOrder) { views.markStale(order) }

    /// All that the queries show whose listeners have missed operations, once there is an index again.
    mutating func refresh(by order: ChildOrder, over value: Value) -> [Listens.Notice] {
        views.refresh(by: order, over: value).map { refreshed in
            Listens.Notice(
                listeners: listeners[refreshed.query]?.all ?? [],
                writes: [Write(path: .root, value: refreshed.window)])
        }
    }
}
