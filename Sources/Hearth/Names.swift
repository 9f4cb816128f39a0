@_exported public import ClientConnection
public import ClientCore
public import DataTree
public import QueryEngine
public import SyncProtocol

// The names of lower layers that programs use, so that they import `Hearth` alone.

/// Why a call failed, and whether it may have had an effect.
public typealias HearthError = ClientCore.HearthError
/// The value of a location: null, a primitive, or an object; literals make one.
public typealias Value = DataTree.Value
/// A placeholder that the node resolves: `ServerValue.timestamp()` or `ServerValue.increment(1)`.
public typealias ServerValue = DataTree.ServerValue

/// On how many nodes a write has to be durable before it counts as done.
public typealias WriteConcern = SyncProtocol.WriteConcern

/// The node that decides a transaction: the cluster's coordinator, or the connected node.
public typealias TransactionScope = Request.TransactionScope

/// The kinds of events, with Firebase's names.
public typealias DataEventType = ViewEvent.Kind

/// Names one observer of a database, to remove it; 0 names none.
public typealias DatabaseHandle = UInt
