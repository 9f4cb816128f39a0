internal import CZeroMQ

/// Options take effect for endpoints bound or connected afterwards, so set them first. A value that
/// ZeroMQ refuses, such as a negative limit, is a bug of the caller and traps.
extension Socket {
    /// How long `close` may go on sending what waits; zero discards it, nil waits for ever.
    public var linger: Duration? {
        get { optionalDuration(ZMQ_LINGER) }
        set { set(ZMQ_LINGER, to: newValue?.wholeMilliseconds ?? -1) }
    }

    /// How many messages may wait for each peer before a send would block, or is dropped by a
    /// publisher; 0 is no limit. 1000 unless set.
    public var sendHighWaterMark: Int {
        get { integer(ZMQ_SNDHWM) }
        set { set(ZMQ_SNDHWM, to: Int32(newValue)) }
    }

    /// How many messages of each peer may wait to be received; 0 is no limit. 1000 unless set.
    public var receiveHighWaterMark: Int {
        get { integer(ZMQ_RCVHWM) }
        set { set(ZMQ_RCVHWM, to: Int32(newValue)) }
    }

    /// The largest frame taken from a peer, in bytes; a peer that sends more is disconnected. Nil, the default, is
    /// no limit.
    public var maxMessageSize: Int? {
        get {
            let size: Int64 = read(ZMQ_MAXMSGSIZE)
            return size < 0 ? nil : Int(size)
        }
        set { set(ZMQ_MAXMSGSIZE, to: Int64(newValue ?? -1)) }
    }

    /// The name under which a router knows this socket: 1 to 255 bytes, the first not zero.
    public var routingID: [UInt8] {
        get { bytes(ZMQ_ROUTING_ID) }
        set {
            precondition(
                (1...255).contains(newValue.count) && newValue[0] != 0,
                "a routing id has 1 to 255 bytes, the first not zero, got \(newValue)")
            set(ZMQ_ROUTING_ID, toBytes: newValue)
        }
    }

    /// The delay before a new connection attempt; 100 ms by default. With nil, an endpoint is
    /// abandoned after its first connection, refused or lost, and the socket is not writable
    /// without another one.
    public var reconnectInterval: Duration? {
        get { optionalDuration(ZMQ_RECONNECT_IVL) }
        set { set(ZMQ_RECONNECT_IVL, to: newValue?.wholeMilliseconds ?? -1) }
    }

    /// Up to what `reconnectInterval` doubles while a peer stays away; zero keeps it as it is.
    public var maxReconnectInterval: Duration {
        get { .milliseconds(integer(ZMQ_RECONNECT_IVL_MAX)) }
        set { set(ZMQ_RECONNECT_IVL_MAX, to: newValue.wholeMilliseconds) }
    }

    /// The timeout of an unanswered connection attempt, which is repeated after
    /// `reconnectInterval`. Zero, the default, leaves it to the system, whose attempts become
    /// rarer, up to a minute apart.
    public var connectTimeout: Duration {
        get { .milliseconds(integer(ZMQ_CONNECT_TIMEOUT)) }
        set { set(ZMQ_CONNECT_TIMEOUT, to: newValue.wholeMilliseconds) }
    }

    /// How long the handshake of a connection may take before the connection is closed; 30 seconds unless set.
    public var handshakeInterval: Duration {
        get { .milliseconds(integer(ZMQ_HANDSHAKE_IVL)) }
        set { set(ZMQ_HANDSHAKE_IVL, to: newValue.wholeMilliseconds) }
    }

    /// Whether endpoints may be IPv6 addresses. With it, `tcp://*:PORT` has IPv4 and IPv6; false unless set.
    public var hasIPv6: Bool {
        get { integer(ZMQ_IPV6) != 0 }
        set { set(ZMQ_IPV6, to: Int32(newValue ? 1 : 0)) }
    }

