internal import ClusterConfiguration
internal import EventLoop
internal import GatewayCore
internal import ReplicaCore
internal import SyncProtocol
internal import ZeroMQ

/// Serves the clients of a node with a key over ZeroMQ: identifies them by their routing ids, and queues frames for slow ones,
/// within a bound.
///
/// The router detects that a client is gone only when it sends to it, so idle clients are sent a probe
/// now and then.
final class ClientPort: ClientDoor {
    /// The largest frame a client may send; one that sends more is disconnected.
    static let maxMessageSize = NativeProtocol.requestLimit
    private static let requestsLimit = 1_000
    /// Replies in ZeroMQ's own queue for a client, which counts frames; the node's, behind it, counts
    /// bytes.
    private static let repliesLimit = 100
    private static let waitingBytesLimit = 16 << 20
    /// When so much waits for a client, its listens pause until its queue is empty.
    private static let backpressureBytes = 1 << 20

    private static let silentSeconds = 10
    private static let probedAtOnce = 200
    /// An answer to no request, which clients ignore.
    private static let probe = NodeMessage.ok(id: 0).frame

    private(set) var slowClients = 0
    private(set) var droppedReplies = 0
    private let channel: Channel
    private let loop: Loop
    private var table = ClientTable()
    private var slowSessions: [SessionID] = []
    private var turn: UInt64 = 0
    /// The turns at the last probes.
    private var probes: [UInt64] = []
    private var receive: (Input) -> Void = { _ in }

    init(
        in context: Context, on loop: Loop, security: Security? = nil
    ) throws(ZeroMQError) {
        self.loop = loop
        let socket = try Socket(.router, in: context)
        socket.sendHighWaterMark = Self.repliesLimit
        socket.receiveHighWaterMark = Self.requestsLimit
        socket.maxMessageSize = Self.maxMessageSize
        socket.reportUnroutable()
        socket.handOverRoutingIDs()
        socket.keepAlive()
        // The answer to a heartbeat stands behind all that a slow client has yet to read.
        socket.heartbeatTimeout = .seconds(15)
        security?.guardClients(at: socket)
        channel = Channel(socket)
    }

    /// The known clients; one that vanished counts for some ten seconds more.
    var count: Int { table.count }

    var waitingBytes: Int {
        slowSessions.reduce(0) { $0 + (table[$1]?.waitingBytes ?? 0) }
    }

    /// Nothing here tells clients of it: they come once the node serves.
    var availability = Availability.unavailable(reason: "starting")

    func open(at endpoint: String, receive: @escaping (Input) -> Void) throws(NodeError) {
        self.receive = receive
        do throws(EventLoopError) {
            try channel.open(on: loop) { [unowned self] message in
                // A message of this protocol has two frames: a name and a content.
                guard message.count == 2, let session = session(of: message[0]) else { return }
                receive(.requested(Array(message[1]), by: session))
            }
        } catch {
            throw NodeError(error)
        }
    }

    func answer(_ answers: [SessionAnswer], to session: SessionID) {
        preconditionFailure("nobody opened \(session), a session of values")
    }

    func countTurn(nanoseconds: UInt64) {}

    func admit(at endpoint: String) throws(NodeError) {
        do throws(ZeroMQError) {
            try channel.socket.bind(endpoint)
        } catch {
            throw NodeError(error)
        }
    }

    var isPaused = false {
        didSet { if isPaused != oldValue { channel.isPaused = isPaused } }
    }

    func reply(_ frame: [UInt8], to session: SessionID) {
        guard let client = table[session], !client.isEnded else {
            droppedReplies += 1
            return
        }
        guard client.waiting.isEmpty else { return wait(frame, for: session) }
        switch channel.send(frame, to: client.routingID) {
        case .sent: table.update(session) { $0.lastTurn = turn }
        case .wouldBlock: wait(frame, for: session)
        case .unroutable: drop(session)
        }
    }

