/// The phase of a connection.
public enum ConnectionPhase: Equatable, Sendable {
    /// The handshake of TLS.
    case handshake
    /// The first byte of the next request.
    case idle
    /// The rest of a head.
    case head
    /// The rest of a body.
    ///
    /// - Parameter bytes: The bytes that the client has announced so far.
    case body(bytes: Int)
    /// The answer, which is up to the server.
    case answer
    /// The end, as no further request is read.
    case close
}

/// How long a connection may stay in a phase.
///
/// The driver counts from the first moment of a phase, so a byte from time to time prolongs
/// nothing. Only announced chunks of a body of unknown length prolong its deadline.
public struct DeadlinePolicy: Equatable, Sendable {
    /// The time for a handshake of TLS.
    public var handshakeMilliseconds: UInt64 = 10_000
    /// The time between two requests.
    public var idleMilliseconds: UInt64 = 60_000
    /// The time for a head, from its first byte.
    public var headMilliseconds: UInt64 = 10_000
    /// The time for a body, beside what its length adds.
    public var bodyMilliseconds: UInt64 = 10_000
    /// The rate at which a body has to come, at least.
    public var bodyBytesPerSecond: UInt64 = 16 << 10
    /// The time for the rest of an answer to leave, once the connection is to close.
    public var closeMilliseconds: UInt64 = 10_000

    /// Makes the policy of a node.
    public init() {}

    /// The time by which a phase has to be over; nil if it may last.
    public func deadlineMilliseconds(
        of phase: ConnectionPhase, since startMilliseconds: UInt64
    ) -> UInt64? {
        let allowed: UInt64? =
            switch phase {
            case .handshake: handshakeMilliseconds
            case .idle: idleMilliseconds
            case .head: headMilliseconds
            case .body(let bytes):
                bodyMilliseconds + UInt64(bytes) * 1000 / bodyBytesPerSecond
            case .answer: nil
            case .close: closeMilliseconds
            }
        return allowed.map { startMilliseconds + $0 }
    }
}
