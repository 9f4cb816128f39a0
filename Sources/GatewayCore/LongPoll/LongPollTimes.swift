/// How long what belongs to a session with long polls may take.
public struct LongPollTimes: Sendable {
    /// How long a poll is held, below the 25 s after which clients send another one.
    public var holdMilliseconds: UInt64 = 20_000
    /// The time within which a session must change to a WebSocket. If the last poll gets lost, only the node
    /// notices, because the client does not need its answer. The session then ends, and the client begins another
    /// one.
    public var switchMilliseconds: UInt64 = 20_000

    /// The times of a server.
    public init() {}
}
