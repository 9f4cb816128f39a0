internal import CLibrary
internal import CZeroMQ

/// Whether a socket may have more to receive.
public enum DrainOutcome: Equatable, Sendable {
    /// Every message was taken; the socket's descriptor announces the next.
    case emptied
    /// The limit was reached; the descriptor announces nothing for what is left, so come back.
    case limitReached
}

/// The operations that a socket can do without waiting.
public struct SocketEvents: OptionSet, Sendable {
    /// As it is written.
    public let rawValue: Int

    /// The set of these bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A message can be received.
    public static let readable = SocketEvents(rawValue: 1)
    /// A message can be sent.
    public static let writable = SocketEvents(rawValue: 2)
}

extension Socket {
    /// Hands each message that waits to `body`, up to `limit` of them, without copying.
    ///
    /// `body` may send on this socket.
    public func drain(limit: Int, _ body: (borrowing Message) -> Void) -> DrainOutcome {
        var message = Message()
        for _ in 0..<limit {
            guard message.receive(from: self) else { return .emptied }
            body(message)
        }
        return .limitReached
    }

    /// Hands the next message to `body`, without copying, and returns its result; nil when none
    /// waits.
    public func receive<Result>(_ body: (borrowing Message) -> Result) -> Result? {
        var message = Message()
        return message.receive(from: self) ? body(message) : nil
    }

    /// Receives the frames of the next message; nil when none waits.
    public func receive() -> [[UInt8]]? {
        receive { $0.copied() }
    }

    /// The operations that the socket can do without waiting; reading this arms `fileDescriptor` again.
    public var events: SocketEvents {
        SocketEvents(rawValue: integer(ZMQ_EVENTS))
    }

    /// The descriptor that becomes readable when the socket's `events` may have changed: an edge,
    /// to be followed by reading `events` or draining the socket. It says nothing by itself.
    public var fileDescriptor: Int32 {
        Int32(integer(ZMQ_FD))
    }

    /// The endpoint last bound or connected, with the port the system chose.
    public var lastEndpoint: String {
        String(decoding: bytes(ZMQ_LAST_ENDPOINT).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Blocks until a message can be received; returns false when `limit` has passed without one.
    public func wait(upTo limit: Duration) -> Bool {
        var item = zmq_pollitem_t(
            socket: handle, fd: 0, events: Int16(ZMQ_POLLIN), revents: 0)
        let ready = retrying { zmq_poll(&item, 1, Int(limit.wholeMilliseconds)) }
        precondition(ready >= 0, "a \(kind) socket cannot be waited for: error \(zmq_errno())")
        return ready > 0
    }

    /// Receives into an initialised frame; returns false when nothing waits.
    func receiveFrame(into frame: UnsafeMutablePointer<zmq_msg_t>) -> Bool {
        let result = retrying { zmq_msg_recv(frame, handle, ZMQ_DONTWAIT) }
        precondition(
            result >= 0 || zmq_errno() == EAGAIN,
            "a \(kind) socket cannot receive: error \(zmq_errno())")
        return result >= 0
    }
}
