internal import ClusterConfiguration
internal import EventLoop
internal import ReplicaCore
internal import SyncProtocol
internal import ZeroMQ

/// Connects a node with its peers: PUB and SUB for what a node publishes to all, a ROUTER and DEALERs
/// for requests of one node to another.
///
/// Frames may be lost anywhere here, when a queue is full or a peer away: the replicas detect and repair
/// that.
final class PeerPorts {
    /// Frames that may wait for one peer; a peer that falls further behind depends on repair.
    private static let updatesLimit = 1_000
    private static let requestsLimit = 100
    /// Room for a batch, which ends once it has a megabyte, with a client's frame as its largest write.
    private static let maxMessageSize = 2 * NativeProtocol.requestLimit
    /// The largest frame of a subscription; a peer that sends a larger one is disconnected. A request may hold the
    /// value of a transaction.
    private static let maxSubscriptionSize = 1 << 20
    /// How long a connection may take to show its key.
    private static let handshakeInterval = Duration.seconds(5)

    /// Frames that could not be sent, because a queue was full or the peer away.
    private(set) var dropped = 0
    private let publisher: Socket
    private var publications = PublicationQueue()
    /// Runs once frames have waited long enough, if no turn ends by then.
    private var publicationTimer: Watcher?
    private weak var loop: Loop?
    private let subscriber: Channel
    private let router: Channel
    private var dealers: [String: Channel] = [:]
    private let connectionGuard: PeerPortGuard

    /// Binds the node's own endpoints and connects to those of its peers, as they come up.
    init(
        of own: NodeConfiguration.Member, among nodes: [NodeConfiguration.Member],
        in context: Context, security: Security?
    ) throws(ZeroMQError) {
        publisher = try Self.socket(.publisher, limit: Self.updatesLimit, in: context)
        subscriber = Channel(try Self.socket(.subscriber, limit: Self.updatesLimit, in: context))
        router = Channel(try Self.socket(.router, limit: Self.requestsLimit, in: context))
        router.socket.reportUnroutable()
        router.socket.handOverRoutingIDs()
        // Only subscriptions arrive here, which are short, and of which ZeroMQ keeps every byte.
        publisher.maxMessageSize = Self.maxSubscriptionSize
        security?.guardPeers(at: publisher)
        security?.guardPeers(at: router.socket)
        let monitors = [
            try publisher.monitorConnections(as: "updates", in: context),
            try router.socket.monitorConnections(as: "requests", in: context),
        ]
        try publisher.bind(own.updates)
        try router.socket.bind(own.requests)
        let ports = [publisher, router.socket].compactMap(\.boundPort)
        connectionGuard = PeerPortGuard(
            of: monitors, ports: Set(ports), hasKeys: security != nil)
        subscriber.socket.subscribe()
        for peer in nodes where peer.id != own.id {
            let route = peer.route(from: own.id)
            // The trusted key of a socket applies to its next connection.
            security?.trust(peer.id, from: subscriber.socket)
            try subscriber.socket.connect(route.updates)
            let dealer = try Self.socket(.dealer, limit: Self.requestsLimit, in: context)
            dealer.routingID = Array(own.id.utf8)
            // A request does not wait for an absent peer: the replica repeats it, or asks another one.
            dealer.isImmediate = true
            security?.trust(peer.id, from: dealer)
            try dealer.connect(route.requests)
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
        socket.handshakeInterval = handshakeInterval
        socket.keepAlive()
        socket.reconnectInterval = .milliseconds(50)
        socket.maxReconnectInterval = .milliseconds(500)
        // So that nodes find each other soon after a long partition.
        socket.connectTimeout = .seconds(2)
        return socket
    }

    /// Begins to hand over the frames of peers, as inputs.
    func open(on loop: Loop, receive: @escaping (Input) -> Void) throws(EventLoopError) {
        self.loop = loop
        try subscriber.open(on: loop) { message in
            for index in 0..<message.count { receive(.published(Array(message[index]))) }
        }
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

    /// While paused, published frames wait, and are lost once the peers' queues are full.
    var isPaused = false {
        didSet { if isPaused != oldValue { subscriber.isPaused = isPaused } }
    }

    /// Publishes a frame once the clients have their answers, at the end of this turn or of one soon after it: to wake
    /// ZeroMQ's thread costs as much as to answer.
    func publish(_ frame: [UInt8], _ urgency: Urgency) { publications.append(frame, urgency) }

    func ask(_ member: String, _ frame: [UInt8]) {
        guard let dealer = dealers[member] else { return }
        count(dealer.send(frame))
    }

    func answer(_ member: String, _ frame: [UInt8]) {
        count(router.send(frame, to: Array(member.utf8)))
    }

    func endTurn() {
        switch publications.due(atNanoseconds: Loop.monotonicNanoseconds) {
        case .never: break
        case .now: sendPublications()
        case .after(let nanoseconds): sendPublications(after: .nanoseconds(nanoseconds))
        }
        for channel in channels { channel.endTurn() }
    }

    /// Sends the gathered frames as one message.
    private func sendPublications() {
        publicationTimer = nil
        let frames = publications.removeAll(atNanoseconds: Loop.monotonicNanoseconds)
        if !frames.isEmpty { count(publisher.send(frames)) }
    }

    /// Sends the gathered frames at the end of the turn that the timer begins.
    private func sendPublications(after delay: Duration) {
        guard publicationTimer == nil else { return }
        publicationTimer = try? loop?.timer(after: delay) { [unowned self] in
            publicationTimer = nil
        }
        if publicationTimer == nil { sendPublications() }
    }

    /// Discards what subscribers have sent, once a second: heartbeats show better which peers are live. The loop does
    /// not watch the publisher, whose descriptor would have to be asked after each frame.
    func tick() {
        while publisher.drain(limit: Self.requestsLimit, { _ in }) != .emptied {}
    }

    func stopReceiving() {
        for channel in channels { channel.stopReceiving() }
    }

    /// The connections that peers and strangers have made.
    var connections: PeerPortGuard.Counts { connectionGuard.counts }

    /// Closes all sockets, which send queued frames for a moment.
    func close() {
        sendPublications()
        // While the guard still reads: ZeroMQ's thread would wait for a reader.
        publisher.stopMonitoring()
        router.socket.stopMonitoring()
        connectionGuard.close()
        publisher.close()
        for channel in channels { channel.socket.close() }
    }

    private var channels: [Channel] { [subscriber, router] + dealers.values }

    private func count(_ outcome: SendOutcome) {
        if outcome != .sent { dropped += 1 }
    }
}

extension Socket {
    /// The port of the endpoint that was bound last.
    fileprivate var boundPort: UInt16? {
        lastEndpoint.split(separator: ":").last.flatMap { UInt16($0) }
    }

    /// Detects a dead machine within three seconds; at the end, queued frames have half a second.
    func keepAlive() {
        heartbeatInterval = .seconds(1)
        heartbeatTimeout = .seconds(3)
        linger = .milliseconds(500)
    }
}
