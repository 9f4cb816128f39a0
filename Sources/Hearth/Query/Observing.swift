public import ClientCore
internal import DataTree
public import QueryEngine
internal import Threads

extension DatabaseQuery {
    /// Takes what was observed, and the key of the child before it in the query's order: nil for the
    /// first child, a removed one, and a value event.
    public typealias Observation = @Sendable (DataSnapshot, String?) -> Void

    /// Calls back for what is here, and for each change, until the observer is removed.
    @discardableResult
    public func observe(
        _ eventType: DataEventType, with block: @escaping @Sendable (DataSnapshot) -> Void,
        withCancel cancel: @escaping @Sendable (HearthError) -> Void = { _ in }
    ) -> DatabaseHandle {
        observe(
            eventType, andPreviousSiblingKeyWith: { snapshot, _ in block(snapshot) },
            withCancel: cancel)
    }

    /// Calls back for what is here, and for each change, until the observer is removed.
    ///
    /// - Parameters:
    ///   - eventType: The kind of events.
    ///   - block: Takes each event's snapshot, and the key of the child before.
    ///   - cancel: Is told why, if the node ends the listen.
    @discardableResult
    public func observe(
        _ eventType: DataEventType, andPreviousSiblingKeyWith block: @escaping Observation,
        withCancel cancel: @escaping @Sendable (HearthError) -> Void = { _ in }
    ) -> DatabaseHandle {
        observe(ViewEvent.Kinds(eventType)) { events in
            for event in events {
                block(self.snapshot(of: event), event.previousChildKey?.text)
            }
        } ended: { error in
            cancel(error)
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
        guard case .success(let connection) = database.connection else { return }
        for listen in database.observers.withLock({ $0.removeAll(of: self) }) {
            connection.unlisten(listen)
        }
    }

    /// Has the events of each change told together.
    func observe(
        _ kinds: ViewEvent.Kinds, observed: @escaping @Sendable ([ViewEvent]) -> Void,
        ended: @escaping @Sendable (HearthError) -> Void
    ) -> DatabaseHandle {
        switch database.connection {
        case .failure(let error):
            ended(error)
            return 0
        case .success(let connection):
            let handle = database.observers.withLock { $0.makeHandle() }
            let listen = connection.listen(
                at: path, to: query, for: kinds, observed: observed
            ) { error in
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

// MARK: - Once

extension DatabaseQuery {
    /// Calls back for the first event of a kind, once: for `.value` with what is here.
    public func observeSingleEvent(
        of eventType: DataEventType, with block: @escaping @Sendable (DataSnapshot) -> Void,
        withCancel cancel: @escaping @Sendable (HearthError) -> Void = { _ in }
    ) {
        observeSingleEvent(
            of: eventType, andPreviousSiblingKeyWith: { snapshot, _ in block(snapshot) },
            withCancel: cancel)
    }

    /// Calls back for the first event of a kind, once.
    public func observeSingleEvent(
        of eventType: DataEventType, andPreviousSiblingKeyWith block: @escaping Observation,
        withCancel cancel: @escaping @Sendable (HearthError) -> Void = { _ in }
    ) {
        // Known by the time of the first event, or soon after it.
        let state = Monitor<(isTold: Bool, handle: DatabaseHandle)>((false, 0))
        let handle = observe(ViewEvent.Kinds(eventType)) { events in
            let (isFirst, handle) = state.withLock { state in
                defer { state.isTold = true }
                return (!state.isTold, state.handle)
            }
            guard isFirst, let event = events.first else { return }
            self.removeObserver(withHandle: handle)
            block(self.snapshot(of: event), event.previousChildKey?.text)
        } ended: { error in
            cancel(error)
        }
        let isTold = state.withLock { state in
            state.handle = handle
            return state.isTold
        }
        if isTold { removeObserver(withHandle: handle) }
    }

    /// Waits for the first event of a kind, and the key of the child before it.
    ///
    /// - Throws: `HearthError` if the node ends the listen.
    public nonisolated(nonsending) func observeSingleEventAndPreviousSiblingKey(
        of eventType: DataEventType
    ) async throws(HearthError) -> (DataSnapshot, String?) {
        let result: Result<(DataSnapshot, String?), HearthError> =
            await withCheckedContinuation { waiting in
                observeSingleEvent(of: eventType) { snapshot, previous in
                    waiting.resume(returning: .success((snapshot, previous)))
                } withCancel: { error in
                    waiting.resume(returning: .failure(error))
                }
            }
        return try result.get()
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
        let handle = observe([], observed: { _ in }, ended: { _ in })
        database.observers.withLock { _ = $0.setKeeper(handle, of: self) }
    }
}
