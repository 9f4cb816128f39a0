import DataTree
import SyncProtocol

// How clients that read slowly learn what they have missed.

extension Replica {
    /// Beyond this many bytes, what a client has missed waits for another turn.
    private static let catchUpBytes = 256 << 10

    /// Sends the listens that have missed something all that they show now, a little every turn.
    mutating func catchUpSlowClients() {
        for session in slowClients.catchingUp {
            while outbox.byteCount(for: session) < Replica.catchUpBytes,
                let id = slowClients.takeMissed(of: session)
            {
                guard let listen = listens.listen(of: .init(session: session, id: id)) else {
                    continue
                }
                let write = Write(path: .root, value: shown(by: listen))
                outbox.append(.change(listen: id, writes: [write]), to: session)
            }
        }
    }

    private mutating func shown(by listen: Listens.Listen) -> Value {
        guard listen.query.isFiltered else { return tree.value[listen.path] }
        let entries = listens.shown(
            by: listen, in: tree.value, at: now.elapsedMilliseconds)
        var children = Children()
        for (key, child) in entries { children[key] = child }
        return Value(children)
    }
}
