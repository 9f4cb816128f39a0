import DataTree
import QueryEngine
import SyncProtocol

/// Those who listen to some of the children of one location: equal queries share a view, and what
/// is sent to their listeners is encoded once.
struct ListenedList: Sendable {
    private var views = SharedViews()
    /// Never walked, only looked up.
    private var listeners: [Query: [Listens.Listener]] = [:]

    var isEmpty: Bool { listeners.isEmpty }

    /// Adds a listener and returns what its query shows of the location's value.
    mutating func add(
        _ listener: Listens.Listener, to query: Query, over value: Value
    ) -> Value {
        listeners[query, default: []].append(listener)
        return views.add(query, over: value)
    }

    mutating func remove(_ listener: Listens.Listener, from query: Query) {
        views.remove(query)
        listeners[query]?.removeAll { $0 == listener }
        if listeners[query]?.isEmpty ?? false { listeners[query] = nil }
    }

    /// What the listeners are told of one operation, whose changes are relative to the location.
    mutating func notices(of changes: [Change], to value: Value) -> [Listens.Notice] {
        views.apply(changes, to: value).map { notice in
            Listens.Notice(
                listeners: listeners[notice.query] ?? [],
                writes: notice.writes.map { Write(path: $0.path, value: $0.value) })
        }
    }
}
