public import ClientCore
public import DataTree
public import QueryEngine
public import SyncProtocol

// The names of lower layers that a program meets, so that `import Hearth` is all it needs.

/// Why something was not done, or is not known to be done.
public typealias HearthError = ClientCore.HearthError
/// What a location holds: null, a primitive, or an object; literals make one.
public typealias Value = DataTree.Value
/// What the node fills in: `ServerValue.timestamp()` and `ServerValue.increment(1)`.
public typealias ServerValue = DataTree.ServerValue

/// On how many nodes a write has to be durable before it counts as done.
public typealias WriteConcern = SyncProtocol.WriteConcern

/// Who decides a transaction: the cluster's coordinator, or the node that is connected.
public typealias TransactionScope = Request.TransactionScope

/// The kinds of events, with Firebase's names.
public typealias DataEventType = ViewEvent.Kind

/// Names one observer of a database, to remove it; 0 names none.
public typealias DatabaseHandle = UInt
