internal import ClusterConfiguration
internal import EventLoop
internal import GatewayCore
internal import HTTPText
internal import NodeCore
internal import ReplicaCore
internal import Sockets
internal import SyncProtocol

/// Serves programs at a node's HTTP port: listens, moves bytes between connections and the node's core, and bounds what waits
/// for slow clients.
///
/// Answers leave at the end of the turn, those for one connection together. Deliveries to listeners follow (`FlushQueue`).
final class HTTPPort {
    /// The limit of the bytes that a turn reads from all connections, because decoding them takes time.
    private static let bytesPerTurn = 512 << 10
    /// So much is sent to a client before the end of the turn.
    private static let flushBytes = 1 << 20
    private static let closeSeconds: UInt64 = 5
    private static let handshakeSeconds: UInt64 = 10
    private static let refreshSeconds: UInt64 = 5
    private static let warningSeconds: UInt64 = 86_400
    private static let farewell = Duration.milliseconds(500)
    /// About so much of the large answers to all native clients is encoded in a turn, and to one of them at a time.
    private static let partsBytes = 1 << 20
    private static let connectionPartsBytes = 256 << 10

    /// Sessions that ended because their client read too slowly.
    private(set) var slowClients = 0
    /// Replies whose client was gone.
    private(set) var droppedReplies = 0
    private let loop: Loop
    /// The configuration of the gateway behind the port.
    let configuration: GatewayConfiguration
    /// How many connections there may be.
    let connectionLimit: Int
    /// There for a port with TLS.
    private let certificate: ServerCertificate?
    /// There for a port whose clients may show tokens.
    private let tokens: TokenKeys?
    private let readLimit = ReadLimit(bytesPerTurn: HTTPPort.bytesPerTurn)
    private var listener: Listener?
    private var connections = SessionTable<HTTPConnection>()
    var flushQueue = FlushQueue()
    private var sharedMessage = SharedMessage()
    /// Begins a turn of the loop, at whose end further connections are flushed.
    private var nextFlush: Watcher?
    /// The native clients to which the next parts of large answers can be sent, in order, and the timer for that.
    private var dueParts: ArraySlice<HTTPConnection> = []
    private var nextParts: Watcher?
    /// The frames of native clients that are not complete.
    private var shares: MemoryShares
    private var second: UInt64 = 0
    private var isClosing = false
    /// Whether bytes waited for a client when that was reported last.
    private var hasSlowClients = false
    private var receive: (NodeInput) -> Void = { _ in }

    init(
        on loop: Loop, _ configuration: GatewayConfiguration = GatewayConfiguration(),
        certificate: ServerCertificate? = nil, tokens: TokenKeys? = nil
    ) {
        self.certificate = certificate
        self.tokens = tokens
        self.loop = loop
        self.configuration = configuration
        connectionLimit = configuration.connectionLimit
        shares = MemoryShares(limit: configuration.messagesBytes)
    }

    /// The port of a node as its configuration describes it.
    ///
    /// - Throws: what is wrong with its certificate, or with keys of tokens.
    convenience init(
        on loop: Loop, _ description: NodeConfiguration, of member: NodeConfiguration.Member,
        console: Console? = nil, log: NodeLog
    ) throws(NodeError) {
        var configuration = GatewayConfiguration(description, of: member)
        configuration.console = console
        let (files, peers) = (OpenFiles(), description.nodes.count - 1)
        let limit = configuration.connectionLimit
        if let shortage = files.shortage(forClients: limit, peers: peers) {
            log.write(shortage)
        }
        configuration.connectionLimit = min(limit, files.clientLimit(forPeers: peers))
        var tokens: TokenKeys?
        if !description.tokens.isEmpty {
            tokens = try TokenKeys(description.tokens) { log.write($0, .warning) }
        }
        configuration.tokens = tokens?.trust
        guard let files = description.http.files, let address = HTTPAddress(member.client) else {
            self.init(on: loop, configuration, tokens: tokens)
            return
        }
        let certificate = try ServerCertificate(
            files, at: address, publicName: member.publicName
        ) { log.write($0, .warning) }
        certificate.logWarnings(atSecond: HTTPPort.wallClockSecond)
        self.init(on: loop, configuration, certificate: certificate, tokens: tokens)
    }

    /// The address of a client; nil if it is gone.
    func host(of session: SessionID) -> String? { connections[session]?.host }

    /// The clients that are connected.
    var count: Int { connections.count }

    /// The bytes that wait for slow clients.
    var waitingBytes: Int { connections.all.reduce(0) { $0 + $1.waitingBytes } }

