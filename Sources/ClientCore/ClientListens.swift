import DataTree
import QueryEngine
import SyncProtocol

// The application's listeners, the listens at nodes that they need, and the changes that nodes send.

extension Client {
    mutating func listen(
        _ id: ListenID, _ path: Path, _ query: Query, _ kinds: ViewEvent.Kinds
    ) {
        listeners[id] = kinds
        apply(
            path.isInformation
                ? information.listen(id, at: path, to: query)
                : tree.listen(id, at: path, to: query))
    }

    mutating func unlisten(_ id: ListenID) {
        listeners[id] = nil
        information.unlisten(id)
        apply(tree.unlisten(id))
    }

    mutating func apply(_ told: [SyncOutput]) {
        for output in told {
            switch output {
            case .start(let listen):
                subscriptions.start(listen)
                if configuration.isPersistent, tree.heldValue(for: listen) == nil {
                    outputs.append(.recall(key: persistence.recall(listen)))
                }
            case .stop(let listen):
                if configuration.isPersistent, subscriptions.isTold(listen) {
                    persistence.keep(listen.known, of: listen)
                }
                guard let wireID = subscriptions.stop(listen), link.isOpen else { continue }
                append(.unlisten(id: nextWireID(), listen: wireID))
            case .observed(let observed): report(observed)
            }
        }
    }

    /// Reports a change to listeners in the order of their first events: a listener to removals gets a removal before
    /// another listener gets the addition that follows it.
    private mutating func report(_ observed: SyncEvents) {
        if observed.listens.count == 1 {
            let id = observed.listens[0]
            let events = events(of: observed, for: id)
            if !events.isEmpty { outputs.append(.observed(id, events)) }
            return
        }
        let told = observed.listens.map { (id: $0, events: events(of: observed, for: $0)) }
        // By kind first, then by registration; each listener's events stay together.
        for kind in ViewEvent.Kind.allCases {
            for (id, events) in told where events.last?.kind == kind {
                outputs.append(.observed(id, events))
            }
        }
    }

    /// The events of the kinds that a listener wants; none if it has gone.
    private func events(of observed: SyncEvents, for id: ListenID) -> [ViewEvent] {
        guard let kinds = listeners[id] else { return [] }
        if kinds == .all { return observed.events }
        return observed.events.filter { kinds.contains(.init($0.kind)) }
    }
}

// MARK: - The node

extension Client {
    /// Begins a listen at the node; for large values that are held, hashes of parts tell the node what to leave out.
    func message(for listen: ServerListen, _ wireID: UInt64) -> ClientMessage {
        let held = tree.heldValue(for: listen).map { value in
            let isMuch = value.estimatedSize > configuration.rangeBytes
            return HeldData(
                hash: DataHash(of: value), ranges: isMuch ? CompoundHash(of: value) : nil)
        }
        return .listen(id: wireID, path: listen.path, query: listen.query, held: held)
    }

    mutating func receive(_ writes: [Write], for wireID: UInt64) {
        guard let listen = subscriptions.recordChange(wireID) else { return }
        if writes.isEmpty { return apply(tree.confirm(listen)) }
        apply(tree.receive(writes.map { ($0.path, $0.value) }, for: listen))
    }

    mutating func receive(_ ranges: [ChangedRange], for wireID: UInt64) {
        guard let listen = subscriptions.recordChange(wireID),
            var value = tree.heldValue(for: listen)
        else { return }
        let parts = ranges.flatMap(\.writes).map { (path: $0.path, value: $0.value) }
        value.replace(ranges.map(\.range), by: parts)
        apply(tree.receive([(.root, value)], for: listen))
    }

    /// Ends a listen that the node has ended or refused; false if there is no such listen.
    mutating func end(_ wireID: UInt64, _ error: HearthError) -> Bool {
        guard let listen = subscriptions.end(wireID) else { return false }
        let (ids, told) = tree.end(listen)
        for id in ids {
            if listeners.removeValue(forKey: id) != nil {
                outputs.append(.ended(id, error))
            } else if let transaction = transactions.all.first(where: { $0.listen == id }) {
                fail(transaction.id, error)
            }
        }
        apply(told)
        return true
    }
}
