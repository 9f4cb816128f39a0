internal import ClientCore
internal import DataTree
internal import QueryEngine

/// The observers of each query, so that all observers of a place can be removed.
struct Observers: Sendable {
    private struct Target: Hashable, Sendable {
        let path: Path
        let query: Query

        init(_ query: DatabaseQuery) {
            path = query.path
            self.query = query.query
        }
    }

    private struct Observer: Sendable {
        let listen: ListenID
        let target: Target
    }

    /// Those that were not removed yet.
    private var live: Set<DatabaseHandle> = []
    private var observers: [DatabaseHandle: Observer] = [:]
    /// The observers that only keep a query known.
    private var keepers: [Target: DatabaseHandle] = [:]
    private var lastHandle: DatabaseHandle = 0

    /// Draws a handle for an observer to come.
    mutating func makeHandle() -> DatabaseHandle {
        lastHandle += 1
        live.insert(lastHandle)
        return lastHandle
    }

    /// Whether an observer was not removed yet.
    func isLive(_ handle: DatabaseHandle) -> Bool { live.contains(handle) }

    mutating func add(_ handle: DatabaseHandle, _ listen: ListenID, of query: DatabaseQuery) {
        guard live.contains(handle) else { return }
        observers[handle] = Observer(listen: listen, target: Target(query))
    }

    /// Sets the observer that keeps a query in sync, and returns the one before.
    mutating func setKeeper(
        _ handle: DatabaseHandle?, of query: DatabaseQuery
    ) -> DatabaseHandle? {
        let old = keepers[Target(query)]
        keepers[Target(query)] = handle
        return old
    }

    /// Forgets one observer and returns its listen.
    mutating func remove(_ handle: DatabaseHandle) -> ListenID? {
        live.remove(handle)
        return observers.removeValue(forKey: handle)?.listen
    }

    /// Forgets the observers of a query and returns their listens; a plain reference stands for all
    /// queries at its place.
    mutating func removeAll(of query: DatabaseQuery) -> [ListenID] {
        let target = Target(query)
        let isPlain = target.query == Query()
        let gone = observers.filter { handle, observer in
            observer.target.path == target.path && (isPlain || observer.target == target)
                && keepers[observer.target] != handle
        }
        for handle in gone.keys {
            live.remove(handle)
            observers[handle] = nil
        }
        return gone.values.map(\.listen).sorted()
    }
}
