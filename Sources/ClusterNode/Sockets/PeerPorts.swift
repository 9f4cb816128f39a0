internal import ClusterConfiguration
internal import EventLoop
internal import ReplicaCore
internal import ZeroMQ

/// Connects a node with its peers: one publisher and its subscribers for what all are told, a
/// router and dealers for what one asks of another.
///
/// Frames may be lost anywhere here, when a queue is full or a peer away: the replicas notice and
/// repair it.
final class PeerPorts {
    /// Frames that may wait for one peer; a peer that falls further behind is left to repair.
    private static let updatesLimit = 1_000
    private static let requestsLimit = 100
    /// A batch ends once it has a megabyte, and a client's frame, the largest single write, fits.
    private static let maxMessageSize = 2 * ClientPort.maxMessageSize
    /// The largest frame that subscribes; a peer that sends more is disconnected. What asks may hold the value of a
    /// transaction.
    private static let maxSubscriptionSize = 1 << 20

    /// Frames that could not be sent, because a queue was full or the peer away.
    private(set) var dropped = 0
    private let publisher: Channel
    private let subscriber: Channel
    private let router: Channel
    private var dealers: [String: Channel] = [:]

    /// Binds the node's own endpoints and connects to those of its peers, as they come up.
    init(
        of own: NodeConfiguration.Member, among nodes: [NodeConfiguration.Member],
        in context: Context, security: Security?
    ) throws(ZeroMQError) {
        publisher = Channel(try Self.socket(.publisher, limit: Self.updatesLimit, in: context))
        subscriber = Channel(try Self.socket(.subscriber, limit: Self.updatesLimit, in: context))
        router = Channel(try Self.socket(.router, limit: Self.requestsLimit, in: context))
        router.socket.reportUnroutable()
        router.socket.handOverRoutingIDs()
        // All that comes here is short: subscriptions, of which ZeroMQ keeps every byte.
        publisher.socket.maxMessageSize = Self.maxSubscriptionSize
        security?.guardPeers(at: publisher.socket)
        security?.guardPeers(at: router.socket)
        try publisher.socket.bind(own.updates)
        try router.socket.bind(own.requests)
        subscriber.socket.subscribe()
        for peer in nodes where peer.id != own.id {
            // What a socket trusts holds for what it connects to next.
            security?.trust(peer.id, from: subscriber.socket)
            try subscriber.socket.connect(peer.updates)
            let dealer = try Self.socket(.dealer, limit: Self.requestsLimit, in: context)
            dealer.routingID = Array(own.id.utf8)
            // A question waits for nobody: the replica repeats it, or asks another.
            dealer.isImmediate = true
            security?.trust(peer.id, from: dealer)
            try dealer.connect(peer.requests)
            dealers[peer.id] = Channel(dealer)
        }
    }

    private static func socket(
        _ kind: Socket.Kind, limit: Int, in context: Context
    ) throws(ZeroMQError) -> Socket {
        let socket = try Socket(kind, in: context)
        socket.sendHighWaterMark = limit
        socket.receiveHighWaterMark = limit
        socket.maxMessageSize = maxMessageSize
        socket.keepAlive()
        socket.reconnectInterval = .milliseconds(50)
        socket.maxReconnectInterval = .milliseconds(500)
        return socket
    }

    /// Begins to hand over what peers send, each frame as the input it is.
    func open(on loop: Loop, receive: @escaping (Input) -> Void) throws(EventLoopError) {
        // Subscriptions come and go here; heartbeats tell better who is there.
        try publisher.open(on: loop) { _ in }
        try subscriber.open(on: loop) { message in receive(.published(Array(message[0]))) }
        try router.open(on: loop) { message in
            guard message.count == 2 else { return }
            let member = String(decoding: message[0], as: UTF8.self)
            receive(.asked(Array(message[1]), by: member))
        }
        for (member, dealer) in dealers {
            try dealer.open(on: loop) { message in
                receive(.answered(Array(message[0]), from: member))
            }
        }
    }

    /// While paused, what peers publish waits, and is lost once their queues are full.
    var isPaused = false {
        didSet { if isPaused != oldValue { subscriber.isPaused = isPaused } }
    }

    func publish(_ frame: [UInt8]) {
        count(publisher.send(frame))
    }

    func ask(_ member: String, _ frame: [UInt8]) {
        guard let dealer = dealers[member] else { return }
        count(dealer.send(frame))
    }

    func answer(_ member: String, _ frame: [UInt8]) {
        count(router.send(frame, to: Array(member.utf8)))
    }

    func endTurn() {
        for channel in channels { channel.endTurn() }
    }

    func stopReceiving() {
        for channel in channels { channel.stopReceiving() }
    }

    /// Closes all sockets, which send what they still have for a moment.
    func close() {
        for channel in channels { channel.socket.close() }
    }

    private var channels: [Channel] { [publisher, subscriber, router] + dealers.values }

    private func count(_ outcome: SendOutcome) {
        if outcome != .sent { dropped += 1 }
    }
}

extension Socket {
    /// Notices a machine that is gone within three seconds, and says goodbye in half a second.
    func keepAlive() {
        heartbeatInterval = .seconds(1)
        heartbeatTimeout = .seconds(3)
        linger = .milliseconds(500)
    }
}
