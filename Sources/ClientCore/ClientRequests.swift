import DataTree
import QueryEngine
import SyncProtocol

// The application's requests, and their outcomes.

extension Client {
    mutating func ask(_ request: Request) {
        if request.work.path.isInformation { return askInformation(request) }
        guard hasRoom(for: request) else {
            return outputs.append(.failed(request.id, .full(requests.count)))
        }
        do throws(DataError) {
            // Checked before a listener here sees a write that no node would accept.
            try request.work.validate()
        } catch {
            let error = HearthError(.invalid, error.problem, fix: error.fix)
            return outputs.append(.failed(request.id, error))
        }
        switch request.work {
        case .get(let path, let query):
            if let value = tree.shownValue(at: path, to: query) {
                return outputs.append(.succeeded(request.id, .value(value)))
            }
            if link.isOffline { return outputs.append(.failed(request.id, .offline(at: path))) }
            requests.append(request, at: now)
        case .put, .merge:
            write(
                request, record: configuration.isPersistent ? persistence.keep(request.work) : nil)
        case .transact(_, let visibility, let scope): begin(request, visibility, scope)
        case .children, .onDisconnectPut, .onDisconnectMerge, .onDisconnectCancel, .awaitStable,
            .status:
            requests.append(request, at: now)
        }
    }

    /// Shows a write to listeners and queues it.
    ///
    /// - Parameter time: The time of its server timestamps under its stamp.
    mutating func write(
        _ request: Request, record: UInt64?, stamp: Stamp? = nil, time: UInt64? = nil
    ) {
        let path = request.work.path
        let (write, told): (WriteID, [SyncOutput])
        switch request.work {
        case .put(_, let value):
            overwriteTransactions(at: [path])
            (write, told) = tree.set(value, at: path, milliseconds: nodeMilliseconds)
        case .merge(_, let writes):
            overwriteTransactions(at: writes.map { path.appending($0.path) })
            (write, told) = tree.update(
                path, with: writes.map { ($0.path, $0.value) }, milliseconds: nodeMilliseconds)
        default: preconditionFailure("\(request.work) is no write")
        }
        requests.append(request, write, record: record, at: now, stamp: stamp, time: time)
        apply(told)
    }

    /// The node's wall clock, as far as it is known.
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
    /// Handles an answer; answers to pings and listens finish no request.
    mutating func finish(_ wireID: UInt64, _ answer: Answer) {
        guard let pending = requests.finish(wireID) else { return }
        if pending.write != nil { showEarlierWrites(than: wireID) }
        finish(pending, .success(answer))
    }

    /// A write is done, and durable on so many nodes.
    mutating func finish(_ wireID: UInt64, _ reached: WriteConcern) {
        guard let pending = requests.finish(wireID) else { return }
        if pending.write != nil { showEarlierWrites(than: wireID) }
        let wanted = pending.request.concern ?? .local
        finish(
            pending, reached >= wanted ? .success(.done) : .failure(.notMet(wanted, but: reached)))
    }

    /// A node answers a write as soon as it is durable on enough nodes, so it may answer a later
    /// one first. The changes of the earlier one have already arrived, and must not hide later
    /// ones.
    private mutating func showEarlierWrites(than wireID: UInt64) {
        for write in requests.takeEffects(before: wireID) { apply(tree.revert(write)) }
    }

    private mutating func finish(
        _ pending: Requests.Pending, _ outcome: Result<Answer, HearthError>
    ) {
        if let write = pending.write {
            // A write with a stamp may be older than the value at its place; then the node reports no change.
            // Changes come before the answer, also for a transaction, which listens at its place.
            apply(pending.stamp == nil ? tree.acknowledge(write) : tree.revert(write))
        }
        forget(pending)
        if case .transact = pending.request.work { return commit(pending.request.id) }
        switch outcome {
        case .success(let answer): outputs.append(.succeeded(pending.request.id, answer))
        case .failure(let error): outputs.append(.failed(pending.request.id, error))
        }
    }

    /// Takes its effect back at listeners before the application gets the error.
    mutating func fail(_ pending: Requests.Pending, _ error: HearthError) {
        if case .transact = pending.request.work { return fail(pending.request.id, error) }
        if let write = pending.write { apply(tree.revert(write)) }
        forget(pending)
        outputs.append(.failed(pending.request.id, error))
    }

    private mutating func forget(_ pending: Requests.Pending) {
        if let record = pending.record { persistence.end(record) }
    }

    /// Takes back all unanswered writes; one that is on its way may still happen.
    mutating func purgeWrites() {
        for pending in requests.takeWrites() {
            fail(pending, .purged(at: pending.request.work.path, effect: pending.effect))
        }
        for transaction in transactions.all {
            fail(transaction.id, .purged(at: transaction.path, effect: .none))
        }
    }

    mutating func expire(_ pending: Requests.Pending) {
        let isUnanswered = link.isOpen && pending.refusal == nil
        fail(
            pending,
            isUnanswered
                ? .timedOut(
                    waiting: pending.request.patience.milliseconds ?? 0, at: link.node,
                    effect: pending.effect)
                : reasonAgainst(pending))
    }
}
