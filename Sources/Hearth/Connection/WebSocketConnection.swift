internal import ClientCore
internal import EventLoop
internal import HTTPText
internal import Sockets
internal import SyncProtocol

/// A connection to a node by its HTTP port: each frame is a binary message of a WebSocket.
final class WebSocketConnection: NodeConnection {
    private let handle: (NodeConnectionEvent) -> Void
    private let address: HTTPAddress
    private var dial: Dial?
    private var stream: Stream?
    private var client: WebSocketClient
    private var random = SystemRandomNumberGenerator()
    /// Frames from before the node took the connection; nil from then on.
    private var early: [[UInt8]]? = []
    private var isClosed = false

    init(
        to address: HTTPAddress, on loop: Loop,
        handle: @escaping (NodeConnectionEvent) -> Void
    ) throws(SocketError) {
        self.handle = handle
        self.address = address
        client = WebSocketClient(
            to: address.authority, path: NativeProtocol.path,
            subprotocol: NativeProtocol.name, messageLimit: NativeProtocol.answerLimit,
            using: &random)
        dial = try Dial(to: address, on: loop) { [unowned self] outcome in
            dial = nil
            switch outcome {
            case .success(let stream): begin(on: stream)
            case .failure: end(.lost)
            }
        }
    }

    var isPaused = false {
        didSet { stream?.isPaused = isPaused }
    }

    func send(_ frame: [UInt8]) {
        if early != nil { early?.append(frame) } else { append(frame) }
    }

    func endTurn() { stream?.flush() }

    func check() {}

    func close() {
        isClosed = true
        dial = nil
        stream?.close()
    }

    private func begin(on stream: Stream) {
        self.stream = stream
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
                for frame in early ?? [] { append(frame) }
                early = nil
                stream?.flush()
            case .message(let frame): handle(.received(frame))
            case .answer(let bytes):
                stream?.append(bytes)
                stream?.flush()
            case .ended(let problem):
                Log.note("the node ended the connection: \(problem)")
                let fix = "check the address, and see the node's log"
                end(early == nil ? .lost : refusal(problem, fix: fix))
            }
        }
    }

    private func append(_ frame: [UInt8]) {
        let mask = UInt32.random(in: 1 ... .max, using: &random)
        stream?.append(sizeHint: frame.count + 14) {
            WebSocketWriter.append(.binary, frame, mask: mask, to: &$0)
        }
    }

    private func refusal(_ problem: String, fix: String) -> NodeConnectionEvent {
        .refused(HearthError(.unavailable, "\(address.location): \(problem)", fix: fix))
    }

    private func end(_ event: NodeConnectionEvent) {
        close()
        handle(event)
    }
}
