import DataTree
import QueryEngine
import Rules
import SyncProtocol

/// The listeners of all locations, as a tree, so that a change finds its listeners on its own path.
struct Listens: Sendable {
    struct Listener: Hashable, Sendable {
        var session: SessionID
        /// The ID that the client gave to its listen.
        var id: UInt64
    }

    /// The changes of one operation for some listeners at one location.
    struct Notice: Sendable {
        var listeners: [Listener]
        var writes: [Write]
        /// The same as one write, for several writes that one write of a client made.
        var replacement: Write?
    }

    /// One listen, as its session knows it.
    struct Listen: Sendable {
        let id: UInt64
        let path: Path
        let query: Query
    }

    private struct Location: Sendable {
        /// Listeners that see all of this location.
        var listeners = ListenerList()
        /// The number of the list kept for listeners that see some of its children.
        var list: Int?
        var below = SortedMap<Location>()

        var isWatched: Bool { !listeners.isEmpty || list != nil }
        var isEmpty: Bool { !isWatched && below.isEmpty }
    }

    private var root = Location()
    private var listens: [SessionID: SessionListens] = [:]
    /// Iterated only for sums, and in sorted order.
    var lists: [Int: QueriedList] = [:]
    private var lastList = 0
    private(set) var count = 0
    /// The indexes that the node's configuration declares.
    let indexRules: IndexRules
    /// The rules of the cluster, which have indexed more.
    var ruleset: Ruleset?
    let budget: IndexBudget
    var builds = IndexBuilds()
    /// How many views and indexes operations were applied to since the last `takeUpdateCost`.
    private var updateCost = 0
    /// Notices for listens that missed operations because an index was not built.
    var refreshed: [Notice] = []

    init(indexing rules: IndexRules, within budget: IndexBudget) {
        indexRules = rules
        self.budget = budget
    }

    /// The number of listens of a session.
    func count(of session: SessionID) -> Int { listens[session]?.count ?? 0 }

    /// Whether a session uses an ID already.
    func contains(_ listener: Listener) -> Bool { listen(of: listener) != nil }

    /// The listen of a session that has this ID.
    func listen(of listener: Listener) -> Listen? { listens[listener.session]?[listener.id] }

    /// The listeners of a session, in the order in which they began.
    func listeners(of session: SessionID) -> [Listener] {
        listens[session]?.inOrder.map { Listener(session: session, id: $0.id) } ?? []
    }

    /// All listeners, session by session.
    var listeners: [Listener] { listens.keys.sorted().flatMap(listeners) }

    /// Adds a listener whose ID is new to its session, and returns what it shows.
    ///
    /// The index that it needs exists (`missingIndex`).
    ///
    /// - Complexity: O(log n) for each child shown.
    mutating func add(
        _ listener: Listener, to query: Query, at path: Path, in tree: Value,
        at milliseconds: UInt64
    ) -> Value {
        let value = tree[path]
        if query.isFiltered {
            let number = list(at: path)
            record(listener, query, at: path)
            countIfUnindexed(query, at: path)
            return lists[number]!.add(listener, to: query, over: value, at: milliseconds)
        }
        record(listener, query, at: path)
        change(at: path) { $0.listeners.append(listener) }
        return value
    }

    private mutating func record(_ listener: Listener, _ query: Query, at path: Path) {
        let listen = Listen(id: listener.id, path: path, query: query)
        listens[listener.session, default: SessionListens()].add(listen)
        count += 1
    }

    /// Removes one listener; returns false if there is none.
    mutating func remove(_ listener: Listener) -> Bool {
        guard let listen = listens[listener.session]?.remove(listener.id) else { return false }
        count -= 1
        var number: Int?
        change(at: listen.path) { location in
            number = location.list
            if !listen.query.isFiltered { location.listeners.remove(listener) }
        }
        if listen.query.isFiltered, let number {
            lists[number]?.remove(listener, from: listen.query)
            dropIfEmpty(number)
        }
        return true
    }

    /// Removes all listeners of a session.
    mutating func removeAll(of session: SessionID) {
        for listener in listeners(of: session) { _ = remove(listener) }
        listens[session] = nil
    }

    /// The number of the list at a location, which is created if there is none.
    mutating func list(at path: Path) -> Int {
        var number = lastList + 1
        change(at: path) { location in
            number = location.list ?? number
            location.list = number
        }
        if number > lastList {
            lastList = number
            lists[number] = QueriedList(at: path, named: namedOrders(at: path))
        }
        return number
    }

    /// The number of the list at a location, if there is one.
    func number(at path: Path) -> Int? {
        var location = root
        for key in path.keys {
            guard let next = location.below[key] else { return nil }
            location = next
        }
        return location.list
    }

    /// Removes a list without listeners and indexes.
    mutating func dropIfEmpty(_ number: Int) {
        guard let list = lists[number], list.isEmpty else { return }
        lists[number] = nil
        change(at: list.path) { $0.list = nil }
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
    /// Returns how many views and indexes operations were applied to, and counts anew.
    mutating func takeUpdateCost() -> Int {
        defer { updateCost = 0 }
        return updateCost
    }

    /// The changes at one watched location, relative to it.
    private struct Touch {
        let path: Path
        let listeners: ListenerList
        let list: Int?
        var changes: [Change]
    }

    /// The notices of an operation for its listeners, location by location; `tree` is the tree
    /// after it.
    ///
    /// - Parameter write: The location of the only write of the operation; nil if it has several.
    /// - Complexity: O(depth + locations with listeners below) for each change, plus that of
    ///   `SharedViews.apply` for queries.
    mutating func notices(
        of changes: [Change], by write: Path? = nil, in tree: Value
    ) -> [Notice] {
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
                var notice = Notice(listeners: touch.listeners.all, writes: writes)
                if let write, writes.count > 1 {
                    notice.replacement = Listens.replacement(by: write, at: touch.path, in: tree)
                }
                notices.append(notice)
                if touch.listeners.needsCompaction {
                    change(at: touch.path) { $0.listeners.compact() }
                }
            }
            if let list = touch.list {
                notices += lists[list]!.notices(of: touch.changes, to: tree[touch.path])
                updateCost += lists[list]!.views.updateCost
                if !builds.lacking.isEmpty { refreshUnindexed(at: touch.path) }
            }
        }
        return notices
    }

    /// The change that a write has made at a location, or below, as one write relative to the location. It has no more values than
    /// the client has written.
    private static func replacement(by write: Path, at path: Path, in tree: Value) -> Write {
        guard write.count > path.count else { return Write(path: .root, value: tree[path]) }
        return Write(path: Path(Array(write.keys[path.count...])), value: tree[write])
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

    /// Notifies listeners strictly below a replaced location of what they show of it.
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
