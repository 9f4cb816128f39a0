public import SyncProtocol

/// An input of a gateway. A turn begins, processes its inputs, and ends.
public enum GatewayInput: Equatable, Sendable {
    case turnBegan(Moment)
    /// A program has connected to the HTTP port. The number of its connection is, from its first request on, the
    /// number of its session at the replica too.
    case opened(SessionID, from: RemoteAddress)
    /// Bytes that arrived, in order; any split.
    case received(SessionID, [UInt8])
    /// All bytes sent to a connection have left the process: there is room for the next part of a long answer.
    case writable(SessionID)
    /// The connection has ended, or the driver has cut it.
    case closed(SessionID)
    /// The replica's answers of one turn to a session of values, in order.
    case answered(SessionID, [SessionAnswer])
    /// The replica's answers of one turn to a session of frames.
    case replied(SessionID, frame: [UInt8])
    /// Whether the node serves, and if not, why.
    case became(Availability)
    case turnEnded
}

/// What a driver must do for a gateway, in order.
public enum GatewayOutput: Equatable, Sendable {
    /// Send bytes to a connection, after all earlier ones.
    case send(SessionID, [UInt8])
    /// Close a connection once everything sent to it has left, within some seconds.
    case close(SessionID)
    /// Open a session of values at the replica.
    case open(SessionID)
    /// Hand requests to the replica.
    case ask(SessionID, [ClientMessage])
    /// Hand a native client's frame to the replica, whose session of frames it opens.
    case request(SessionID, frame: [UInt8])
    /// End a session at the replica: its on-disconnect writes are due.
    case end(SessionID)
}

/// From where a connection comes, as far as rules depend on it.
public struct RemoteAddress: Equatable, Sendable {
    /// The address without the port, as text.
    public var host: String
    /// Whether it is this machine.
    public var isLoopback: Bool

    /// An address.
    public init(host: String, isLoopback: Bool) {
        self.host = host
        self.isLoopback = isLoopback
    }
}

/// Whether a node serves clients.
public enum Availability: Equatable, Sendable {
    case serving
    /// Requests are refused with this reason, such as `starting`, `catching up`, `disk full`, `evicted`, `stopping`.
    case unavailable(reason: String)
}