    /// Reports again how much waits for each slow client; some twenty times a second, as it visits all connections.
    func reportSlowClients() {
        guard hasSlowClients else { return }
        hasSlowClients = false
        for connection in connections.all where connection.unsentBytes > 0 { report(connection) }
    }

    /// While paused, frames of clients wait at their side.
    var isPaused: Bool {
        get { readLimit.isPaused }
        set { if newValue != readLimit.isPaused { readLimit.isPaused = newValue } }
    }

    /// Reads nothing more from a client until its end, if it has a connection of its own.
    func pauseReading(from session: SessionID) { connections[session]?.stream.isHeld = true }

    /// Reads from a client again.
    func resumeReading(from session: SessionID) { connections[session]?.stream.isHeld = false }

    /// Begins to listen, and to pass bytes and frames of clients, and changes of their state, to the node's core.
    ///
    /// - Throws: when another process has the endpoint.
    func open(
        at endpoint: String, receive: @escaping (NodeInput) -> Void
    ) throws(NodeError) {
        self.receive = receive
        guard let address = HTTPAddress(endpoint) else {
            preconditionFailure("\(endpoint) was not checked")
        }
        do throws(SocketError) {
            listener = try Listener(at: address, on: loop) { [unowned self] in accept($0) }
        } catch {
            throw NodeError(problem: error.problem, fix: error.fix)
        }
    }

    /// Sends a frame to a client, at the end of the turn at the latest.
    func reply(_ frame: [UInt8], to session: SessionID) {
        guard let connection = connections[session], connection.state == .native else {
            droppedReplies += 1
            return
        }
        send(to: connection) { connection.append(frame, sharedBy: &sharedMessage) }
    }

    /// Sends a frame with large values to a client, part by part as it reads.
    func reply(_ frame: LargeFrame, to session: SessionID) {
        guard let connection = connections[session], connection.state == .native else {
            droppedReplies += 1
            return
        }
        send(to: connection) { connection.outgoing.append(frame) }
        scheduleParts(to: connection)
    }

    /// Reads what clients have sent, before the end of a turn.
    ///
    /// - Parameter permits: Whether the turn has time for another read of a client that has just sent something, or of one that
    ///   has sent more than it may have read at once.
    func read(while permits: (ReadLimit.Arrival) -> Bool = { _ in true }) {
        readLimit.readQueued(while: permits)
    }

    /// Sends answers, and deliveries whose time has come.
    func endTurn() {
        readLimit.endTurn()
        let now = Loop.monotonicNanoseconds
        for connection in flushQueue.removeDue(at: now) {
            connection.stream.flush()
            report(connection)
        }
        guard nextFlush == nil, let delay = flushQueue.delay(at: now) else { return }
        nextFlush = try? loop.timer(after: .nanoseconds(Int64(delay))) { [unowned self] in
            nextFlush = nil
        }
    }

    /// Does the work of each second: closes connections that take too long, and accepts new ones again after a shortage of
    /// files. From time to time, it looks for a new certificate and for other keys of tokens.
    func tick() {
        second += 1
        if second.isMultiple(of: Self.refreshSeconds) {
            refreshCertificate()
            refreshTokens()
        }
        for connection in connections.all where connection.isOverdue(at: second) { end(connection) }
        listener?.resume()
    }

    /// Loads changed files. Warnings about the certificate are logged again once a day.
    private func refreshCertificate() {
        guard let certificate else { return }
        if certificate.refresh() || second.isMultiple(of: Self.warningSeconds) {
            certificate.logWarnings(atSecond: HTTPPort.wallClockSecond)
        }
    }

    private static var wallClockSecond: Int { Int(Loop.wallClockMilliseconds / 1_000) }

    private func refreshTokens() {
        if let tokens, tokens.refresh() { receive(.gateway(.trusts(tokens.trust))) }
    }

    /// Receives nothing more; replies still leave.
    func stopReceiving() {
        listener?.close()
        readLimit.isPaused = true
    }

    /// Sends what waits, for a moment, and closes all connections. The loop must do nothing else afterwards.
    func close() {
        isClosing = true
        receive = { _ in }
        nextParts?.cancel()
        nextFlush?.cancel()
        readLimit.isPaused = false
        for connection in connections.all { finish(connection, .goingAway) }
        loop.atEndOfTurn = { [readLimit] in
            readLimit.readQueued()
            readLimit.endTurn()
        }
        let end = try? loop.timer(after: Self.farewell) { [loop] in loop.stop() }
        if connections.count > 0, end != nil { loop.run() }
        for connection in connections.all { connection.stream.close() }
    }
}

