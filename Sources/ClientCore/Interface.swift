public import DataTree
public import QueryEngine

/// An input of a client. A turn begins, takes the inputs that have come up, and ends.
public enum Input: Sendable {
    /// Time since some start, on a clock that never steps, and the wall clock's time since 1970; at
    /// least every 50 ms or so.
    ///
    /// While the driver reads nothing, because the application is far behind, no node counts as silent
    /// and no request as unanswered.
    case turnBegan(
        elapsedMilliseconds: UInt64, wallMilliseconds: UInt64, isReading: Bool = true)
    /// Records that an earlier process of the application has left behind; before any other input.
    case restored([KeptWrite])
    /// The value that is kept under a key of a `recall`; nil if there is none.
    case recalled(key: String, frame: [UInt8]?)
    /// A request of the application.
    case asked(Request)
    /// The result of the application's function that `Output.transact` called for.
    case ran(RequestID, TransactionResult)
    /// The application listens to a query at a path; without kinds of events, only to keep its value up to date
    /// here.
    case listened(ListenID, Path, Query, ViewEvent.Kinds)
    /// The application ends a listen.
    case unlistened(ListenID)
    /// The application drops the connection until it wants one again.
    case wentOffline
    case wentOnline
    /// The application takes back all unanswered writes.
    case purged
    /// The application turns to another node.
    case leftNode
    /// A frame arrived over the connection that was requested last.
    case received([UInt8])
    /// The connection that was requested last has ended, or never came about.
    case connectionLost
    /// The last requested connection reached another node than the intended one, or was refused.
    case connectionRefused(HearthError)
    /// The node has redirected the client to one that does not answer. That may pass, as for a lost connection.
    case connectionMisled(HearthError)
    /// The turn ends: frames are sent now.
    case turnEnded
    /// The application ends; values are kept.
    case ending
}

/// An output of a client: what its driver must do, in this order.
public enum Output: Equatable, Sendable {
    /// Drop the connection, if there is one, and connect anew to this address.
    case connect(String)
    /// Drop the connection.
    case disconnect
    /// Keep these records, all or none, before the next frame is sent.
    case persist([Record])
    /// Look up the value under this key, and report `recalled`.
    case recall(key: String)
    /// Send a frame over the connection.
    case send([UInt8])
    case succeeded(RequestID, Answer)
    case failed(RequestID, HearthError)
    /// Run the application's function on this value, and report `ran`.
    case transact(RequestID, Value)
    /// The events of one change, together.
    case observed(ListenID, [ViewEvent])
    /// The node serves a listen to this query without an index, which it requires for reads. The
    /// program's developer should know.
    case unindexed(Path, Query)
    /// The listen is over: the node refuses it.
    case ended(ListenID, HearthError)
    /// The node at this address answers from now on.
    case connected(String)
    /// No node answers from now on.
    case disconnected
}

/// Names one request for the application; drawn by it, never twice.
public struct RequestID: Hashable, Comparable, Sendable {
    package let number: UInt64

    package init(number: UInt64) { self.number = number }

    /// Whether the first comes before the second.
    public static func < (a: RequestID, b: RequestID) -> Bool { a.number < b.number }
}

/// Names one listen for the application; drawn by it, below 2⁶³, never twice.
public struct ListenID: Hashable, Comparable, Sendable {
    package let number: UInt64

    package init(number: UInt64) { self.number = number }

    /// Whether the first comes before the second.
    public static func < (a: ListenID, b: ListenID) -> Bool { a.number < b.number }
}

/// The result of a transaction's function.
public enum TransactionResult: Equatable, Sendable {
    /// Replace the current value by this one.
    case value(Value)
    /// Leave the current value, and end the transaction.
    case abort
}

/// The answer to a request that succeeded.
public enum Answer: Equatable, Sendable {
    case done
    case value(Value)
    /// The transaction wrote this value.
    case committed(Value)
    /// The transaction's function aborted, and this is the value.
    case aborted(Value)
}
