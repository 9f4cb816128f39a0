import DataTree
import Marks
import SyncProtocol

// How clients that read slowly receive what they have missed.

extension Sessions {
    /// Whether a client reads slowly, waits to be welcomed, or waits for stability.
    var haveWaitingClients: Bool {
        !slowClients.isEmpty || !clients.waiting.isEmpty || !stabilityWaiters.waiting.isEmpty
    }

    /// Sends the listens that have missed changes what differs now, some in every turn; then what waited for that.
    mutating func catchUpSlowClients(seeing replica: ReplicationView) {
        slowClients.forgetTrees(at: replica.now.elapsedMilliseconds)
        for session in slowClients.catchingUp {
            var room = catchUpBytes - byteCount(for: session)
            while room > 0, let (id, tree) = slowClients.takeMissed(of: session) {
                guard let listen = listens.listen(of: .init(session: session, id: id)) else {
                    continue
                }
                let writes = missed(by: listen, since: tree, in: replica)
                if writes.isEmpty { continue }
                room -= writes.reduce(0) { $0 + $1.path.utf8Count + $1.roomBytes }
                send(.change(listen: id, writes: writes), to: session)
            }
            if slowClients.hasMissed(session) {
                sometimes(.catchingUpTakesAnotherTurn)
            } else {
                finishCatchingUp(session, seeing: replica)
            }
        }
    }

    /// Answers what waited behind the missed data; the session no longer counts as slow.
    private mutating func finishCatchingUp(
        _ session: SessionID, seeing replica: ReplicationView
    ) {
        let (postponed, caughtUp) = slowClients.remove(session)
        for postponed in postponed {
            switch postponed {
            case .answer(let message): send(message, to: session)
            case .read(let message): read(message, for: session, in: replica)
            }
        }
        if postponed.contains(where: \.isAnswer) {
            repeatFiltered(caughtUp, to: session, seeing: replica)
        }
    }

    /// Answers a postponed read.
    private mutating func read(
        _ message: ClientMessage, for session: SessionID, in replica: ReplicationView
    ) {
        if intercept(message, of: session, seeing: replica) { return }
        let isAnswered = read(message.request, message.id, session, in: replica)
        if !isAnswered || missingIndex.take() != nil {
            awaitShare(.request(message, after: nil), of: session)
        }
    }

    /// Sends the content of filtered listens once more, after the answers.
    ///
    /// A client of Firebase hides events of a query below its own unanswered write. After the answer it shows them
    /// only if the query has sent the child again. Here the answer may follow data that is newer than the write.
    private mutating func repeatFiltered(
        _ ids: [UInt64], to session: SessionID, seeing replica: ReplicationView
    ) {
        for id in ids {
            guard let listen = listens.listen(of: .init(session: session, id: id)),
                listen.query.isFiltered, let shown = shown(by: listen, in: replica)
            else { continue }
            let all = Write(path: .root, value: shown)
            send(.change(listen: id, writes: [all]), to: session)
        }
    }

    /// Returns the notices by which a client's listen changes from an older tree to the present one; nothing
    /// without an older tree. A listen without an index receives everything later, once the index is built.
    private mutating func missed(
        by listen: Listens.Listen, since tree: Value?, in replica: ReplicationView
    ) -> [Write] {
        if let tree, !listen.query.isFiltered {
            return replica.tree[listen.path].differences(from: tree[listen.path])
        }
        return shown(by: listen, in: replica).map { [Write(path: .root, value: $0)] } ?? []
    }

    private mutating func shown(
        by listen: Listens.Listen, in replica: ReplicationView
    ) -> Value? {
        guard listen.query.isFiltered else { return replica.tree[listen.path] }
        return listens.shown(
            by: listen, in: replica.tree, at: replica.now.elapsedMilliseconds
        )?.value
    }
}

extension Write {
    /// How much of a turn's share its value takes; the size of a large one is not determined, as that takes long.
    fileprivate var roomBytes: Int { isLarge ? 1 << 20 : value.estimatedSize }
}
