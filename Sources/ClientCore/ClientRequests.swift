import DataTree
import QueryEngine
import SyncProtocol

// What the application asks for, and how it ends.

extension Client {
    mutating func ask(_ request: Request) {
        if request.work.path.isInformation { return askInformation(request) }
        guard hasRoom(for: request) else {
            return outputs.append(.failed(request.id, .full(requests.count)))
        }
        switch request.work {
        case .get(let path, let query):
            if let value = tree.shownValue(at: path, to: query) {
                return outputs.append(.succeeded(request.id, .value(value)))
            }
            requests.append(request, at: now)
        case .put(let path, let value):
            overwriteTransactions(at: [path])
            let (write, told) = tree.set(value, at: path, milliseconds: nodeMilliseconds)
            requests.append(request, write, at: now)
            take(told)
        case .merge(let path, let writes):
            overwriteTransactions(at: writes.map { path.appending($0.path) })
            let (write, told) = tree.update(
                path, with: writes.map { ($0.path, $0.value) }, milliseconds: nodeMilliseconds)
            requests.append(request, write, at: now)
            take(told)
        case .transact(_, let visibility): begin(request, visibility)
        case .onDisconnectPut, .onDisconnectMerge, .onDisconnectCancel, .status:
            requests.append(request, at: now)
        }
    }

    /// What the node's wall clock shows, as far as it is known.
    var nodeMilliseconds: UInt64 {
        UInt64(max(0, Int64(wallMilliseconds) + information.offsetMilliseconds))
    }

    private func hasRoom(for request: Request) -> Bool {
        requests.count + transactions.all.count < configuration.queueLimit
            && requests.byteCount < configuration.queueBytes
    }

    private mutating func askInformation(_ request: Request) {
        guard case .get(let path, _) = request.work else {
            return outputs.append(.failed(request.id, .informationIsFixed(request.work.path)))
        }
        outputs.append(.succeeded(request.id, .value(information[path])))
    }
}

// MARK: - How it ends

extension Client {
    /// Answers to pings and listens finish nothing.
    mutating func finish(_ wireID: UInt64, _ answer: Answer) {
        guard let pending = requests.finish(wireID) else { return }
        if let write = pending.write { take(tree.acknowledge(write)) }
        if case .transact = pending.request.work { return commit(pending.request.id) }
        outputs.append(.succeeded(pending.request.id, answer))
    }

    /// What listeners saw of it goes before the application is told why.
    mutating func fail(_ pending: Requests.Pending, _ error: HearthError) {
        if case .transact = pending.request.work { return fail(pending.request.id, error) }
        if let write = pending.write { take(tree.revert(write)) }
        outputs.append(.failed(pending.request.id, error))
    }

    mutating func expire(_ pending: Requests.Pending) {
        let error: HearthError =
            link.isOpen
            ? .timedOut(
                waiting: pending.request.patience.milliseconds ?? 0, at: link.node,
                effect: pending.effect)
            : .unreachable(configuration.nodes, effect: pending.effect)
        fail(pending, error)
    }
}
