internal import ClientCore
internal import EventLoop
internal import HTTPText
internal import Sockets
internal import SyncProtocol
internal import TLS

/// A connection to a node, on the loop of a `Driver`: each frame is a binary message of a WebSocket at the node's HTTP port.
///
/// The receiver of its events may end it.
final class WebSocketConnection {
    /// An event of a connection.
    enum Event {
        case received([UInt8])
        /// The token that the program has shown has expired.
        case tokenExpired
        /// The connection has ended.
        case lost
        /// There is no connection, as the node is not the one meant, or does not take it.
        case refused(HearthError)
        /// The node has redirected the client to one that does not answer.
        case misled(HearthError)
    }

    private let handle: (Event) -> Void
    private let loop: Loop
    private let node: NodeAddress
    /// The address of the node, after redirects.
    private var address: HTTPAddress
    private var database: DatabaseName? { node.database }
    private let path: String
    /// The addresses that the program was given.
    private let known: [HTTPAddress]
    private let secret: Secret?
    private var showsSecret: Bool
    private var redirects = 0
    private var dial: Dial?
    private var stream: Stream?
    /// The stream to the node that has redirected the client, until there is the next one.
    private var formerStream: Stream?
    private var client: WebSocketClient
    private var random = SystemRandomNumberGenerator()
    /// Frames from before the node took the connection; nil from then on.
    private var early: [[UInt8]]? = []
    /// The credential message to send once the node has accepted the connection.
    private var earlyCredential: CredentialMessage?
    private var isClosed = false

    /// - Parameter isOnlyExisting: Whether no node is to create the database.
    init(
        to node: NodeAddress, onlyExisting isOnlyExisting: Bool, of known: [HTTPAddress],
        showing secret: Secret?, on loop: Loop,
        handle: @escaping (Event) -> Void
    ) throws(SocketError) {
        (self.handle, self.loop, self.known, self.secret) = (handle, loop, known, secret)
        (self.node, address) = (node, node.address)
        showsSecret = secret != nil
        path = NativeProtocol.path(of: node.database, onlyExisting: isOnlyExisting)
        client = WebSocketClient(
            requesting: path, of: node.address, showing: secret, using: &random)
        try connect()
    }

    private func connect() throws(SocketError) {
        dial = try Dial(to: address, on: loop) { [unowned self] outcome in
            dial = nil
            switch outcome {
            case .success(let stream): begin(on: stream)
            case .failure(let error): giveUp(because: error)
            }
        }
    }

    /// Ends the attempt. After a redirect, the first node is asked again, since it names another target then.
    private func giveUp(because error: SocketError) {
        guard redirects > 0, redirects < HTTPRedirect.limit, address != node.address else {
            let isElsewhere = address != node.address && !error.isLookupFailure
            return end(isElsewhere ? absence(of: address) : event(of: error))
        }
        connect(to: node.address, requesting: path)
    }

    /// While paused, frames of the node wait in the system, and then at the node.
    var isPaused = false {
        didSet { stream?.isPaused = isPaused }
    }

    /// Sends a frame, at the end of the turn at the latest.
    func send(_ frame: [UInt8]) {
        if early != nil { early?.append(frame) } else { append(frame) }
    }

    /// Changes the credential for later requests; nil removes it.
    func show(_ secret: Secret?) {
        showsSecret = secret != nil
        let message = secret.map { CredentialMessage.token($0.text) } ?? CredentialMessage.none
        if early != nil { earlyCredential = message } else { append(message.bytes, as: .text) }
    }

    /// Sends all frames of a turn.
    func endTurn() { stream?.flush() }

    /// Ends the connection, and says nothing more.
    func close() {
        isClosed = true
        dial = nil
        stream?.close()
    }

