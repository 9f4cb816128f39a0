internal import ClusterConfiguration
internal import EventLoop
internal import ZeroMQ

/// Encrypts a node's connections, and admits only processes whose keys the configuration lists.
final class Security {
    private static let clients = "clients"
    private static let peers = "peers"

    private let own: KeyPair
    private let peerKeys: [String: PublicKey]
    private let zapHandler: ZAPHandler
    private let channel: Channel

    /// The number of refused connections.
    var refusals: Int { zapHandler.refusals }

    /// Installs the context's ZAP handler; must precede the first bound socket.
    init(
        as own: KeyPair, of configuration: NodeConfiguration, in context: Context
    ) throws(ZeroMQError) {
        self.own = own
        var peerKeys: [String: PublicKey] = [:]
        for node in configuration.nodes { peerKeys[node.id] = node.publicKey }
        self.peerKeys = peerKeys
        let nodes = Set(peerKeys.values)
        zapHandler = try ZAPHandler(
            admitting: [
                // A process that has a node's secret key may be a client too.
                Security.clients: nodes.union(configuration.clientKeys), Security.peers: nodes,
            ], in: context)
        channel = Channel(zapHandler.socket)
    }

    /// Begins to admit peers and clients.
    func open(on loop: Loop) throws(EventLoopError) {
        try channel.open(on: loop) { [zapHandler] message in zapHandler.answer(message.copied()) }
    }

    func close() { channel.stopReceiving() }

    func guardClients(at socket: Socket) {
        socket.admit(to: Security.clients, by: zapHandler, as: own)
    }

    func guardPeers(at socket: Socket) {
        socket.admit(to: Security.peers, by: zapHandler, as: own)
    }

    /// Restricts a socket's next connection to one peer.
    func trust(_ peer: String, from socket: Socket) {
        if let key = peerKeys[peer] { socket.trust(key, as: own) }
    }
}
