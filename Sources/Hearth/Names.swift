public import ClientCore
public import DataTree
public import QueryEngine

// The names of lower layers that a program meets, so that `import Hearth` is all it needs.

public typealias HearthError = ClientCore.HearthError
public typealias Value = DataTree.Value

/// The kinds of events, with Firebase's names.
public typealias DataEventType = ViewEvent.Kind
