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
    private let router: Channel
    /// For the frames that each peer publishes. A subscriber has one connection to an address, whichever peers have it while they
    /// exchange addresses, so each peer has a socket of its own.
    private var subscribers: [String: Channel] = [:]
    private var dealers: [String: Channel] = [:]
    /// The endpoint to which each dealer connects, and the watch over its answers.
    private var requestEndpoints: [String: String] = [:]
    private var answerWatches: [String: AnswerWatch] = [:]
    private let own: NodeConfiguration.Member
    private let peers: [NodeConfiguration.Member]
    private let security: Security?
    /// Those to peers whose hosts are names.
    private(set) var namedConnections: [(peer: String, connection: PeerConnection)] = []
    private let connectionGuard: PeerPortGuard
    private var log: NodeLog?
    /// Peers that refuse the key of this node, as the log says.
    private var refusingPeers: Set<String> = []

    /// Binds the node's own endpoints and connects to those of its peers, as they come up.
    init(
        of own: NodeConfiguration.Member, among nodes: [NodeConfiguration.Member],
        in context: Context, security: Security?
    ) throws(ZeroMQError) {
        (self.own, self.security) = (own, security)
        peers = nodes.filter { $0.id != own.id }
        publisher = try Self.socket(.publisher, limit: Self.updatesLimit, in: context)
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
        try publisher.bind(own.updates, of: own)
        try router.socket.bind(own.requests, of: own)
        let ports = [publisher, router.socket].compactMap(\.boundPort)
        connectionGuard = PeerPortGuard(
            of: monitors, ports: Set(ports), hasKeys: security != nil)
        for peer in peers {
            let subscriber = try Self.socket(.subscriber, limit: Self.updatesLimit, in: context)
            subscriber.subscribe()
            subscribers[peer.id] = Channel(subscriber)
            let dealer = try Self.socket(.dealer, limit: Self.requestsLimit, in: context)
            dealer.routingID = Array(own.id.utf8)
            // A request does not wait for an absent peer: the replica repeats it, or asks another one.
            dealer.isImmediate = true
            dealers[peer.id] = Channel(dealer)
            answerWatches[peer.id] = try AnswerWatch(of: dealer, to: peer.id, in: context)
            for (socket, endpoint) in endpoints(of: peer) where endpoint.isNumeric {
                try connect(socket, to: endpoint.text(at: endpoint.host), of: peer.id)
            }
        }
    }

    /// The sockets that connect to a peer, and the endpoints there.
    private func endpoints(of peer: NodeConfiguration.Member) -> [(Socket, NodeEndpoint)] {
        let route = peer.route(from: own.id)
        let channels = [(subscribers, route.updates), (dealers, route.requests)]
        return channels.compactMap { sockets, endpoint in
            sockets[peer.id].map { ($0.socket, NodeEndpoint(endpoint)) }
        }
    }

    private func connect(
        _ socket: Socket, to endpoint: String, of peer: String
    ) throws(ZeroMQError) {
        // The trusted key of a socket applies to its next connection, like its other options.
        security?.trust(peer, from: socket)
        socket.hasIPv6 = endpoint.contains("[")
        try socket.connect(endpoint)
        if socket.kind == .dealer { requestEndpoints[peer] = endpoint }
    }

    /// Makes the connection for requests again: the peer gives the routing ID to the newest one.
    private func reconnect(to peer: String) {
        guard let socket = dealers[peer]?.socket,
            let endpoint = requestEndpoints.removeValue(forKey: peer)
        else { return }
        socket.disconnect(from: endpoint)
        // The endpoint was connected before, so this succeeds.
        try? connect(socket, to: endpoint, of: peer)
    }

    /// Begins to look up the names of peers. Both endpoints mostly have the same host, whose connections then move together.
    private func followNames(on loop: Loop, _ log: @escaping (String) -> Void) {
        for peer in peers {
            var byHost: [(host: String, sockets: [(Socket, NodeEndpoint)])] = []
            for (socket, endpoint) in endpoints(of: peer) where !endpoint.isNumeric {
                if let index = byHost.firstIndex(where: { $0.host == endpoint.host }) {
                    byHost[index].sockets.append((socket, endpoint))
                } else {
                    byHost.append((endpoint.host, [(socket, endpoint)]))
                }
            }
            for (host, sockets) in byHost {
                let connection = connection(to: host, of: peer.id, sockets, log)
                namedConnections.append((peer.id, connection))
                connection.lookUp(on: loop)
            }
        }
    }

    private func connection(
        to host: String, of peer: String, _ sockets: [(Socket, NodeEndpoint)],
        _ log: @escaping (String) -> Void
    ) -> PeerConnection {
        PeerConnection(
            to: host, of: peer,
            connect: { [unowned self] address in
                do throws(ZeroMQError) {
                    for (socket, endpoint) in sockets {
                        try connect(socket, to: endpoint.text(at: address), of: peer)
                    }
                } catch {
                    log("\(error.problem); \(error.fix)")
                }
            },
            disconnect: { address in
                for (socket, endpoint) in sockets {
                    socket.disconnect(from: endpoint.text(at: address))
                }
            },
            log: log)
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
    func open(
        on loop: Loop, log: NodeLog? = nil, receive: @escaping (Input) -> Void
    ) throws(EventLoopError) {
        (self.loop, self.log) = (loop, log)
        followNames(on: loop) { log?.write($0) }
        for subscriber in subscribers.values {
            try subscriber.open(on: loop) { message in
                for index in 0..<message.count { receive(.published(Array(message[index]))) }
            }
        }
        try router.open(on: loop) { message in
            guard message.count == 2 else { return }
            let member = String(decoding: message[0], as: UTF8.self)
            receive(.asked(Array(message[1]), by: member))
        }
        for (member, dealer) in dealers {
            let watch = answerWatches[member]
            try dealer.open(on: loop) { message in
                watch?.recordAnswer()
                receive(.answered(Array(message[0]), from: member))
            }
        }
    }

    /// While paused, published frames wait, and are lost once the peers' queues are full.
    var isPaused = false {
        didSet {
            guard isPaused != oldValue else { return }
            for subscriber in subscribers.values { subscriber.isPaused = isPaused }
        }
    }

    /// Publishes a frame once the clients have their answers, at the end of this turn or of one soon after it. To wake
    /// ZeroMQ's thread costs as much as to answer.
    func publish(_ frame: [UInt8], _ urgency: Urgency) { publications.append(frame, urgency) }

    func ask(_ member: String, _ frame: [UInt8]) {
        guard let dealer = dealers[member] else { return }
        let outcome = dealer.send(frame)
        if outcome == .sent { answerWatches[member]?.recordRequest() }
        count(outcome)
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
    func sendPublications() {
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

    /// Once a second: looks up the names of peers, renews connections without answers, logs refusals, and discards what
    /// subscribers have sent, because heartbeats show better which peers are live. The loop does not watch the publisher, whose descriptor
    /// would have to be asked after each frame.
    func tick() {
        if let loop {
            for (peer, connection) in namedConnections {
                connection.tick(on: loop, isConnected: isConnected(to: peer))
            }
        }
        for (peer, watch) in answerWatches where watch.tick() { reconnect(to: peer) }
        reportRefusals()
        while publisher.drain(limit: Self.requestsLimit, { _ in }) != .emptied {}
    }

    /// Logs once that a peer refuses the key of this node.
    private func reportRefusals() {
        let refusing = Set(answerWatches.filter { $1.refusesKey }.keys)
        for peer in refusing.subtracting(refusingPeers).sorted() {
            log?.write(
                "\(peer) refuses the key of \(own.id), which no node in its configuration has; list \(own.id) with its "
                    + "\"publicKey\" in the configuration of all nodes, and start them again",
                .warning)
        }
        refusingPeers = refusing
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
        for dealer in dealers.values { dealer.socket.stopMonitoring() }
        connectionGuard.close()
        publisher.close()
        for channel in channels { channel.socket.close() }
    }

    /// Whether a request can be sent to a peer: a dealer queues requests for connected peers alone.
    private func isConnected(to peer: String) -> Bool {
        dealers[peer]?.isWritable ?? false
    }

    private var channels: [Channel] { [router] + subscribers.values + dealers.values }

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
        silenceTimeout = .seconds(3)
        linger = .milliseconds(500)
    }
}
