/// The memory and connections that a gateway uses for its clients, for metrics.
package struct GatewayUsage: Equatable, Sendable {
    /// The connections that it knows, and those that `/metrics` shows.
    package let connections: Int
    package let countedConnections: Int
    /// Sessions whose clients poll.
    package let polledSessions: Int
    /// The bytes that wait in them.
    package let polledBytes: Int
    /// The names of sessions of Firebase's protocol.
    package let names: Int
    /// Sessions whose clients have changed from polls to a WebSocket.
    package let routes: Int
    /// The bytes of bodies that are not complete.
    package let bodyBytes: Int
    /// The bytes that WebSockets of Firebase's protocol keep: messages that wait, or are not complete.
    package let sessionBytes: Int
}
