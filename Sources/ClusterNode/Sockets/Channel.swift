internal import EventLoop
internal import ZeroMQ

/// A socket on the loop: it hands over messages, a bounded amount each turn, and keeps the edges of
/// ZeroMQ's descriptor from getting lost.
final class Channel {
    /// How much one turn reads from a socket before it serves the others.
    private static let messagesPerTurn = 512
    private static let bytesPerTurn = 512 << 10

    let socket: Socket
    /// While paused, messages wait in the socket, and then at their senders.
    var isPaused = false {
        didSet { if oldValue, !isPaused { watcher?.activate() } }
    }
    private var watcher: Watcher?
    private var receive: (borrowing Message) -> Void = { _ in }
    private var hasSent = false

    init(_ socket: Socket) { self.socket = socket }

    /// Begins to hand over messages.
    func open(
        on loop: Loop, receive: @escaping (borrowing Message) -> Void
    ) throws(EventLoopError) {
        self.receive = receive
        watcher = try loop.watchEdges(of: socket.fileDescriptor) { [unowned self] in drain() }
        // The first edge may have passed already.
        watcher?.activate()
    }

    /// Stops receiving; sending goes on.
    func stopReceiving() {
        watcher?.cancel()
        watcher = nil
    }

    /// Sends a message of one frame.
    func send(_ frame: [UInt8]) -> SendOutcome {
        hasSent = true
        return socket.send(frame)
    }

    /// Sends a message of at least one frame.
    func send(_ frames: [[UInt8]]) -> SendOutcome {
        hasSent = true
        return socket.send(frames)
    }

    /// Sends a frame to the peer of a router that has this routing id.
    func send(_ frame: [UInt8], to routingID: [UInt8]) -> SendOutcome {
        hasSent = true
        return routingID.withUnsafeBytes { routingID in
            frame.withUnsafeBytes { socket.send([routingID, $0]) }
        }
    }

    /// Whether a message can be sent at once.
    var isWritable: Bool {
        // As a send, the question uses up edges.
        hasSent = true
        return socket.events.contains(.writable)
    }

    /// Schedules a read for messages whose edge a send used up.
    func endTurn() {
        guard hasSent else { return }
        hasSent = false
        if socket.events.contains(.readable) { watcher?.activate() }
    }

    private func drain() {
        guard !isPaused else { return }
        var byteCount = 0
        for _ in 0..<Self.messagesPerTurn where byteCount < Self.bytesPerTurn {
            let outcome = socket.drain(limit: 1) { message in
                for index in 0..<message.count { byteCount += message[index].count }
                receive(message)
            }
            if outcome == .emptied { return }
        }
        watcher?.activate()
    }
}
