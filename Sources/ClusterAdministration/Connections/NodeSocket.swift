package import ClusterConfiguration
internal import HTTPText
package import Sockets
internal import SyncProtocol
package import TLS

/// A connection to a node's HTTP port for a program that waits by itself: frames out, frames in, and nothing else. It
/// costs so little that a thousand of them measure the node and not themselves.
package final class NodeSocket {
    private var socket: PolledSocket
    private var client: WebSocketClient
    /// The address of the node, after redirects.
    private var address: HTTPAddress
    private let secret: Secret?
    private let followsRedirects: Bool
    private var redirects = 0
    /// The address to which the node redirects, until the client goes there.
    private var location: String?
    private var random = SystemRandomNumberGenerator()
    private var hasAsked = false
    /// The bytes to send once the node has accepted the connection; nil from then on.
    private var early: [UInt8]? = []
    /// Why the connection has ended; nil while it lasts.
    private(set) var ending: Ending?
    private var arrived: [[UInt8]] = []

    /// Begins to connect, without waiting.
    ///
    /// - Throws: If the host is unknown, or refuses connections.
    package convenience init(
        to address: HTTPAddress, showing secret: Secret? = nil
    ) throws(NodeError) {
        do throws(SocketError) {
            try self.init(connectingTo: address, showing: secret)
        } catch {
            throw NodeError(problem: error.problem, fix: error.fix)
        }
    }

    /// The same, with the error of the system.
    ///
    /// - Parameter followsRedirects: Whether any node may answer that holds the database, and not only this one.
    init(
        connectingTo address: HTTPAddress, showing secret: Secret?,
        database: DatabaseName? = nil, followsRedirects: Bool = false
    ) throws(SocketError) {
        (self.address, self.secret) = (address, secret)
        self.followsRedirects = followsRedirects
        socket = try PolledSocket(to: address)
        client = NodeSocket.client(
            requesting: NativeProtocol.path(of: database, onlyExisting: true), of: address,
            showing: secret, using: &random)
    }

    private static func client(
        requesting path: String, of address: HTTPAddress, showing secret: Secret?,
        using random: inout some RandomNumberGenerator
    ) -> WebSocketClient {
        WebSocketClient(
            to: address.authority, path: path, subprotocol: NativeProtocol.name,
            authorization: secret?.authorization, messageLimit: NativeProtocol.answerLimit,
            using: &random)
    }

    /// For `poll`, once the connection is open.
    package var descriptor: Int32 { socket.number }

    private var isClosed: Bool { ending != nil }

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
        } else {
            write(bytes)
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
        guard !isClosed, finishConnecting() else { return }
        if !hasAsked {
            hasAsked = true
            write(client.request)
        }
        let isThere = socket.receive { bytes in
            var rest = bytes
            while !isClosed, location == nil, let event = client.next(in: &rest, using: &random) {
                handle(event)
            }
        }
        if let location {
            follow(location)
        } else if !isThere {
            endByPeer()
        }
    }

    /// Connects to the node that holds the database, with the same credential.
    private func follow(_ location: String) {
        self.location = nil
        redirects += 1
        let redirect = HTTPRedirect(location, from: address)
        guard let redirect, followsRedirects, redirects <= HTTPRedirect.limit else {
            let target = redirect?.address.location ?? location
            return end(
                .failed(
                    problem: "the database is on other nodes",
                    fix: "use another node: --node \(target)"))
        }
        address = redirect.address
        hasAsked = false
        client = NodeSocket.client(
            requesting: redirect.target, of: address, showing: secret, using: &random)
        do throws(SocketError) { socket = try PolledSocket(to: address) } catch {
            end(.init(error))
        }
    }

    /// Whether the system has made the connection; nothing need have come of the node.
    var isConnected: Bool { socket.isOpen }

    private func finishConnecting() -> Bool {
        do throws(SocketError) {
            return try socket.finishConnecting()
        } catch {
            end(.init(error))
            return false
        }
    }

    private func write(_ bytes: [UInt8]) {
        if !socket.send(bytes) { endByPeer() }
    }

    /// The other end has closed the connection, or TLS has.
    private func endByPeer() {
        end(socket.failure.map { .failed(problem: $0.problem, fix: $0.fix) } ?? .closed)
    }

    /// The first reason counts: what follows comes of it.
    private func end(_ reason: Ending) { ending = ending ?? reason }

    private func handle(_ event: WebSocketClient.Event) {
        switch event {
        case .opened:
            let bytes = early ?? []
            early = nil
            write(bytes)
        case .message(let frame): arrived.append(frame)
        // A program that waits by itself shows another token by another connection.
        case .text: break
        case .answer(let bytes): write(bytes)
        case .denied: end(.denied)
        case .unavailable: end(.unavailable)
        case .refused(let problem, let fix, let isWrong):
            end(
                isWrong
                    ? .wrong(problem: problem, fix: fix) : .failed(problem: problem, fix: fix))
        case .moved(let location): self.location = location
        case .ended(let problem):
            end(.failed(problem: problem, fix: "check the address, and see the node's log"))
        }
    }
}

extension NodeSocket {
    /// Why a connection has ended.
    enum Ending: Equatable, Sendable {
        /// No process listens at the address.
        case refused
        /// The machine did not answer.
        case silent
        /// The node wants another credential.
        case denied
        /// The node takes no clients now.
        case unavailable
        /// The other end closed the connection without a reason.
        case closed
        /// The node refuses such a request whenever it is repeated, as one for a database that does not exist.
        case wrong(problem: String, fix: String)
        case failed(problem: String, fix: String)

        init(_ error: SocketError) {
            self =
                if error.isRefused {
                    .refused
                } else if error.isSilence {
                    .silent
                } else {
                    .failed(problem: error.problem, fix: error.fix)
                }
        }
    }
}