// MARK: - Connections

extension HTTPPort {
    private func accept(_ stream: Stream) {
        guard count < connectionLimit + OpenFiles.refusedClients, let peer = stream.peer else {
            return stream.close()
        }
        stream.readLimit = readLimit
        let session = connections.add { HTTPConnection($0, on: stream, from: peer.host) }
        guard let connection = connections[session] else { return }
        if certificate != nil {
            connection.state = .handshaking(deadlineSecond: second + Self.handshakeSeconds)
        }
        stream.open { [unowned self, unowned connection] event in
            switch event {
            case .received(let bytes):
                connection.askedSecond = second
                handle(bytes, from: connection)
            case .drained: continueSending(to: connection)
            case .ended: remove(connection)
            }
        }
        let address = RemoteAddress(host: peer.host, isLoopback: peer.isLoopback)
        receive(.gateway(.opened(session, from: address)))
    }

    /// Ends a connection at once.
    private func end(_ connection: HTTPConnection) {
        connection.stream.close()
        remove(connection)
    }

    private func remove(_ connection: HTTPConnection) {
        guard connections.remove(connection.session) != nil else { return }
        count(0, of: connection)
        let wasNative = connection.state == .native
        connection.state = .closing(deadlineSecond: 0)
        connection.outgoing.removeAll()
        listener?.resume()
        receive(.gateway(.closed(connection.session)))
        if wasNative { receive(.replica(.closed(connection.session))) }
        if isClosing, connections.count == 0 { loop.stop() }
    }

    /// Performs an effect of the gateway at a connection, unless that is gone.
    func execute(_ output: GatewayOutput) {
        switch output {
        case .send(let session, let bytes):
            // Who has no keys yet cannot be told anything.
            guard let connection = connections[session], !connection.isHandshaking else { return }
            send(to: connection) {
                if connection.outgoing.isEmpty {
                    connection.stream.append(bytes)
                } else {
                    connection.outgoing.append(bytes: bytes)
                }
            }
        case .reportWritable(let session):
            guard let connection = connections[session] else { return }
            connection.isReportDue = true
            flush(connection, with: 0)
        case .close(let session):
            guard let connection = connections[session] else { return }
            if connection.isHandshaking {
                end(connection)
            } else {
                finish(connection, WebSocketCloseCode(rawValue: 1_008))
            }
        case .native(let session, let rest):
            guard let connection = connections[session] else { return }
            connection.state = .native
            rest.withUnsafeBytes { handleFrames(in: $0, from: connection) }
        case .enter, .remove, .reportUses, .reportPeers, .backUp, .continueBackup, .endBackup,
            .open, .identify,
            .ask, .backpressured, .writable, .end, .wake, .log, .refused:
            preconditionFailure("\(output) is no effect at a connection")
        }
    }
}

// MARK: - Slow clients

extension HTTPPort {
    /// Ends the connection of a client that reads too slowly.
    func cut(_ session: SessionID) {
        if let connection = connections[session] { cut(connection) }
    }

    private func cut(_ connection: HTTPConnection) {
        slowClients += 1
        end(connection)
    }

    /// Sends what `body` appends, at the end of a turn or, if it is much, at once.
    private func send(to connection: HTTPConnection, _ body: () -> Void) {
        guard !connection.outgoing.isFull else { return cut(connection) }
        let before = connection.waitingBytes
        body()
        flush(connection, with: connection.waitingBytes - before)
        guard connection.waitingBytes > Self.flushBytes else { return }
        connection.stream.flush()
        report(connection)
    }

    /// Reports how much waits for a client, unless the connection has just ended.
    private func report(_ connection: HTTPConnection) {
        guard connections[connection.session] != nil else { return }
        let byteCount = connection.unsentBytes
        guard byteCount > 0 || connection.isReportDue else { return }
        connection.isReportDue = byteCount > 0
        if byteCount > 0 { hasSlowClients = true }
        receive(.unsent(connection.session, bytes: byteCount))
    }

    /// Has a connection be flushed: with the answers if its client has sent something within the last second or two, and
    /// otherwise in a round of deliveries.
    private func flush(_ connection: HTTPConnection, with bytes: Int) {
        let isAnswer = second <= connection.askedSecond + 1
        flushQueue.add(bytes, to: connection, isAnswer: isAnswer)
    }

    /// Continues with the rest of a large answer, if there is one, once all else has been sent.
    private func continueSending(to connection: HTTPConnection) {
        if connection.outgoing.isEmpty { report(connection) } else { scheduleParts(to: connection) }
    }
}

// MARK: - Large answers

