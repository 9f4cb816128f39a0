internal import ClientCore
internal import EventLoop
internal import ZeroMQ

/// A connection to one node, on the loop of a `Driver`.
///
/// What it says with `handle` may end it.
protocol NodeConnection: AnyObject {
    /// While paused, frames of the node wait in the system, and then at the node.
    var isPaused: Bool { get set }
    /// Sends a frame, at the end of the turn at the latest.
    func send(_ frame: [UInt8])
    /// Sends all frames of a turn.
    func endTurn()
    /// Some times a second: looks whether the connection is there still.
    func check()
    /// Ends the connection, and says nothing more.
    func close()
}

/// What a connection to a node says.
enum NodeConnectionEvent {
    case received([UInt8])
    /// There is no connection any more.
    case lost
    /// There is no connection, as the node is not the one meant, or does not take it.
    case refused(HearthError)
}

/// A connection to a node with a key: a ZeroMQ socket, encrypted by CURVE.
final class KeyedConnection: NodeConnection {
    private let socket: Socket
    private let handle: (NodeConnectionEvent) -> Void
    private var watcher: Watcher?

    init(
        to address: ServerAddress, as keys: KeyPair?, in context: Context, on loop: Loop,
        handle: @escaping (NodeConnectionEvent) -> Void
    ) throws {
        self.handle = handle
        socket = try Socket(.dealer, in: context)
        // A connection that came back by itself would have lost its listens at the node.
        socket.reconnectInterval = nil
        socket.sendHighWaterMark = 0
        socket.receiveHighWaterMark = 0
        try socket.connect(address, as: keys)
        watcher = try loop.watchEdges(of: socket.fileDescriptor) { [unowned self] in drain() }
    }

    var isPaused = false {
        didSet { if oldValue, !isPaused { watcher?.activate() } }
    }

    func send(_ frame: [UInt8]) {
        if socket.send(frame) != .sent { return handle(.lost) }
        watcher?.activate()
    }

    func endTurn() {}

    func check() {
        // A socket that does not reconnect is not writable once its connection is gone.
        if !socket.events.contains(.writable) {
            handle(.lost)
        } else {
            watcher?.activate()
        }
    }

    func close() {
        // Cancelled, not just released: the loop may be about to run it.
        watcher?.cancel()
        watcher = nil
    }

    private func drain() {
        guard !isPaused else { return }
        let outcome = socket.drain(limit: 64) { message in
            handle(.received(Array(message[message.count - 1])))
        }
        if outcome == .limitReached { watcher?.activate() }
    }
}
