internal import ClusterConfiguration
internal import EventLoop
internal import HTTPText
internal import ReplicaCore
internal import Sockets
internal import SyncProtocol

/// Serves programs at a node's HTTP port: listens, moves bytes, and bounds what waits for slow ones.
///
/// Replies leave at the end of the turn, all those of one connection together.
final class HTTPPort: ClientDoor {
    /// How many connections there may be; another one is answered by 503.
    static let limit = 10_000
    /// How many more may be told so at the same time.
    private static let refusedAtOnce = 100
    private static let bytesPerTurn = 4 << 20
    /// When so much waits for a client, its listens pause until all of it is sent.
    private static let backpressureBytes = 1 << 20
    private static let waitingBytesLimit = 16 << 20
    private static let requestSeconds: UInt64 = 10
    private static let closeSeconds: UInt64 = 5
    private static let farewell = Duration.milliseconds(500)

    private(set) var slowClients = 0
    private(set) var droppedReplies = 0
    private let loop: Loop
    private let upgrade = NativeUpgrade()
    private let readLimit = ReadLimit(bytesPerTurn: HTTPPort.bytesPerTurn)
    private var listener: Listener?
    private var connections = SessionTable<HTTPConnection>()
    private var unsent: [HTTPConnection] = []
    private var second: UInt64 = 0
    private var isClosing = false
    private var receive: (Input) -> Void = { _ in }

    init(on loop: Loop) { self.loop = loop }

    var count: Int { connections.count }

    var waitingBytes: Int { connections.all.reduce(0) { $0 + $1.stream.waitingBytes } }

    var isPaused: Bool {
        get { readLimit.isPaused }
        set { if newValue != readLimit.isPaused { readLimit.isPaused = newValue } }
    }

    func open(receive: @escaping (Input) -> Void) { self.receive = receive }

    func bind(_ endpoint: String) throws(NodeError) {
        guard let address = HTTPAddress(endpoint) else {
            preconditionFailure("\(endpoint) was not checked")
        }
        do throws(SocketError) {
            listener = try Listener(at: address, on: loop) { [unowned self] in accept($0) }
        } catch {
            throw NodeError(problem: error.problem, fix: error.fix)
        }
    }

    func reply(_ frame: [UInt8], to session: SessionID) {
        guard let connection = connections[session], connection.state == .native else {
            droppedReplies += 1
            return
        }
        // One reply may be larger than the limit, but no other may wait behind it.
        guard connection.stream.waitingBytes <= Self.waitingBytesLimit else {
            slowClients += 1
            return end(connection)
        }
        connection.append(frame)
        markUnsent(connection)
        if connection.stream.waitingBytes > Self.backpressureBytes { relieve(connection) }
    }

    func endTurn() {
        readLimit.endTurn()
        let connections = unsent
        unsent = []
        for connection in connections {
            connection.hasUnsentBytes = false
            connection.stream.flush()
        }
    }

    /// Once a second: closes connections that take too long, and takes new ones if files were short.
    func tick() {
        second += 1
        for connection in connections.all where connection.isOverdue(at: second) { end(connection) }
        listener?.resume()
    }

    func stopReceiving() {
        listener?.close()
        readLimit.isPaused = true
    }

    /// Sends what waits, for a moment, and closes all connections. The loop must do nothing else any more.
    func close() {
        isClosing = true
        receive = { _ in }
        readLimit.isPaused = false
        for connection in connections.all { finish(connection, .goingAway) }
        let end = try? loop.timer(after: Self.farewell) { [loop] in loop.stop() }
        if connections.count > 0, end != nil { loop.run() }
        for connection in connections.all { connection.stream.close() }
    }
}

// MARK: - Connections

extension HTTPPort {
    private func accept(_ stream: Stream) {
        guard count < Self.limit + Self.refusedAtOnce else { return stream.close() }
        stream.readLimit = readLimit
        let isRefused = count >= Self.limit
        let session = connections.add {
            HTTPConnection($0, on: stream, deadlineSecond: second + Self.requestSeconds)
        }
        guard let connection = connections[session] else { return }
        stream.open { [unowned self, unowned connection] event in
            switch event {
            case .received(let bytes): handle(bytes, from: connection)
            case .drained: relieved(connection)
            case .ended: remove(connection)
            }
        }
        if isRefused {
            refuse(connection, 503, "This node has \(Self.limit) connections; try another one.")
        }
    }

