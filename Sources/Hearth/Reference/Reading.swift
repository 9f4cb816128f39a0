public import ClientCore
internal import DataTree
public import QueryEngine

/// Names one observer, to remove it.
public struct DatabaseHandle: Hashable, Sendable {
    let listen: ListenID?
}

extension DatabaseReference {
    /// Reads what is here, once.
    public func getData(
        completion: @escaping @Sendable (HearthError?, DataSnapshot?) -> Void
    ) {
        switch database.connection {
        case .failure(let error): completion(error, nil)
        case .success(let connection):
            connection.send(.get(path)) { result in
                switch result {
                case .success(.value(let value)):
                    completion(nil, DataSnapshot(value, at: self))
                case .success(.done): completion(nil, DataSnapshot(.null, at: self))
                case .failure(let error): completion(error, nil)
                }
            }
        }
    }

    /// Reads what is here, once.
    public func getData() async throws(HearthError) -> DataSnapshot {
        let result: Result<DataSnapshot, HearthError> = await withCheckedContinuation { waiting in
            getData { error, snapshot in
                waiting.resume(
                    returning: error.map { .failure($0) }
                        ?? .success(snapshot ?? DataSnapshot(.null, at: self)))
            }
        }
        return try result.get()
    }

    /// Calls back for what is here, and for each change, until the observer is removed.
    @discardableResult
    public func observe(
        _ eventType: DataEventType, with block: @escaping @Sendable (DataSnapshot) -> Void
    ) -> DatabaseHandle {
        observe(eventType, andPreviousSiblingKeyWith: { snapshot, _ in block(snapshot) })
    }

    /// Calls back with the key of the child before, too; nil for the first child.
    ///
    /// - Parameter cancel: Is told why, if the node ends the listen.
    @discardableResult
    public func observe(
        _ eventType: DataEventType,
        andPreviousSiblingKeyWith block: @escaping @Sendable (DataSnapshot, String?) -> Void,
        withCancel cancel: @escaping @Sendable (HearthError) -> Void = { _ in }
    ) -> DatabaseHandle {
        switch database.connection {
        case .failure(let error):
            cancel(error)
            return DatabaseHandle(listen: nil)
        case .success(let connection):
            let listen = connection.listen(at: path, for: ViewEvent.Kinds(eventType)) { events in
                for event in events {
                    let place = event.key.map { DatabaseReference(database, path.appending($0)) }
                    block(
                        DataSnapshot(event.data, at: place ?? self), event.previousChildKey?.text)
                }
            } ended: { error in
                cancel(error)
            }
            return DatabaseHandle(listen: listen)
        }
    }

    /// Removes one observer.
    public func removeObserver(withHandle handle: DatabaseHandle) {
        guard let listen = handle.listen, case .success(let connection) = database.connection
        else { return }
        connection.unlisten(listen)
    }
}
