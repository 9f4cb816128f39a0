public import ClientCore
internal import DataTree
public import QueryEngine

extension DatabaseQuery {
    /// Takes what was observed.
    ///
    /// A block in main-actor code is called on the main actor; a block outside actors is called on
    /// `Database.callbackQueue`.
    public typealias Observer = @isolated(any) (DataSnapshot) -> Void

    /// Takes what was observed, and the key of the child before it in the query's order: nil for the
    /// first child, a removed one, and a value event.
    public typealias SiblingObserver = @isolated(any) (DataSnapshot, String?) -> Void

    /// Takes why a node has ended a listen.
    public typealias CancelObserver = @isolated(any) (HearthError) -> Void

    /// Calls back for what is here, and for each change, until the observer is removed.
    @discardableResult
    public func observe(
        _ eventType: DataEventType, with block: @escaping Observer,
        withCancel cancel: @escaping CancelObserver = { _ in }
    ) -> DatabaseHandle {
        let carried = Carried(block)
        return observe(eventType, cancel) { snapshot, _ in await carried.block(snapshot) }
    }

    /// Calls back for what is here, and for each change, until the observer is removed.
    ///
    /// - Parameters:
    ///   - eventType: The kind of events.
    ///   - block: Takes each event's snapshot, and the key of the child before.
    ///   - cancel: Is told why, if the node ends the listen.
    @discardableResult
    public func observe(
        _ eventType: DataEventType, andPreviousSiblingKeyWith block: @escaping SiblingObserver,
        withCancel cancel: @escaping CancelObserver = { _ in }
    ) -> DatabaseHandle {
        let carried = Carried(block)
        return observe(eventType, cancel) { snapshot, key in await carried.block(snapshot, key) }
    }

    private func observe(
        _ eventType: DataEventType, _ cancel: @escaping CancelObserver,
        _ block: @escaping @Sendable (DataSnapshot, String?) async -> Void
    ) -> DatabaseHandle {
        let cancel = Carried(cancel)
        return observe(ViewEvent.Kinds(eventType)) { [database] handle, events in
            database.delivery.call {
                // A block may have removed the observer.
                for event in events where database.observers.withLock({ $0.isLive(handle) }) {
                    await block(self.snapshot(of: event), event.previousChildKey?.text)
                }
            }
        } ended: { [database] error in
            database.delivery.call { await cancel.block(error) }
        }
    }

    /// Removes one observer; a handle that names none does nothing.
    public func removeObserver(withHandle handle: DatabaseHandle) {
        guard let listen = database.observers.withLock({ $0.remove(handle) }),
            case .success(let connection) = database.connection
        else { return }
        connection.unlisten(listen)
    }

    /// Removes all observers of this query, or, for a reference, of all queries at its place; not
    /// those of its children.
    public func removeAllObservers() {
        guard case .success(let connection) = connection else { return }
        for listen in database.observers.withLock({ $0.removeAll(of: self) }) {
            connection.unlisten(listen)
        }
    }

    /// Has the events of each change told together.
    func observe(
        _ kinds: ViewEvent.Kinds,
        observed: @escaping @Sendable (DatabaseHandle, [ViewEvent]) -> Void,
        ended: @escaping @Sendable (HearthError) -> Void
    ) -> DatabaseHandle {
        switch connection {
        case .failure(let error):
            ended(error)
            return 0
        case .success(let connection):
            let handle = database.observers.withLock { $0.makeHandle() }
            let listen = connection.listen(at: path, to: query, for: kinds) { events in
                observed(handle, events)
            } ended: { error in
                self.database.observers.withLock { _ = $0.remove(handle) }
                ended(error)
            }
            database.observers.withLock { $0.add(handle, listen, of: self) }
            return handle
        }
    }

    func snapshot(of event: ViewEvent) -> DataSnapshot {
        guard let key = event.key else { return DataSnapshot(event.data, at: ref, by: query.order) }
        return DataSnapshot(event.data, at: DatabaseReference(database, path.appending(key)))
    }
}

// MARK: - Keeping

extension DatabaseQuery {
    /// Keeps what the query shows known here, whether anyone observes it or not, so that reading it
    /// needs no node; until called with `false`.
    public func keepSynced(_ isKept: Bool) {
        let old = database.observers.withLock { $0.setKeeper(nil, of: self) }
        if let old { removeObserver(withHandle: old) }
        guard isKept else { return }
        let handle = observe([], observed: { _, _ in }, ended: { _ in })
        database.observers.withLock { _ = $0.setKeeper(handle, of: self) }
    }
}