extension HTTPPort {
    /// Has the next parts of a large answer sent as soon as other connections have been served.
    private func scheduleParts(to connection: HTTPConnection) {
        guard !connection.arePartsDue else { return }
        connection.arePartsDue = true
        dueParts.append(connection)
        scheduleParts()
    }

    private func scheduleParts() {
        guard nextParts == nil, !isClosing else { return }
        nextParts = try? loop.timer(after: .zero) { [unowned self] in sendParts() }
    }

    /// Sends parts to one client after the other, up to a turn's share.
    private func sendParts() {
        nextParts = nil
        var rest = Self.partsBytes
        for _ in 0..<dueParts.count where rest > 0 {
            let connection = dueParts.removeFirst()
            connection.arePartsDue = false
            rest -= sendParts(to: connection)
        }
        if !dueParts.isEmpty { scheduleParts() }
    }

    /// Sends the next parts to a client that has been sent all earlier ones; returns their size.
    private func sendParts(to connection: HTTPConnection) -> Int {
        connection.stream.flush()
        // Otherwise the stream reports when it is empty.
        guard connection.state == .native, connection.stream.waitingBytes == 0 else { return 0 }
        var byteCount = 0
        while byteCount < Self.connectionPartsBytes, !connection.outgoing.isEmpty {
            let bytes = connection.outgoing.removeNext()
            byteCount += bytes.count
            connection.stream.append(bytes)
        }
        connection.stream.flush()
        if connection.state == .native, connection.stream.waitingBytes == 0 {
            continueSending(to: connection)
        }
        return byteCount
    }
}

// MARK: - What clients send

extension HTTPPort {
    private func handle(_ bytes: UnsafeRawBufferPointer, from connection: HTTPConnection) {
        switch connection.state {
        case .native: handleFrames(in: bytes, from: connection)
        case .requesting: receive(.gateway(.received(connection.session, Array(bytes))))
        case .handshaking: handleFirst(bytes, from: connection)
        // It may not know yet that nobody reads this.
        case .closing: break
        }
    }

    /// The first bytes show whether the client speaks TLS; the next that come here are decrypted.
    private func handleFirst(_ bytes: UnsafeRawBufferPointer, from connection: HTTPConnection) {
        if connection.stream.isEncrypted {
            connection.state = .requesting
            return receive(.gateway(.received(connection.session, Array(bytes))))
        }
        guard let certificate, ServerCertificate.isHandshake(bytes) else {
            let now = HTTPDate(unixSeconds: Int64(Loop.wallClockMilliseconds / 1000))
            connection.stream.append(ServerCertificate.refusalOfPlainText(at: now))
            return finish(connection)
        }
        connection.stream.encrypt(by: certificate.filter(), from: bytes)
    }

    private func handleFrames(
        in bytes: UnsafeRawBufferPointer, from connection: HTTPConnection
    ) {
        var rest = bytes
        while connection.state == .native, let event = connection.frames.next(in: &rest) {
            switch event {
            case .binary(let frame): receive(.replica(.requested(frame, by: connection.session)))
            case .ping(let payload):
                connection.append(.pong, payload)
                flush(connection, with: payload.count)
            case .pong: break
            case .text(let text): receive(.gateway(.credential(connection.session, text)))
            case .longText: break  // Only of readers that skip them.
            case .closed(let code): finish(connection, code ?? .normal)
            case .failed(let failure): finish(connection, failure.code)
            }
        }
        if connection.state == .native { count(connection.frames.waitingBytes, of: connection) }
    }

    /// Counts the bytes of a frame that is not complete; if those of all clients are too many, the largest is given up.
    private func count(_ bytes: Int, of connection: HTTPConnection) {
        guard bytes != connection.countedBytes else { return }
        connection.countedBytes = bytes
        guard let largest = shares.set(bytes, of: connection.session).flatMap({ connections[$0] })
        else { return }
        finish(largest, .tryAgainLater)
    }

    /// Ends a connection; a native client's session ends with it, and is told why.
    private func finish(_ connection: HTTPConnection, _ code: WebSocketCloseCode) {
        let wasNative = connection.state == .native
        if wasNative { connection.append(.close, code.payload()) }
        finish(connection)
        if wasNative { receive(.replica(.closed(connection.session))) }
    }

    /// Sends what waits, and gives the client a moment to close its end.
    private func finish(_ connection: HTTPConnection) {
        connection.state = .closing(deadlineSecond: second + Self.closeSeconds)
        connection.outgoing.removeAll()
        connection.frames = HTTPConnection.makeReader()
        count(0, of: connection)
        connection.stream.finish()
    }
}
