import DataTree
import QueryEngine
import SyncProtocol

/// Who listens where, as a tree of locations, so that a change finds its listeners on its own path.
struct Listens: Sendable {
    struct Listener: Equatable, Sendable {
        var session: SessionID
        /// The id that the client gave to its listen.
        var id: UInt64
    }

    /// The changes of one operation that some listeners at one location are told of.
    struct Notice: Sendable {
        var listeners: [Listener]
        var writes: [Write]
    }

    /// One listen, as its session knows it.
    struct Listen: Sendable {
        let id: UInt64
        let path: Path
        let query: Query
    }

    private struct Location: Sendable {
        /// Those who see all that is here.
        var listeners: [Listener] = []
        /// The number of the list that is kept for those who see some of its children.
        var list: Int?
        var below = SortedMap<Location>()

        var isWatched: Bool { !listeners.isEmpty || list != nil }
        var isEmpty: Bool { !isWatched && below.isEmpty }
    }

    private var root = Location()
    private var listens: [SessionID: [Listen]] = [:]
    private var lists: [Int: ListenedList] = [:]
    private var lastList = 0
    private(set) var count = 0

    /// The listens of one session.
    func count(of session: SessionID) -> Int { listens[session]?.count ?? 0 }

    /// Whether a session uses an id already.
    func contains(_ listener: Listener) -> Bool {
        listens[listener.session]?.contains { $0.id == listener.id } ?? false
    }

    /// Adds a listener whose session has no other one with its id, and returns what it sees.
    ///
    /// - Complexity: O(log n) for each child shown, and O(n log n) for the first query by an order.
    mutating func add(
        _ listener: Listener, to query: Query, at path: Path, in tree: Value
    ) -> Value {
        let listen = Listen(id: listener.id, path: path, query: query)
        listens[listener.session, default: []].append(listen)
        count += 1
        guard query.isFiltered else {
            change(at: path) { $0.listeners.append(listener) }
            return tree[path]
        }
        return lists[list(at: path)]!.add(listener, to: query, over: tree[path])
    }

    /// Removes one listener; false if there is none.
    mutating func remove(_ listener: Listener) -> Bool {
        guard let index = listens[listener.session]?.firstIndex(where: { $0.id == listener.id }),
            let listen = listens[listener.session]?.remove(at: index)
        else { return false }
        count -= 1
        if listen.query.isFiltered {
            let number = list(at: listen.path)
            lists[number]?.remove(listener, from: listen.query)
            guard lists[number]?.isEmpty ?? true else { return true }
            lists[number] = nil
            change(at: listen.path) { $0.list = nil }
        } else {
            change(at: listen.path) { $0.listeners.removeAll { $0 == listener } }
        }
        return true
    }

    /// Removes all listeners of a session.
    mutating func removeAll(of session: SessionID) {
        for listen in listens[session] ?? [] {
            _ = remove(Listener(session: session, id: listen.id))
        }
        listens[session] = nil
    }

    /// The number of the list at a location, which is made if there is none.
    private mutating func list(at path: Path) -> Int {
        var number = lastList + 1
        change(at: path) { location in
            number = location.list ?? number
            location.list = number
        }
        if number > lastList {
            lastList = number
            lists[number] = ListenedList()
        }
        return number
    }

    private mutating func change(at path: Path, _ body: (inout Location) -> Void) {
        Listens.change(&root, at: path.keys[...], body)
    }

    private static func change(
        _ location: inout Location, at keys: ArraySlice<Key>, _ body: (inout Location) -> Void
    ) {
        guard let key = keys.first else { return body(&location) }
        location.below.mutate(key) { slot in
            var next = slot.take() ?? Location()
            change(&next, at: keys.dropFirst(), body)
            slot = next.isEmpty ? nil : next
        }
    }
}

// MARK: - Operations

extension Listens {
    /// What happens at one watched location, its changes relative to it.
    private struct Touch {
        let path: Path
        let listeners: [Listener]
        let list: Int?
        var changes: [Change]
    }

    /// What the listeners must be told of an operation, location by location; `tree` is the tree
    /// after it.
    ///
    /// - Complexity: O(depth + locations with listeners below) for each change, and what
    ///   `SharedViews.apply` takes where there are queries.
    mutating func notices(of changes: [Change], in tree: Value) -> [Notice] {
        if root.isEmpty { return [] }
        var touches: [Touch] = []
        for change in changes {
            Listens.visit(root, change, depth: 0, below: change.path) { location, path, change in
                if let index = touches.firstIndex(where: { $0.path == path }) {
                    touches[index].changes.append(change)
                } else {
                    touches.append(
                        Touch(
                            path: path, listeners: location.listeners, list: location.list,
                            changes: [change]))
                }
            }
        }
        var notices: [Notice] = []
        for touch in touches {
            if !touch.listeners.isEmpty {
                let writes = touch.changes.map { Write(path: $0.path, value: $0.new) }
                notices.append(Notice(listeners: touch.listeners, writes: writes))
            }
            if let list = touch.list {
                notices += lists[list]!.notices(of: touch.changes, to: tree[touch.path])
            }
        }
        return notices
    }

    private static func visit(
        _ location: Location, _ change: Change, depth: Int, below path: Path,
        _ body: (Location, Path, Change) -> Void
    ) {
        if location.isWatched {
            let keys = change.path.keys
            let relative = Change(
                path: Path(Array(keys[depth...])), old: change.old, new: change.new)
            body(location, Path(Array(keys[..<depth])), relative)
        }
        if depth < change.path.count {
            guard let next = location.below[change.path.keys[depth]] else { return }
            visit(next, change, depth: depth + 1, below: path, body)
        } else {
            visitBelow(location, change.old, change.new, at: path, body)
        }
    }

    /// Tells listeners strictly below a replaced place of what they see of it.
    private static func visitBelow(
        _ location: Location, _ old: Value, _ new: Value, at path: Path,
        _ body: (Location, Path, Change) -> Void
    ) {
        for (key, next) in location.below {
            let before = old[key]
            let after = new[key]
            if before.isNull, after.isNull { continue }
            let place = path.appending(key)
            if next.isWatched, before != after {
                body(next, place, Change(path: .root, old: before, new: after))
            }
            visitBelow(next, before, after, at: place, body)
        }
    }
}
