public import DataTree
import QueryEngine

/// A client's copy of parts of the tree: the servers' data, the unanswered writes over them, and the listeners,
/// which see both as one.
///
///     var tree = SyncTree()
///     var outputs = tree.listen(id, at: path, to: Query())      // asks the server
///     outputs = tree.set(1, at: path).outputs                   // listeners see it at once
///     outputs = tree.overwrite(path, with: 1)                   // the server sends it; no events
///     outputs = tree.acknowledge(writeID)
///
/// A listener gets value events only for complete data. A listen to everything at a location serves all queries
/// there and below.
/// Source: `firebase-semantics.md`, sections 4 to 7.
public struct SyncTree: Sendable {
    var root = SyncPoint()
    var writes = PendingWrites()
    /// The path of each listen.
    var places: [ListenID: Place] = [:]
    /// The listen of each of the server's tags.
    var tags: [Tag: Place] = [:]
    var nextTag: UInt64 = 1

    struct Place: Sendable {
        let path: Path
        let query: Query
    }

    package init() {}

    mutating func apply(_ operation: SyncOperation) -> [SyncOutput] {
        if root.isEmpty { return [] }
        var outputs: [SyncOutput] = []
        root.apply(operation, at: .root, over: writes.overlay, complete: nil, &outputs)
        return outputs
    }
}

// MARK: - Writes

extension SyncTree {
    /// Replaces the value at a path, at this client until the server answers.
    ///
    /// Placeholders become values at once, by the data known here; the server resolves them again.
    ///
    /// - Parameter milliseconds: Wall time since 1970, as the server has it.
    public mutating func set(
        _ value: Value, at path: Path, _ visibility: WriteVisibility = .shown,
        milliseconds: UInt64 = 0
    ) -> (id: WriteID, outputs: [SyncOutput]) {
        let change = SyncChange(resolve(value, at: path, milliseconds))
        return append(change, at: path, visibility, isGuess: value.containsDeferred)
    }

    /// Replaces the values at several paths, together; the paths of the writes are relative.
    public mutating func update(
        _ path: Path, with writes: [(path: Path, value: Value)], milliseconds: UInt64 = 0
    ) -> (id: WriteID, outputs: [SyncOutput]) {
        let resolved = writes.map { write in
            (write.path, resolve(write.value, at: path.appending(write.path), milliseconds))
        }
        let isGuess = writes.contains { $0.value.containsDeferred }
        return append(SyncChange(resolved), at: path, .shown, isGuess: isGuess)
    }

    /// Forgets a write that the server has accepted; the server has sent its result before.
    public mutating func acknowledge(_ id: WriteID) -> [SyncOutput] {
        // A guess gives way to the server's data; other writes stay until the data arrive.
        finish(id) { $0.isGuess ? .revert($0.change) : .acknowledge($0.change) }
    }

    /// Takes a write back that the server has refused.
    public mutating func revert(_ id: WriteID) -> [SyncOutput] { finish(id) { .revert($0.change) } }

    private mutating func append(
        _ change: SyncChange, at path: Path, _ visibility: WriteVisibility, isGuess: Bool
    ) -> (id: WriteID, outputs: [SyncOutput]) {
        let id = writes.append(change, at: path, visibility, isGuess: isGuess)
        if visibility == .hidden { return (id, []) }
        return (id, apply(SyncOperation(path: path, action: .write(change))))
    }

    private mutating func finish(
        _ id: WriteID, _ action: (PendingWrite) -> SyncOperation.Action
    ) -> [SyncOutput] {
        guard let write = writes.remove(id), write.visibility == .shown else { return [] }
        return apply(SyncOperation(path: write.path, action: action(write)))
    }

    private func resolve(_ value: Value, at path: Path, _ milliseconds: UInt64) -> Value {
        guard value.containsDeferred else { return value }
        return value.resolved(at: milliseconds, against: self.value(at: path) ?? .null)
    }
}

// MARK: - The server's data

extension SyncTree {
    /// Applies the server's data for one listen: relative writes, which happen together.
    ///
    /// Filtered queries above, which have listens of their own, ignore them: they would learn too early, and only in
    /// part, how one operation changed them.
    public mutating func receive(
        _ writes: [(path: Path, value: Value)], for listen: ServerListen
    ) -> [SyncOutput] {
        let path = writes.count == 1 ? writes[0].path : .root
        let change = writes.count == 1 ? SyncChange(writes[0].value) : SyncChange(writes)
        return apply(.tell(change, isForQuery: listen.tag != nil), at: path, for: listen)
    }

    private mutating func apply(
        _ action: SyncOperation.Action, at path: Path, for listen: ServerListen
    ) -> [SyncOutput] {
        if let tag = listen.tag { return apply(action, at: listen.path.appending(path), tag) }
        let operation = SyncOperation(path: path, action: action)
        let overlay = writes.overlay[listen.path]
        var outputs: [SyncOutput] = []
        root.mutate(at: listen.path.keys[...]) { point in
            point.apply(operation, at: listen.path, over: overlay, complete: nil, &outputs)
        }
        return outputs
    }

    /// Applies the server's data at a path; `tag` names the filtered listen that they are for.
    public mutating func overwrite(_ path: Path, with value: Value, tag: Tag? = nil)
        -> [SyncOutput]
    {
        receive(SyncChange(value), at: path, tag)
    }

    /// Applies the server's data at places at and below a path; their paths are relative.
    public mutating func merge(
        _ path: Path, with writes: [(path: Path, value: Value)], tag: Tag? = nil
    ) -> [SyncOutput] {
        receive(SyncChange(writes), at: path, tag)
    }

    /// Marks the data of a listen as complete.
    public mutating func confirm(_ listen: ServerListen) -> [SyncOutput] {
        apply(.confirm, at: .root, for: listen)
    }

    private mutating func receive(_ change: SyncChange, at path: Path, _ tag: Tag?) -> [SyncOutput]
    {
        apply(.tell(change, isForQuery: tag != nil), at: path, tag)
    }

    private mutating func apply(
        _ action: SyncOperation.Action, at path: Path, _ tag: Tag?
    ) -> [SyncOutput] {
        guard let tag else { return apply(SyncOperation(path: path, action: action)) }
        // The listen has ended meanwhile, or the server sends something else.
        guard let place = tags[tag], place.path.contains(path) else { return [] }
        let operation = SyncOperation(path: path.relative(to: place.path), action: action)
        let overlay = writes.overlay[place.path]
        return root.mutate(at: place.path.keys[...]) { point in
            guard let view = point.place(of: place.query) else { return [] }
            let events = point.views[view].apply(operation, over: overlay, complete: nil)
            if events.isEmpty { return [] }
            return [
                .observed(
                    SyncEvents(
                        path: place.path, query: place.query,
                        listens: point.views[view].listens, events: events))
            ]
        }
    }
}