    /// Ends a connection at once.
    private func end(_ connection: HTTPConnection) {
        connection.stream.close()
        remove(connection)
    }

    private func remove(_ connection: HTTPConnection) {
        guard connections.remove(connection.session) != nil else { return }
        let wasNative = connection.state == .native
        connection.state = .closing(deadlineSecond: 0)
        listener?.resume()
        if wasNative { receive(.closed(connection.session)) }
        if isClosing, connections.count == 0 { loop.stop() }
    }

    private func markUnsent(_ connection: HTTPConnection) {
        guard !connection.hasUnsentBytes else { return }
        connection.hasUnsentBytes = true
        unsent.append(connection)
    }
}

// MARK: - Slow clients

extension HTTPPort {
    /// Sends before the end of the turn, as much waits; if the client has no room, its listens pause.
    private func relieve(_ connection: HTTPConnection) {
        connection.stream.flush()
        guard connection.state == .native, !connection.isBackpressured,
            connection.stream.waitingBytes > Self.backpressureBytes
        else { return }
        connection.isBackpressured = true
        receive(.backpressured(connection.session))
    }

    private func relieved(_ connection: HTTPConnection) {
        guard connection.isBackpressured else { return }
        connection.isBackpressured = false
        if connection.state == .native { receive(.writable(connection.session)) }
    }
}

// MARK: - What clients send

extension HTTPPort {
    private func handle(_ bytes: UnsafeRawBufferPointer, from connection: HTTPConnection) {
        switch connection.state {
        case .native: handleFrames(in: bytes, from: connection)
        case .requesting: handleRequests(in: bytes, from: connection)
        // It may not know yet that nobody reads this.
        case .closing: break
        }
    }

    private func handleRequests(
        in bytes: UnsafeRawBufferPointer, from connection: HTTPConnection
    ) {
        connection.requests.receive(bytes)
        while case .requesting = connection.state, let event = connection.requests.next() {
            switch event {
            case .head(let head):
                connection.head = head
                connection.requests.limitBody(to: 0)
            case .body: break
            case .end: answer(connection)
            case .failure(let failure): refuse(connection, failure.status, failure.problem)
            }
        }
    }

    private func answer(_ connection: HTTPConnection) {
        guard let head = connection.head else { return }
        connection.head = nil
        switch upgrade.answer(to: head) {
        case .refusal(let status, let text): refuse(connection, status, text)
        case .native(let bytes):
            connection.state = .native
            connection.stream.append(bytes)
            markUnsent(connection)
            let rest = connection.requests.upgrade()
            rest.withUnsafeBytes { handleFrames(in: $0, from: connection) }
        }
    }

    private func handleFrames(
        in bytes: UnsafeRawBufferPointer, from connection: HTTPConnection
    ) {
        var rest = bytes
        while connection.state == .native, let event = connection.frames.next(in: &rest) {
            switch event {
            case .binary(let frame): receive(.requested(frame, by: connection.session))
            case .ping(let payload):
                connection.append(.pong, payload)
                markUnsent(connection)
            case .pong: break
            case .text: finish(connection, .unsupported)
            case .closed(let code): finish(connection, code ?? .normal)
            case .failed(let failure): finish(connection, failure.code)
            }
        }
    }

    /// Answers by a status, and closes.
    private func refuse(_ connection: HTTPConnection, _ status: Int, _ text: String) {
        var head = ResponseHead(status: status)
        head.append("Content-Type", "text/plain; charset=utf-8")
        let date = HTTPDate(unixSeconds: Int64(Loop.wallClockMilliseconds / 1000))
        connection.stream.append(
            head.message(body: Array((text + "\n").utf8), form: .afterFailure, date: date))
        finish(connection)
    }

    /// Ends a native client's session, and tells it why.
    private func finish(_ connection: HTTPConnection, _ code: WebSocketCloseCode) {
        let wasNative = connection.state == .native
        if wasNative { connection.append(.close, code.payload()) }
        finish(connection)
        if wasNative { receive(.closed(connection.session)) }
    }

    /// Sends what waits, and gives the client a moment to close its end.
    private func finish(_ connection: HTTPConnection) {
        connection.state = .closing(deadlineSecond: second + Self.closeSeconds)
        connection.stream.finish()
    }
}
