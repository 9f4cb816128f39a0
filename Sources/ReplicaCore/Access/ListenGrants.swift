import DataTree
import Rules
import SyncProtocol

/// The listens of users by the places that the rules have looked at to permit them: what changes there has them judged again.
struct ListenGrants: Sendable {
    private struct Place: Sendable {
        /// Iterated only for `uniqued`, which sorts.
        var listeners: Set<Listens.Listener> = []
        var below = SortedMap<Place>()

        var isEmpty: Bool { listeners.isEmpty && below.isEmpty }
    }

    private var root = Place()
    /// The places of each listen that rests on data.
    private var places: [SessionID: [UInt64: [Path]]] = [:]

    /// Whether no listen rests on data.
    var isEmpty: Bool { places.isEmpty }

    /// Records what a listen rests on, in place of what it rested on before.
    mutating func set(_ grant: ReadGrant, of listener: Listens.Listener) {
        remove(listener)
        if grant.places.isEmpty { return }
        places[listener.session, default: [:]][listener.id] = grant.places
        for path in grant.places { change(at: path) { $0.insert(listener) } }
    }

    /// Forgets a listen.
    mutating func remove(_ listener: Listens.Listener) {
        if places.isEmpty { return }
        guard let paths = places[listener.session]?.removeValue(forKey: listener.id) else { return }
        if places[listener.session]?.isEmpty ?? false { places[listener.session] = nil }
        for path in paths { change(at: path) { $0.remove(listener) } }
    }

    /// Forgets the listens of a session.
    mutating func removeAll(of session: SessionID) {
        for id in places[session]?.keys.sorted() ?? [] {
            remove(Listens.Listener(session: session, id: id))
        }
    }

    private mutating func change(at path: Path, _ body: (inout Set<Listens.Listener>) -> Void) {
        ListenGrants.change(&root, at: path.keys[...], body)
    }

    private static func change(
        _ place: inout Place, at keys: ArraySlice<Key>,
        _ body: (inout Set<Listens.Listener>) -> Void
    ) {
        guard let key = keys.first else { return body(&place.listeners) }
        place.below.mutate(key) { slot in
            var next = slot.take() ?? Place()
            change(&next, at: keys.dropFirst(), body)
            slot = next.isEmpty ? nil : next
        }
    }
}

// MARK: - Changes

extension ListenGrants {
    /// The listens whose verdicts an operation may have changed, ascending; `tree` is the tree after it.
    func listeners(affectedBy changes: [Change], in tree: Value) -> [Listens.Listener] {
        if isEmpty { return [] }
        var affected: [Listens.Listener] = []
        for change in changes { collect(change, of: changes.count, in: tree, &affected) }
        return affected.uniqued
    }

    private func collect(
        _ change: Change, of count: Int, in tree: Value, _ affected: inout [Listens.Listener]
    ) {
        var (place, value) = (root, tree)
        for key in change.path.keys {
            // For a location above the change, a rule knows only whether a value exists, and the value if it has no
            // children. The operation may have added all present children, or removed the last one.
            if value.children.count <= count { affected += place.listeners }
            guard let next = place.below[key] else { return }
            (place, value) = (next, value[key])
        }
        ListenGrants.collectAll(place, &affected)
    }

    private static func collectAll(_ place: Place, _ affected: inout [Listens.Listener]) {
        affected += place.listeners
        for (_, next) in place.below { collectAll(next, &affected) }
    }
}

extension [Listens.Listener] {
    /// Each once, ascending.
    fileprivate var uniqued: [Listens.Listener] {
        var unique: [Listens.Listener] = []
        let ascending = sorted { ($0.session, $0.id) < ($1.session, $1.id) }
        for listener in ascending where unique.last != listener { unique.append(listener) }
        return unique
    }
}
