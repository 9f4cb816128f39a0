internal import ClientCore
internal import DataTree
internal import QueryEngine

/// Who observes what, so that all observers of a place can be removed.
struct Observers: Sendable {
    private struct Observer: Sendable {
        let listen: ListenID
        let path: Path
        let query: Query
    }

    private var observers: [DatabaseHandle: Observer] = [:]
    private var lastHandle: DatabaseHandle = 0

    /// Draws a handle for an observer to come.
    mutating func makeHandle() -> DatabaseHandle {
        lastHandle += 1
        return lastHandle
    }

    mutating func add(_ handle: DatabaseHandle, _ listen: ListenID, of query: DatabaseQuery) {
        observers[handle] = Observer(listen: listen, path: query.path, query: query.query)
    }

    /// Forgets one observer and returns its listen.
    mutating func remove(_ handle: DatabaseHandle) -> ListenID? {
        observers.removeValue(forKey: handle)?.listen
    }

    /// Forgets the observers of a query and returns their listens; a plain reference stands for all
    /// queries at its place.
    mutating func removeAll(of query: DatabaseQuery) -> [ListenID] {
        let isPlain = query.query == Query()
        let gone = observers.filter { _, observer in
            observer.path == query.path && (isPlain || observer.query == query.query)
        }
        for handle in gone.keys { observers[handle] = nil }
        return gone.values.map(\.listen).sorted()
    }
}
