import DataTree
import QueryEngine
import SyncProtocol

/// A location with queries: listeners with equal queries share a view, and queries by one order an
/// index.
struct QueriedList: Sendable {
    let path: Path
    /// When a query was last served here.
    var usedMilliseconds: UInt64
    private var views: SharedViews
    /// Never iterated, only looked up.
    private var listeners: [Query: [Listens.Listener]] = [:]
    private(set) var listenerCount = 0

    init(at path: Path, named orders: [ChildOrder], usedMilliseconds: UInt64) {
        self.path = path
        self.usedMilliseconds = usedMilliseconds
        views = SharedViews(indexedBy: orders)
    }

    var indexes: [Index] { views.indexes }
    var viewCount: Int { views.viewCount }
    /// Whether there are no listeners and no indexes.
    var isEmpty: Bool { listenerCount == 0 && views.indexes.isEmpty }

    func hasIndex(by order: ChildOrder) -> Bool { views.hasIndex(by: order) }

    mutating func buildIndex(by order: ChildOrder, over value: Value) {
        views.buildIndex(by: order, over: value)
    }

    /// Changes which orders have indexes that stay.
    mutating func name(_ orders: [ChildOrder]) { views.name(orders) }

    mutating func dropUnusedIndexes() { views.dropUnusedIndexes() }

    /// Adds a listener and returns what its query shows of the location's value.
    mutating func add(
        _ listener: Listens.Listener, to query: Query, over value: Value
    ) -> Value {
        listeners[query, default: []].append(listener)
        listenerCount += 1
        return views.add(query, over: value)
    }

    mutating func remove(_ listener: Listens.Listener, from query: Query) {
        views.remove(query)
        listenerCount -= 1
        listeners[query]?.removeAll { $0 == listener }
        if listeners[query]?.isEmpty ?? false { listeners[query] = nil }
    }

    /// The children in a query's window, ascending by key.
    mutating func results(of query: Query, over value: Value) -> ShownChildren {
        views.results(of: query, over: value)
    }

    /// The notices of one operation, whose changes are relative to the location, for the listeners.
    mutating func notices(of changes: [Change], to value: Value) -> [Listens.Notice] {
        views.apply(changes, to: value).map { notice in
            Listens.Notice(
                listeners: listeners[notice.query] ?? [],
                writes: notice.writes.map { Write(path: $0.path, value: $0.value) })
        }
    }
}
