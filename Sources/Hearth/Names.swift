public import ClientCore
public import DataTree
public import QueryEngine

// The names of lower layers that a program meets, so that `import Hearth` is all it needs.

public typealias HearthError = ClientCore.HearthError
public typealias Value = DataTree.Value
public typealias ServerValue = DataTree.ServerValue

/// The kinds of events, with Firebase's names.
public typealias DataEventType = ViewEvent.Kind

/// Names one observer of a database, to remove it; 0 names none.
public typealias DatabaseHandle = UInt
