public import DataTree
public import QueryEngine

/// Names one filtered listen at the server: 1, 2, 3, … in order.
public struct Tag: Hashable, Sendable {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }
}

/// What the server is asked to tell of.
public struct ServerListen: Equatable, Sendable {
    public let path: Path
    public let query: Query
    /// Names the listen in what the server tells; nil if it tells of everything at the path.
    public let tag: Tag?
    /// What the client knows already, so that the server may send only the difference.
    public let known: Value
}

/// What the listeners of one query at one location are told of one change.
public struct SyncEvents: Equatable, Sendable {
    public let path: Path
    public let query: Query
    /// To be told in this order, each event to all of them before the next.
    public let listens: [ListenID]
    public let events: [ViewEvent]
}

/// What a sync tree wants done, in this order.
public enum SyncOutput: Equatable, Sendable {
    /// Ask the server for this.
    case start(ServerListen)
    /// The server need not tell of this any more.
    case stop(ServerListen)
    case observed(SyncEvents)
}