    private func begin(on stream: Stream) {
        self.stream = stream
        formerStream = nil
        stream.open { [unowned self] event in
            switch event {
            case .received(let bytes): receive(bytes)
            case .drained: break
            case .ended: end(stream.failure.map { refusal($0.problem, fix: $0.fix) } ?? .lost)
            }
        }
        stream.append(client.request)
        stream.flush()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while !isClosed, let event = client.next(in: &rest, using: &random) {
            switch event {
            case .opened:
                if let earlyCredential { append(earlyCredential.bytes, as: .text) }
                for frame in early ?? [] { append(frame) }
                early = nil
                stream?.flush()
            case .message(let frame): handle(.received(frame))
            case .text(let text): if CredentialMessage(text) == .expired { handle(.tokenExpired) }
            case .answer(let bytes):
                stream?.append(bytes)
                stream?.flush()
            case .denied: end(denial)
            case .unavailable:
                end(
                    refusal(
                        "it accepts no clients at present", fix: "try again, or name another node"))
            case .refused(let problem, let fix, let isWrong):
                // A clause of a longer sentence, unlike the node's own text.
                let clause = problem.hasSuffix(".") ? String(problem.dropLast()) : problem
                end(refusal(clause, fix: fix, code: isWrong ? .invalid : .unavailable))
            // The rest of the answer has no meaning for the next node.
            case .moved(let location): return follow(location)
            case .ended(let problem):
                Log.info("the node ended the connection: \(problem)")
                let fix =
                    database.map {
                        "check the address, and whether `hearth database list` shows \($0)"
                    } ?? "check the address, and see the node's log"
                end(early == nil ? .lost : refusal(problem, fix: fix))
            }
        }
    }

    /// Connects to the node that holds the database, with the same credential.
    private func follow(_ location: String) {
        redirects += 1
        guard redirects <= HTTPRedirect.limit else {
            return end(
                refusal(
                    "it is the last of \(redirects) nodes that redirect one after the other",
                    fix: "see `hearth database list` at each node"))
        }
        guard let redirect = HTTPRedirect(location, from: address, knowing: known),
            redirect.target.hasPrefix(NativeProtocol.path)
        else {
            return end(
                refusal(
                    "it redirects to \(location), where the client does not know the certificate",
                    fix: "name the address of that node, too"))
        }
        stream?.close()
        (formerStream, stream) = (stream, nil)
        connect(to: redirect.address, requesting: redirect.target)
    }

    private func connect(to next: HTTPAddress, requesting path: String) {
        address = next
        client = WebSocketClient(
            requesting: path, of: next, showing: secret, using: &random)
        do throws(SocketError) { try connect() } catch { end(event(of: error)) }
    }

    private func append(_ payload: [UInt8], as kind: WebSocketFrameKind = .binary) {
        let mask = UInt32.random(in: 1 ... .max, using: &random)
        stream?.append(sizeHint: payload.count + 14) {
            WebSocketWriter.append(kind, payload, mask: mask, to: &$0)
        }
    }

    private var denial: Event {
        refusal(
            showsSecret
                ? "it does not know this secret or token"
                : "it requires an administrator's secret or a token",
            fix:
                "give an administrator's secret of the cluster, or a valid token: --secret FILE, HEARTH_SECRET_FILE, --token, HEARTH_TOKEN, or `secret` or `signIn(withToken:)` in a program",
            code: .permissionDenied
        )
    }

    /// The end at a node whose redirects lead to one that does not answer.
    private func absence(of holder: HTTPAddress) -> Event {
        let subject = database.map { "the database \($0)" } ?? "the database"
        return .misled(
            HearthError(
                .unavailable,
                "\(node.address.location): \(subject) is at \(holder.location), which does not answer",
                fix: "start the node at \(holder.location)"))
    }

    /// A name that cannot be looked up is worth a message: it may be misspelt.
    private func event(of error: SocketError) -> Event {
        guard error.isLookupFailure else { return .lost }
        return .refused(HearthError(.unavailable, error.problem, fix: error.fix))
    }

    private func refusal(
        _ problem: String, fix: String, code: HearthError.Code = .unavailable
    ) -> Event {
        .refused(HearthError(code, "\(address.location): \(problem)", fix: fix))
    }

    private func end(_ event: Event) {
        close()
        handle(event)
    }
}

extension WebSocketClient {
    /// A client of the native protocol.
    fileprivate init(
        requesting path: String, of address: HTTPAddress, showing secret: Secret?,
        using random: inout some RandomNumberGenerator
    ) {
        self.init(
            to: address.authority, path: path, subprotocol: NativeProtocol.name,
            authorization: secret?.authorization, messageLimit: NativeProtocol.answerLimit,
            using: &random)
    }
}
