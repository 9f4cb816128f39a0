public import DataTree
public import QueryEngine
public import SyncProtocol

/// What happens to a client. A turn begins, takes what has come up, and ends.
public enum Input: Sendable {
    /// Time since some start, on a clock that never steps; at least every 50 ms or so.
    case turnBegan(elapsedMilliseconds: UInt64)
    /// The application wants something done.
    case asked(Request)
    /// The application wants to be told of what is at and below a path.
    case listened(ListenID, Path, ViewEvent.Kinds)
    /// The application has heard enough.
    case unlistened(ListenID)
    /// A frame came over the connection last asked for.
    case received([UInt8])
    /// The connection last asked for is gone, or never came about.
    case connectionLost
    /// Nothing more will come up in this turn: what is to be sent is sent now.
    case turnEnded
}

/// What the driver of a client must do, in this order.
public enum Output: Equatable, Sendable {
    /// Drop the connection, if there is one, and connect anew to this address.
    case connect(String)
    /// Send a frame over the connection.
    case send([UInt8])
    case succeeded(RequestID, Answer)
    case failed(RequestID, HearthError)
    /// The events of one change, together.
    case observed(ListenID, [ViewEvent])
    /// The listen is over: the node refuses it.
    case ended(ListenID, HearthError)
    /// The node at this address answers from now on.
    case connected(String)
    /// No node answers from now on.
    case disconnected
}

/// Names one request for the application; drawn by it, never twice.
public struct RequestID: Hashable, Comparable, Sendable {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    public static func < (a: RequestID, b: RequestID) -> Bool { a.number < b.number }
}

/// Names one listen for the application; drawn by it, never twice.
public struct ListenID: Hashable, Comparable, Sendable {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    public static func < (a: ListenID, b: ListenID) -> Bool { a.number < b.number }
}

/// Something that a node is to do once.
public struct Request: Sendable {
    public enum Work: Equatable, Sendable {
        case get(Path)
        /// Replaces what is at the path. A push is a put at a key that the application has made, so
        /// that sending it twice appends once.
        case put(Path, Value)
        /// One atomic update; the paths of the writes are relative.
        case merge(Path, [Write])
        /// What the node tells of itself.
        case status
    }

    /// How long an answer is waited for.
    public enum Patience: Equatable, Sendable {
        /// Until it comes, through any number of connections.
        case endless
        case limited(milliseconds: UInt64)
        /// So long, but only until every node has been tried once in vain.
        case brief(milliseconds: UInt64)

        var milliseconds: UInt64? {
            switch self {
            case .endless: nil
            case .limited(let milliseconds), .brief(let milliseconds): milliseconds
            }
        }
    }

    public let id: RequestID
    public let work: Work
    public let patience: Patience

    public init(_ id: RequestID, _ work: Work, patience: Patience = .endless) {
        self.id = id
        self.work = work
        self.patience = patience
    }
}

/// What a node answers when it has done what it was asked.
public enum Answer: Equatable, Sendable {
    case done
    case value(Value)
}

extension Request.Work {
    /// Whether doing it twice has the effect of doing it once.
    ///
    /// - Complexity: O(size).
    var isIdempotent: Bool {
        switch self {
        case .get, .status: true
        case .put(_, let value): !value.containsIncrement
        case .merge(_, let writes): !writes.contains { $0.value.containsIncrement }
        }
    }

    var isWrite: Bool {
        switch self {
        case .get, .status: false
        case .put, .merge: true
        }
    }

    func message(id: UInt64) -> ClientMessage {
        switch self {
        case .get(let path): .get(id: id, path: path)
        case .put(let path, let value): .put(id: id, path: path, value: value)
        case .merge(let path, let writes): .merge(id: id, path: path, writes: writes)
        case .status: .status(id: id)
        }
    }
}

extension Value {
    fileprivate var containsIncrement: Bool {
        containsDeferred && resolvingTimestamps(at: 0).containsDeferred
    }
}
