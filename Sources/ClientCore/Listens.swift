import DataTree
import QueryEngine
import SyncProtocol

/// What the application listens to, across connections.
struct Listens: Sendable {
    private struct Listen: Sendable {
        let path: Path
        var view: CachedView
        /// Its number on this connection, once it was asked for there.
        var wireID: UInt64?
    }

    private var listens: [ListenID: Listen] = [:]
    private var byWireID: [UInt64: ListenID] = [:]

    var isEmpty: Bool { listens.isEmpty }

    /// Those not yet asked for on this connection, in order.
    var unasked: [ListenID] { listens.filter { $0.value.wireID == nil }.map(\.key).sorted() }

    mutating func add(_ id: ListenID, at path: Path, of kinds: ViewEvent.Kinds) {
        precondition(listens[id] == nil, "listen \(id.number) exists already")
        listens[id] = Listen(path: path, view: CachedView(for: kinds))
    }

    /// Gives a listen its number on this connection and returns where it listens.
    mutating func ask(for id: ListenID, as wireID: UInt64) -> Path? {
        listens[id]?.wireID = wireID
        byWireID[wireID] = id
        return listens[id]?.path
    }

    /// Forgets a listen and returns its number on this connection, if it has one.
    mutating func remove(_ id: ListenID) -> UInt64? {
        guard let wireID = listens.removeValue(forKey: id)?.wireID else { return nil }
        byWireID[wireID] = nil
        return wireID
    }

    /// Forgets a listen that the node ended.
    mutating func remove(wireID: UInt64) -> ListenID? {
        guard let id = byWireID.removeValue(forKey: wireID) else { return nil }
        listens[id] = nil
        return id
    }

    /// Forgets all listens and returns them, in order.
    mutating func takeAll() -> [ListenID] {
        defer { self = Listens() }
        return listens.keys.sorted()
    }

    /// Keeps the listens for the next connection, whose first message brings what was missed.
    mutating func disconnect() {
        for id in byWireID.values { listens[id]?.wireID = nil }
        byWireID.removeAll()
    }

    /// The events of a change; nil if nobody listens any more.
    mutating func apply(_ writes: [Write], to wireID: UInt64) -> (ListenID, [ViewEvent])? {
        guard let id = byWireID[wireID] else { return nil }
        let writes = writes.map { (path: $0.path, value: $0.value) }
        guard let events = listens[id]?.view.apply(writing: writes), !events.isEmpty else {
            return nil
        }
        return (id, events)
    }
}
