internal import EventLoop
internal import ZeroMQ

/// Is a socket on the loop: it hands over what arrives, a bounded amount each turn, and keeps the
/// edges of ZeroMQ's descriptor from getting lost.
final class Channel {
    /// How much one turn takes from a socket before the others have theirs.
    private static let chunksPerTurn = 8
    private static let messagesPerChunk = 64
    private static let bytesPerTurn = 4 << 20

    let socket: Socket
    /// While paused, what arrives waits in the socket, and then at its senders.
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

    /// Takes nothing more; sending goes on.
    func stopReceiving() {
        watcher?.cancel()
        watcher = nil
    }

    /// Sends a message of one frame.
    func send(_ frame: [UInt8]) -> SendOutcome {
        hasSent = true
        return socket.send(frame)
    }

    /// Sends a frame to the peer of a router that has this routing id.
    func send(_ frame: [UInt8], to routingID: [UInt8]) -> SendOutcome {
        hasSent = true
        return routingID.withUnsafeBytes { routingID in
            frame.withUnsafeBytes { socket.send([routingID, $0]) }
        }
    }

    /// Sees to messages that arrived unannounced because a send used up their edge.
    func endTurn() {
        guard hasSent else { return }
        hasSent = false
        if socket.events.contains(.readable) { watcher?.activate() }
    }

    private func drain() {
        guard !isPaused else { return }
        var byteCount = 0
        for _ in 0..<Self.chunksPerTurn where byteCount < Self.bytesPerTurn {
            let outcome = socket.drain(limit: Self.messagesPerChunk) { message in
                for index in 0..<message.count { byteCount += message[index].count }
                receive(message)
            }
            if outcome == .emptied { return }
        }
        watcher?.activate()
    }
}
