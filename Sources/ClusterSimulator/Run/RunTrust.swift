import GatewayCore
import ReplicaCore
import SyncProtocol

// Keys of issuers that come and go while clients have tokens of them.

extension SimulatedRun {
    /// How many steps of clients with identities there are on average from one change to the next.
    private static let keyInterval = 25

    /// Changes the keys in the files of a node, now and then.
    /// Returns the node.
    mutating func changeKeys() -> Int? {
        guard access != nil, draws.keys.index(below: SimulatedRun.keyInterval) == 0 else {
            return nil
        }
        let node = draws.keys.index(below: nodes.count)
        let kinds = KeyFiles.Missing.allCases
        let isBack = nodes[node].keys.missing != .none && draws.keys.index(below: 3) > 0
        let missing = isBack ? .none : kinds[draws.keys.index(below: kinds.count)]
        nodes[node].keys.change(to: missing, at: now)
        if nodes[node].receive(.gateway(.trusts(nodes[node].keys.trust))) { scheduleTurn(node) }
        for client in clients.indices { withClient(client) { $0.noteKeys(of: node, in: &$1) } }
        return node
    }

    /// Once a node has processed that keys are missing, it ends streams with tokens of these keys.
    mutating func judgeKeys(of node: Int) {
        guard access != nil, nodes[node].keys.missing != .none, nodes[node].state == .running
        else { return }
        for user in clients(of: UserClient.self)
        where user.node == node && user.door == .stream && user.open == nil {
            guard let connection = user.connection, nodes[node].keys.lack(user.credential),
                user.listens > 0, connections[connection].incarnation == nodes[node].incarnation,
                let port = connections[connection].port, port.isOpen, !port.isClosing,
                !port.isClosed
            else { continue }
            access?.watches[node].report(
                .readsAreAllowed, SimulatedRun.session(of: connection),
                "its stream goes on, whose token is of a key that the node does not trust any more")
        }
    }
}
