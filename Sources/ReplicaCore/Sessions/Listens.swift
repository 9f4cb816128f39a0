import DataTree
import SyncProtocol

/// Who listens where, as a tree of locations, so that a change finds its listeners on its own path.
struct Listens: Sendable {
    struct Listener: Equatable, Sendable {
        var session: SessionID
        /// The id that the client gave to its listen.
        var id: UInt64
    }

    /// The changes of one operation that the listeners at one location are told of.
    struct Notice: Sendable {
        var listeners: [Listener]
        var writes: [Write]
    }

    private struct Location: Sendable {
        var listeners: [Listener] = []
        var below = SortedMap<Location>()

        var isEmpty: Bool { listeners.isEmpty && below.isEmpty }
    }

    private var root = Location()
    private var paths: [SessionID: [(id: UInt64, path: Path)]] = [:]
    private(set) var count = 0

    /// The listens of one session.
    func count(of session: SessionID) -> Int { paths[session]?.count ?? 0 }

    /// Adds a listener; false if the session uses the id already.
    mutating func add(_ listener: Listener, at path: Path) -> Bool {
        let own = paths[listener.session] ?? []
        guard !own.contains(where: { $0.id == listener.id }) else { return false }
        paths[listener.session, default: []].append((listener.id, path))
        Listens.change(&root, at: path.keys[...]) { $0.listeners.append(listener) }
        count += 1
        return true
    }

    /// Removes one listener; false if there is none.
    mutating func remove(_ listener: Listener) -> Bool {
        guard let index = paths[listener.session]?.firstIndex(where: { $0.id == listener.id }),
            let path = paths[listener.session]?.remove(at: index).path
        else { return false }
        Listens.change(&root, at: path.keys[...]) { location in
            location.listeners.removeAll { $0 == listener }
        }
        count -= 1
        return true
    }

    /// Removes all listeners of a session.
    mutating func removeAll(of session: SessionID) {
        for (id, _) in paths[session] ?? [] { _ = remove(Listener(session: session, id: id)) }
        paths[session] = nil
    }

    /// What the listeners must be told of an operation, location by location.
    ///
    /// - Complexity: O(depth + locations with listeners below) for each change.
    func notices(of changes: [Change]) -> [Notice] {
        if count == 0 { return [] }
        var notices: [(depth: Int, notice: Notice)] = []
        for change in changes {
            Listens.visit(root, change, depth: 0) { location, depth, write in
                let index = notices.firstIndex {
                    $0.depth == depth && $0.notice.listeners == location.listeners
                }
                if let index {
                    notices[index].notice.writes.append(write)
                } else {
                    let notice = Notice(listeners: location.listeners, writes: [write])
                    notices.append((depth, notice))
                }
            }
        }
        return notices.map(\.notice)
    }

    private static func visit(
        _ location: Location, _ change: Change, depth: Int,
        _ body: (Location, Int, Write) -> Void
    ) {
        if !location.listeners.isEmpty {
            let relative = Path(Array(change.path.keys.dropFirst(depth)))
            body(location, depth, Write(path: relative, value: change.new))
        }
        if depth < change.path.count {
            guard let next = location.below[change.path.keys[depth]] else { return }
            visit(next, change, depth: depth + 1, body)
        } else {
            visitBelow(location, change.old, change.new, depth: depth, body)
        }
    }

    /// Tells listeners strictly below a replaced place of what they see of it.
    private static func visitBelow(
        _ location: Location, _ old: Value, _ new: Value, depth: Int,
        _ body: (Location, Int, Write) -> Void
    ) {
        for (key, next) in location.below {
            let before = old[key]
            let after = new[key]
            if before.isNull, after.isNull { continue }
            if !next.listeners.isEmpty, before != after {
                body(next, depth + 1, Write(path: .root, value: after))
            }
            visitBelow(next, before, after, depth: depth + 1, body)
        }
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
