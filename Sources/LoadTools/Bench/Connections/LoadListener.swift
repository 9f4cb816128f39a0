internal import Sockets
internal import TLS

/// A connection that listens to one location. It costs so little that tens of thousands fit into one process.
final class LoadListener {
    enum State {
        case connecting
        /// The request has been sent.
        case opening
        /// The node has accepted the request, and the listen has been sent.
        case asking
        case listening
        /// The node has refused the request or closed the connection.
        case ended
    }

    private(set) var state = State.connecting
    private let socket: PolledSocket
    private let address: HTTPAddress
    private let target: ListenTarget
    private let secret: Secret?
    private let listenProtocol: ListenProtocol
    /// The beginning of an answer that is not complete.
    private var arrived: [UInt8] = []

    /// Begins to connect, from an address of this machine.
    init(
        to address: HTTPAddress, from source: String, at target: ListenTarget,
        by listenProtocol: ListenProtocol, showing secret: Secret?
    ) throws(SocketError) {
        self.address = address
        self.target = target
        self.secret = secret
        self.listenProtocol = listenProtocol
        socket = try PolledSocket(to: address, from: source)
    }

    var descriptor: Int32 { socket.number }

    /// Continues as far as possible without waiting. `body` receives the bytes that arrive once it listens.
    func advance(_ body: (UnsafeRawBufferPointer) -> Void) {
        if state == .connecting { connect() }
        guard state != .connecting, state != .ended else { return }
        let isOpen = socket.receive { bytes in
            if state == .listening { body(bytes) } else { process(bytes) }
        }
        if !isOpen { state = .ended }
    }

    private func connect() {
        do throws(SocketError) {
            guard try socket.finishConnecting() else { return }
            send(listenProtocol.opening(to: address, at: target, showing: secret))
            if state == .connecting { state = .opening }
        } catch {
            state = .ended
        }
    }

    private func send(_ bytes: [UInt8]) {
        if !socket.send(bytes) { state = .ended }
    }

    private func process(_ bytes: UnsafeRawBufferPointer) {
        arrived += bytes
        if state == .opening { readHead() }
        if state == .asking, arrived.contains(listenProtocol.confirmation), !arrived.isEmpty {
            state = .listening
            arrived = []
        }
    }

    private func readHead() {
        guard let end = arrived.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return }
        guard arrived.starts(with: listenProtocol.acceptance) else {
            state = .ended
            return
        }
        arrived.removeFirst(end)
        state = .asking
        var random = SystemRandomNumberGenerator()
        let listen = listenProtocol.listen(at: target, showing: secret, using: &random)
        if !listen.isEmpty { send(listen) }
    }
}

extension [UInt8] {
    /// Whether other bytes occur in these, without a gap.
    fileprivate func contains(_ others: [UInt8]) -> Bool {
        others.isEmpty || firstRange(of: others) != nil
    }
}
