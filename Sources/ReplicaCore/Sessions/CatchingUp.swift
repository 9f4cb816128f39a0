import DataTree
import SyncProtocol

// How clients that read slowly receive what they have missed.

extension Sessions {
    /// With more bytes than this in a turn, the remaining listens wait for another turn.
    private static let catchUpBytes = 256 << 10

    /// Sends the listens that have missed changes everything that they show now, some in every
    /// turn.
    mutating func catchUpSlowClients(seeing replica: ReplicationView) {
        for session in slowClients.catchingUp {
            while byteCount(for: session) < Sessions.catchUpBytes,
                let id = slowClients.takeMissed(of: session)
            {
                guard let listen = listens.listen(of: .init(session: session, id: id)) else {
                    continue
                }
                let write = Write(path: .root, value: shown(by: listen, in: replica))
                send(.change(listen: id, writes: [write]), to: session)
            }
        }
    }

    private mutating func shown(
        by listen: Listens.Listen, in replica: ReplicationView
    ) -> Value {
        guard listen.query.isFiltered else { return replica.tree[listen.path] }
        let entries = listens.shown(
            by: listen, in: replica.tree, at: replica.now.elapsedMilliseconds)
        var children = Children()
        for (key, child) in entries { children[key] = child }
        return Value(children)
    }
}
