internal import ClusterConfiguration
internal import EventLoop
internal import ZeroMQ

/// Encrypts a node's connections with its peers, and admits only keys that its configuration lists.
final class Security {
    private static let peers = "peers"

    private let own: KeyPair
    private let peerKeys: [String: PublicKey]
    private let zapHandler: ZAPHandler
    private let channel: Channel
    /// The keys that were refused.
    private(set) var refusedKeys = RefusedKeys()

    /// Connections that were refused.
    var refusals: Int { zapHandler.refusals }

    /// Becomes the context's ZAP handler; before any socket is bound there.
    init(
        as own: KeyPair, of configuration: NodeConfiguration, in context: Context
    ) throws(ZeroMQError) {
        self.own = own
        var peerKeys: [String: PublicKey] = [:]
        for node in configuration.nodes { peerKeys[node.id] = node.publicKey }
        self.peerKeys = peerKeys
        zapHandler = try ZAPHandler(
            admitting: [Security.peers: Set(peerKeys.values)], in: context)
        channel = Channel(zapHandler.socket)
    }

    /// Begins to admit peers.
    func open(on loop: Loop, log: NodeLog) throws(EventLoopError) {
        try channel.open(on: loop) { [unowned self] message in
            guard let refusal = zapHandler.answer(message.copied()),
                let line = refusedKeys.record(refusal, at: Loop.monotonicNanoseconds)
            else { return }
            log.write(line, .warning)
        }
    }

    func close() { channel.stopReceiving() }

    func guardPeers(at socket: Socket) {
        socket.admit(to: Security.peers, by: zapHandler, as: own)
    }

    /// Makes a socket connect to one peer's key only.
    func trust(_ peer: String, from socket: Socket) {
        if let key = peerKeys[peer] { socket.trust(key, as: own) }
    }
}
