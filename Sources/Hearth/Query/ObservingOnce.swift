public import ClientCore
internal import DataTree
public import QueryEngine
internal import Threads

extension DatabaseQuery {
    /// Calls back for the first event of a kind, once: for `.value` with what is here.
    public func observeSingleEvent(
        of eventType: DataEventType, with block: @escaping Observer,
        withCancel cancel: @escaping CancelObserver = { _ in }
    ) {
        let block = Carried(block)
        observeOnce(eventType, cancel) { snapshot, _ in await block.block(snapshot) }
    }

    /// Calls back for the first event of a kind, once, with the key of the child before it.
    public func observeSingleEvent(
        of eventType: DataEventType, andPreviousSiblingKeyWith block: @escaping SiblingObserver,
        withCancel cancel: @escaping CancelObserver = { _ in }
    ) {
        let block = Carried(block)
        observeOnce(eventType, cancel) { snapshot, key in await block.block(snapshot, key) }
    }

    /// Waits for the first event of a kind, and the key of the child before it, however long that takes.
    ///
    /// - Throws: `HearthError` if the node ends the listen; with the code `cancelled` when the task is.
    public nonisolated(nonsending) func observeSingleEventAndPreviousSiblingKey(
        of eventType: DataEventType
    ) async throws(HearthError) -> (DataSnapshot, String?) {
        let once = SingleObserver()
        defer { once.remove(from: self) }
        let (snapshot, key) = try await Outcome<(DataSnapshot, String?)>.of(
            .read("an event at \(path)")
        ) { outcome in
            observeOnce(eventType, once) { outcome.end($0) }
        }
        return (snapshot, key)
    }

    private func observeOnce(
        _ eventType: DataEventType, _ cancel: @escaping CancelObserver,
        _ block: @escaping @Sendable (DataSnapshot, String?) async -> Void
    ) {
        let cancel = Carried(cancel)
        observeOnce(eventType, SingleObserver()) { [database] result in
            database.delivery.call {
                switch result {
                case .success((let snapshot, let key)): await block(snapshot, key)
                case .failure(let error): await cancel.block(error)
                }
            }
        }
    }

    private func observeOnce(
        _ eventType: DataEventType, _ once: SingleObserver,
        _ completion: @escaping @Sendable (Result<(DataSnapshot, String?), HearthError>) -> Void
    ) {
        let handle = observe(ViewEvent.Kinds(eventType)) { _, events in
            guard let event = events.first, once.isFirst() else { return }
            once.remove(from: self)
            completion(.success((self.snapshot(of: event), event.previousChildKey?.text)))
        } ended: { error in
            completion(.failure(error))
        }
        once.set(handle, of: self)
    }
}

/// Removes an observer after its first event, which may come before the handle is known.
private final class SingleObserver: Sendable {
    private struct State: Sendable {
        var isTold = false
        var isRemoved = false
        var handle: DatabaseHandle = 0
    }

    private let state = Monitor(State())

    /// Returns whether this is the first event, and records it.
    func isFirst() -> Bool {
        state.withLock { state in
            defer { state.isTold = true }
            return !state.isTold
        }
    }

    func set(_ handle: DatabaseHandle, of query: DatabaseQuery) {
        let isRemoved = state.withLock { state in
            state.handle = handle
            return state.isRemoved
        }
        if isRemoved { query.removeObserver(withHandle: handle) }
    }

    func remove(from query: DatabaseQuery) {
        let handle = state.withLock { state in
            state.isRemoved = true
            return state.handle
        }
        query.removeObserver(withHandle: handle)
    }
}
