public import DataTree
public import QueryEngine

/// What happens to a client. A turn begins, takes what has come up, and ends.
public enum Input: Sendable {
    /// Time since some start, on a clock that never steps, and the wall clock's time since 1970; at
    /// least every 50 ms or so.
    ///
    /// While the driver reads nothing, because the application is far behind, no node counts as silent
    /// and no request as unanswered.
    case turnBegan(
        elapsedMilliseconds: UInt64, wallMilliseconds: UInt64, isReading: Bool = true)
    /// What an earlier incarnation of the application has left behind; before anything else.
    case restored([KeptWrite])
    /// What is kept under a key that `recall` has named; nil if nothing is.
    case recalled(key: String, frame: [UInt8]?)
    /// The application wants something done.
    case asked(Request)
    /// The application's function, which `Output.transact` asked for, has decided.
    case ran(RequestID, TransactionResult)
    /// The application wants to be told of what a query at a path shows; of no kind of event if it
    /// only wants that to be known here at any time.
    case listened(ListenID, Path, Query, ViewEvent.Kinds)
    /// The application has heard enough.
    case unlistened(ListenID)
    /// The application wants no connection until it says otherwise.
    case wentOffline
    case wentOnline
    /// The application takes back all writes that no node has answered.
    case purged
    /// The application wants to go on at another node.
    case leftNode
    /// A frame came over the connection last asked for.
    case received([UInt8])
    /// The connection last asked for is gone, or never came about.
    case connectionLost
    /// Nothing more will come up in this turn: what is to be sent is sent now.
    case turnEnded
    /// The application ends; what is known is kept.
    case ending
}

/// What the driver of a client must do, in this order.
public enum Output: Equatable, Sendable {
    /// Drop the connection, if there is one, and connect anew to this address.
    case connect(String)
    /// Drop the connection.
    case disconnect
    /// Keep these, all or none, before the next frame is sent.
    case persist([Record])
    /// Look up what is kept under this key, and report `recalled`.
    case recall(key: String)
    /// Send a frame over the connection.
    case send([UInt8])
    case succeeded(RequestID, Answer)
    case failed(RequestID, HearthError)
    /// Run the application's function on this value, and report `ran`.
    case transact(RequestID, Value)
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

/// Names one listen for the application; drawn by it, below 2⁶³, never twice.
public struct ListenID: Hashable, Comparable, Sendable {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    public static func < (a: ListenID, b: ListenID) -> Bool { a.number < b.number }
}

/// What the function of a transaction makes of the current value.
public enum TransactionResult: Equatable, Sendable {
    /// Put this in its place.
    case value(Value)
    /// Leave it.
    case abort
}

/// What is answered when all is done that was asked.
public enum Answer: Equatable, Sendable {
    case done
    case value(Value)
    /// The transaction put this value in place.
    case committed(Value)
    /// The transaction's function left this value in place.
    case aborted(Value)
}
