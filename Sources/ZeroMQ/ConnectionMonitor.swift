internal import CLibrary
internal import CZeroMQ

/// Reports the connections that a socket accepts or makes, and their ends.
///
/// It belongs to one thread, which may be another one than that of the socket. It ends with the socket, or by
/// `stopMonitoring`.
///
/// `@unchecked` because ZeroMQ lets a socket go over to another thread, and only the one that owns the monitor uses it.
public final class ConnectionMonitor: @unchecked Sendable {
    /// An event of a connection. The descriptor names the connection until it ends.
    public enum Event: Equatable, Sendable {
        case accepted(Int32)
        /// The socket itself has made it; the handshake follows.
        case connected(Int32)
        case ended(Int32)
        /// The peer has refused the key that the socket has shown to it, or the other way round.
        case refused
        /// Nothing more is reported.
        case stopped
    }

    private let receiver: Socket

    fileprivate init(_ receiver: Socket) { self.receiver = receiver }

    /// Waits until one of some monitors has something to report, or the time is up.
    public static func wait(for monitors: [ConnectionMonitor], upTo limit: Duration) {
        var items = monitors.map { monitor in
            zmq_pollitem_t(
                socket: monitor.receiver.handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        }
        _ = zmq_poll(&items, Int32(items.count), Int(limit.wholeMilliseconds))
    }

    /// Hands over the events that have happened.
    public func drain(_ body: (Event) -> Void) {
        while let event = receiver.receive({ Self.event(in: $0) }) {
            if let event { body(event) }
        }
    }

    /// Reads the number of an event and its value, in the byte order of the machine; nil for other events.
    private static func event(in message: borrowing Message) -> Event? {
        guard message.count > 0, message[0].count >= 6 else { return nil }
        let value = message[0].loadUnaligned(fromByteOffset: 2, as: Int32.self)
        switch Int32(message[0].loadUnaligned(as: UInt16.self)) {
        case ZMQ_EVENT_ACCEPTED: return .accepted(value)
        case ZMQ_EVENT_CONNECTED: return .connected(value)
        case ZMQ_EVENT_CLOSED, ZMQ_EVENT_DISCONNECTED: return .ended(value)
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return .refused
        case ZMQ_EVENT_MONITOR_STOPPED: return .stopped
        default: return nil
        }
    }
}

extension Socket {
    /// Begins to report connections; before the socket is bound or connected, so that none is missed.
    ///
    /// - Parameter name: Names the monitor within the context.
    /// - Throws: `.tooManySockets`.
    public func monitorConnections(
        as name: String, in context: Context
    ) throws(ZeroMQError) -> ConnectionMonitor {
        let endpoint = "inproc://connections-\(name)"
        let events =
            ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED
            | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_MONITOR_STOPPED
        guard zmq_socket_monitor(handle, endpoint, events) == 0 else {
            throw ZeroMQError(trying: "monitor", "the connections of \(name)")
        }
        let receiver = try Socket(.pair, in: context)
        // ZeroMQ's thread would wait for room.
        receiver.receiveHighWaterMark = 0
        try receiver.connect(endpoint)
        return ConnectionMonitor(receiver)
    }

    /// Ends the reports.
    public func stopMonitoring() { zmq_socket_monitor(handle, nil, 0) }
}
