import DataTree
import SyncProtocol

// How clients that read slowly receive what they have missed.

extension Sessions {
    /// With more data than about this in a turn, the remaining listens wait for another turn.
    private static let catchUpBytes = 256 << 10

    /// Sends the listens that have missed changes everything that they show now, some in every
    /// turn; then what waited for that.
    mutating func catchUpSlowClients(seeing replica: ReplicationView) {
        for session in slowClients.catchingUp {
            var room = Sessions.catchUpBytes - byteCount(for: session)
            while room > 0, let id = slowClients.takeMissed(of: session) {
                guard let listen = listens.listen(of: .init(session: session, id: id)) else {
                    continue
                }
                let shown = shown(by: listen, in: replica)
                room -= shown.estimatedSize
                let write = Write(path: .root, value: shown)
                send(.change(listen: id, writes: [write]), to: session)
            }
            if !slowClients.hasMissed(session) { finishCatchingUp(session, seeing: replica) }
        }
    }

    /// Answers what waited behind the missed data; the session no longer counts as slow.
    private mutating func finishCatchingUp(
        _ session: SessionID, seeing replica: ReplicationView
    ) {
        for postponed in slowClients.remove(session) {
            switch postponed {
            case .answer(let message): send(message, to: session)
            case .read(let message): _ = serve(message, for: session, seeing: replica)
            }
        }
    }

    private mutating func shown(
        by listen: Listens.Listen, in replica: ReplicationView
    ) -> Value {
        guard listen.query.isFiltered else { return replica.tree[listen.path] }
        let entries = listens.shown(
            by: listen, in: replica.tree, at: replica.now.elapsedMilliseconds)
        return Value(entries)
    }
}
