/// How long what belongs to a session with long polls may take.
public struct LongPollTimes: Sendable {
    /// How long a poll is held, below the 25 s after which clients send another one.
    public var holdMilliseconds: UInt64 = 20_000
    /// How long a session may change to a WebSocket. A poll that got lost on its way is missed by nobody but the node, since
    /// the client has no use for the answer: after so long the session is over, and the client begins another one.
    public var switchMilliseconds: UInt64 = 20_000

    /// The times of a server.
    public init() {}
}
