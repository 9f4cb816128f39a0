package import ClusterConfiguration
internal import HTTPText
package import Sockets
internal import SyncProtocol
package import TLS

/// A connection to a node's HTTP port for a program that waits by itself: frames out, frames in, and nothing else. It
/// costs so little that a thousand of them measure the node and not themselves.
package final class NodeSocket {
    private let socket: PolledSocket
    private var client: WebSocketClient
    private var random = SystemRandomNumberGenerator()
    private var hasAsked = false
    /// What is sent once the node has taken the connection; nil from then on.
    private var early: [UInt8]? = []
    private var isClosed = false
    private var arrived: [[UInt8]] = []

    /// Begins to connect, without waiting.
    ///
    /// - Throws: when nobody knows the host, or nothing answers there.
    package init(to address: HTTPAddress, showing secret: Secret? = nil) throws(NodeError) {
        do throws(SocketError) {
            socket = try PolledSocket(to: address)
        } catch {
            throw NodeError(problem: error.problem, fix: error.fix)
        }
        client = WebSocketClient(
            to: address.authority, path: NativeProtocol.path, subprotocol: NativeProtocol.name,
            authorization: secret?.authorization, messageLimit: NativeProtocol.answerLimit,
            using: &random)
    }

    /// For `poll`, once the connection is open.
    package var descriptor: Int32 { socket.number }

    /// Whether the node has taken the connection.
    package var isOpen: Bool { early == nil && !isClosed }

    /// Waits until the node has taken the connection; false if it has not in time.
    package func open(within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        while !isOpen, !isClosed, wait(until: deadline) { collect() }
        return isOpen
    }

    /// Sends a frame, as soon as the node has taken the connection.
    package func send(_ frame: [UInt8]) {
        let bytes = WebSocketClient.frame(.binary, frame, using: &random)
        if early != nil {
            early? += bytes
        } else if !socket.send(bytes) {
            isClosed = true
        }
    }

    /// Hands over all frames that have arrived; false once the connection is gone.
    package func receive(_ body: ([UInt8]) -> Void) -> Bool {
        collect()
        let frames = arrived
        arrived = []
        for frame in frames { body(frame) }
        return !isClosed
    }

    /// The next frame; nil if none comes in time.
    package func frame(until deadline: ContinuousClock.Instant) -> [UInt8]? {
        collect()
        while arrived.isEmpty, !isClosed, wait(until: deadline) { collect() }
        return arrived.isEmpty ? nil : arrived.removeFirst()
    }

    private func wait(until deadline: ContinuousClock.Instant) -> Bool {
        let rest = ContinuousClock.now.duration(to: deadline)
        return rest > .zero && socket.wait(upTo: rest)
    }

    /// Goes on as far as is possible without waiting.
    private func collect() {
        guard !isClosed, isConnected else { return }
        if !hasAsked {
            hasAsked = true
            isClosed = !socket.send(client.request)
        }
        let isThere = socket.receive { bytes in
            var rest = bytes
            while !isClosed, let event = client.next(in: &rest, using: &random) { handle(event) }
        }
        if !isThere { isClosed = true }
    }

    private var isConnected: Bool {
        do throws(SocketError) {
            return try socket.finishConnecting()
        } catch {
            isClosed = true
            return false
        }
    }

    private func handle(_ event: WebSocketClient.Event) {
        switch event {
        case .opened:
            let bytes = early ?? []
            early = nil
            isClosed = !socket.send(bytes)
        case .message(let frame): arrived.append(frame)
        // A program that waits by itself shows another token by another connection.
        case .text: break
        case .answer(let bytes): isClosed = !socket.send(bytes)
        case .denied, .ended: isClosed = true
        }
    }
}
