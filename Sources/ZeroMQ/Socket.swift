internal import CLibrary
internal import CZeroMQ

/// Is one ZeroMQ socket; it belongs to one thread at a time, and closes when it is released.
///
///     let publisher = try Socket(.publisher, in: context)
///     publisher.sendHighWaterMark = 1000
///     try publisher.bind("tcp://127.0.0.1:7001")
///     publisher.send(batch)
///
/// Only `wait(upTo:)` blocks. To serve a socket from an event loop, watch the edges of its
/// `fileDescriptor` and `drain` it in the callback. Activate the watcher again when `drain` stopped
/// at its limit, and after every send made elsewhere: a send may consume the edge that announces a
/// message.
public final class Socket {
    /// The pattern that a socket follows.
    public enum Kind: Sendable {
        /// Exchanges messages with one peer.
        case pair
        /// XPUB: sends to every subscriber, and receives their subscriptions (a frame of 1 and the
        /// topic) and ends of subscriptions (0 and the topic).
        case publisher
        /// SUB: receives what it has subscribed to.
        case subscriber
        /// Sends to the peer that the first frame names, and receives with the sender's name in
        /// front.
        case router
        /// Sends to its peers in turn, and receives from all.
        case dealer

        fileprivate var number: Int32 {
            switch self {
            case .pair: ZMQ_PAIR
            case .publisher: ZMQ_XPUB
            case .subscriber: ZMQ_SUB
            case .router: ZMQ_ROUTER
            case .dealer: ZMQ_DEALER
            }
        }
    }

    package let kind: Kind
    private let context: Context
    private var openHandle: UnsafeMutableRawPointer?

    /// ZeroMQ's socket; using a closed one is our bug.
    var handle: UnsafeMutableRawPointer {
        guard let openHandle else { preconditionFailure("a closed \(kind) socket was used") }
        return openHandle
    }

    /// Makes a socket with no endpoint yet.
    ///
    /// - Throws: `.tooManySockets`.
    public init(_ kind: Kind, in context: Context) throws(ZeroMQError) {
        self.kind = kind
        self.context = context
        openHandle = zmq_socket(context.handle, kind.number)
        guard openHandle != nil else { throw ZeroMQError(trying: "create", "a \(kind) socket") }
    }

    deinit {
        close()
    }

    /// Closes the socket, after `linger` at the latest; the second call does nothing.
    public func close() {
        guard let openHandle else { return }
        zmq_close(openHandle)
        self.openHandle = nil
    }

    /// Accepts peers at `endpoint`, such as `tcp://127.0.0.1:7001`, `tcp://*:7001`, `ipc://path` or
    /// `inproc://name`. With the port `*` the system chooses one, which `lastEndpoint` has.
    public func bind(_ endpoint: String) throws(ZeroMQError) {
        try checkPort(of: endpoint, for: "bind")
        guard zmq_bind(handle, endpoint) == 0 else { throw ZeroMQError(trying: "bind", endpoint) }
    }

    /// Connects to `endpoint` in the background, again and again until it answers.
    ///
    /// - Throws: when the text is not an endpoint; an unreachable one is no error.
    public func connect(_ endpoint: String) throws(ZeroMQError) {
        try checkPort(of: endpoint, for: "connect")
        guard zmq_connect(handle, endpoint) == 0 else {
            throw ZeroMQError(trying: "connect", endpoint)
        }
    }

    /// Ends the connection to `endpoint`, the text with which it was connected, and does not connect again. Nothing happens
    /// without such a connection.
    public func disconnect(from endpoint: String) {
        zmq_disconnect(handle, endpoint)
    }
}