    /// After how long the system ends a connection whose peer does not answer: sent bytes are not acknowledged, or the probes
    /// of an idle connection, one a second. Zero, the default, leaves it to the system.
    ///
    /// The pings of ZeroMQ (`ZMQ_HEARTBEAT_IVL`) are no alternative: libzmq 4.3 aborts the process if a ping is due on a
    /// connection that has ended while its queue of received messages was full.
    public var silenceTimeout: Duration {
        get { .milliseconds(integer(ZMQ_TCP_MAXRT)) }
        set {
            let milliseconds = newValue.wholeMilliseconds
            set(ZMQ_TCP_MAXRT, to: milliseconds)
            set(ZMQ_TCP_KEEPALIVE, to: Int32(milliseconds > 0 ? 1 : -1))
            set(ZMQ_TCP_KEEPALIVE_IDLE, to: Int32(1))
            set(ZMQ_TCP_KEEPALIVE_INTVL, to: Int32(1))
            set(ZMQ_TCP_KEEPALIVE_CNT, to: max(1, milliseconds / 1_000))
        }
    }

    // ZeroMQ has no getter for the flags of routers and publishers, hence functions for those.

    /// Makes a router report when a message cannot be sent: to a peer it does not know
    /// (`.unroutable`) or whose queue is full (`.wouldBlock`). Without, it drops both in silence.
    public func reportUnroutable() {
        set(ZMQ_ROUTER_MANDATORY, to: Int32(1))
    }

    /// Makes a router give a routing id to the newest peer that claims it, as one that reconnects
    /// does. Without, the older connection keeps it.
    public func handOverRoutingIDs() {
        set(ZMQ_ROUTER_HANDOVER, to: Int32(1))
    }

    /// Makes a publisher receive every subscription and its end. Without, it receives the first
    /// subscription to a topic and the end of the last.
    public func reportEverySubscription() {
        set(ZMQ_XPUB_VERBOSER, to: Int32(1))
    }

    /// Makes a subscriber receive messages that begin with `topic`; the empty topic matches all.
    public func subscribe(to topic: [UInt8] = []) {
        set(ZMQ_SUBSCRIBE, toBytes: topic)
    }

    /// Whether messages wait only for connected peers; otherwise a socket also queues for endpoints that never
    /// answered.
    public var isImmediate: Bool {
        get { integer(ZMQ_IMMEDIATE) != 0 }
        set { set(ZMQ_IMMEDIATE, to: Int32(newValue ? 1 : 0)) }
    }
}

extension Socket {
    func integer(_ option: Int32) -> Int {
        let number: Int32 = read(option)
        return Int(number)
    }

    private func optionalDuration(_ option: Int32) -> Duration? {
        let number = integer(option)
        return number < 0 ? nil : .milliseconds(number)
    }

    private func read<Number: FixedWidthInteger>(_ option: Int32) -> Number {
        var number: Number = 0
        var size = MemoryLayout<Number>.size
        let outcome = retrying { zmq_getsockopt(handle, option, &number, &size) }
        precondition(outcome == 0, "option \(option) cannot be read: error \(zmq_errno())")
        return number
    }

    func bytes(_ option: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1024)
        var size = buffer.count
        let outcome = retrying { zmq_getsockopt(handle, option, &buffer, &size) }
        precondition(outcome == 0, "option \(option) cannot be read: error \(zmq_errno())")
        return Array(buffer.prefix(size))
    }

    func set<Number: FixedWidthInteger>(_ option: Int32, to number: Number) {
        let outcome = withUnsafeBytes(of: number) { number in
            zmq_setsockopt(handle, option, number.baseAddress, number.count)
        }
        precondition(
            outcome == 0, "option \(option) cannot be \(number): error \(zmq_errno())")
    }

    func set(_ option: Int32, toBytes bytes: [UInt8]) {
        let outcome = zmq_setsockopt(handle, option, bytes, bytes.count)
        precondition(
            outcome == 0, "option \(option) cannot be \(bytes): error \(zmq_errno())")
    }
}

extension Duration {
    /// The milliseconds, rounded up so that a short time does not become none.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: seconds * 1000 + rest)
    }
}
