public import DataTree
package import QueryEngine

/// Names one filtered listen at the server: 1, 2, 3, … in order.
public struct Tag: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) { self.number = number }
}

/// A listen that the server has to serve.
public struct ServerListen: Equatable, Sendable {
    package let path: Path
    package let query: Query
    /// Names the listen in the server's messages; nil for a listen to everything at the path.
    public let tag: Tag?
    /// The data that the client holds, so that the server sends only the difference.
    public let known: Value
}

/// The events of one change for the listeners of one query at one location.
public struct SyncEvents: Equatable, Sendable {
    package let path: Path
    package let query: Query
    /// In this order; each event goes to all listeners before the next one.
    public let listens: [ListenID]
    package let events: [ViewEvent]
}

/// An output of a sync tree: what its client must do, in this order.
public enum SyncOutput: Equatable, Sendable {
    /// Begin this listen at the server.
    case start(ServerListen)
    /// End this listen at the server.
    case stop(ServerListen)
    case observed(SyncEvents)
}