    func endTurn() {
        turn += 1
        if !slowSessions.isEmpty {
            let slow = slowSessions
            slowSessions = []
            for session in slow { sendWaiting(to: session) }
        }
        channel.endTurn()
    }

    /// Sends a probe to clients that were idle for long, to detect those that are gone.
    func tick() {
        if probes.count == Self.silentSeconds, let since = probes.first {
            for client in table.silent(since: since, limit: Self.probedAtOnce) {
                reply(Self.probe, to: client.session)
            }
            probes.removeFirst()
        }
        probes.append(turn)
    }

    func stopReceiving() { channel.stopReceiving() }

    func close() { channel.socket.close() }
}

extension ClientPort {
    /// The session of the client that sent a frame; nil if it has ended and the client has not noticed yet.
    private func session(of routingID: UnsafeRawBufferPointer) -> SessionID? {
        let name = RoutingID(routingID)
        if let session = table.session(of: name, turn: turn) {
            return table[session]?.isEnded == true ? nil : session
        }
        if table.count >= ClientTable.limit {
            for session in table.idlest() { release(session) }
        }
        return table.add(name, routingID, turn: turn)
    }

    /// Ends the session of an idle client to make room; most likely the client is long gone.
    private func release(_ session: SessionID) {
        guard let client = table[session] else { return }
        let goodbye = Self.goodbye(
            "this node has \(ClientTable.limit) clients, and this one was idle longest")
        _ = channel.send(goodbye, to: client.routingID)
        remove(session)
    }

    /// Keeps a frame until the client's queue has room; ends the session if too much waits.
    private func wait(_ frame: [UInt8], for session: SessionID) {
        guard let client = table[session] else { return }
        if client.waiting.isEmpty { slowSessions.append(session) }
        // One reply may be larger than the limit, but no other may wait behind it.
        guard client.waitingBytes <= Self.waitingBytesLimit else { return end(session) }
        table.update(session) {
            $0.waiting.append(frame)
            $0.waitingBytes += frame.count
        }
        guard client.waitingBytes + frame.count > Self.backpressureBytes, !client.isBackpressured
        else {
            return
        }
        table.update(session) { $0.isBackpressured = true }
        receive(.backpressured(session))
    }

    /// Ends the session of a slow client, which learns of it once it has read all earlier replies.
    private func end(_ session: SessionID) {
        slowClients += 1
        droppedReplies += table[session]?.waiting.count ?? 0
        table.update(session) {
            $0.isEnded = true
            $0.waiting = [Self.goodbye("this client read too slowly")]
            $0.waitingBytes = 0
        }
        receive(.closed(session))
    }

    private func sendWaiting(to session: SessionID) {
        guard let client = table[session] else { return }
        for (index, frame) in client.waiting.enumerated() {
            switch channel.send(frame, to: client.routingID) {
            case .sent:
                table.update(session) {
                    $0.lastTurn = turn
                    $0.waitingBytes -= frame.count
                }
            case .wouldBlock:
                table.update(session) { $0.waiting.removeFirst(index) }
                return slowSessions.append(session)
            case .unroutable: return drop(session)
            }
        }
        table.update(session) { $0.waiting = [] }
        if client.isEnded { return table.remove(session) }
        guard client.isBackpressured else { return }
        table.update(session) { $0.isBackpressured = false }
        receive(.writable(session))
    }

    /// Removes a client that is gone.
    private func drop(_ session: SessionID) {
        droppedReplies += 1
        remove(session)
    }

    private func remove(_ session: SessionID) {
        let wasEnded = table[session]?.isEnded ?? true
        table.remove(session)
        if !wasEnded { receive(.closed(session)) }
    }

    private static func goodbye(_ problem: String) -> [UInt8] {
        let message = NodeMessage.error(
            id: 0, code: .unavailable, problem: problem,
            fix: "connect again, or to another node")
        return message.frame
    }
}
