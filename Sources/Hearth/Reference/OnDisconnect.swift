public import ClientCore
internal import DataTree
internal import SyncProtocol

/// Writes that the node does by itself once this program's connection has ended, for whatever reason: presence,
/// for example, or a typing indicator.
///
/// They are done once. After a reconnection, register them anew: observe `.info/connected`. A node that
/// is killed forgets them.
extension DatabaseReference {
    /// Has the value here replaced when the connection is gone; nil removes it then.
    public func onDisconnectSetValue(_ value: Any?) {
        send { () throws(DataError) in .onDisconnectPut(path, try Value(plain: value)) }
    }

    /// Has the value here replaced when the connection is gone; nil removes it then.
    public func onDisconnectSetValue(
        _ value: Any?, withCompletionBlock completion: @escaping WriteCompletion
    ) {
        send(completion) { () throws(DataError) in .onDisconnectPut(path, try Value(plain: value)) }
    }

    /// Has the value and its priority replaced when the connection is gone.
    ///
    /// Disfavored, or a completion block behind `onDisconnectSetValue(_:)` would be taken for a priority.
    @_disfavoredOverload
    public func onDisconnectSetValue(_ value: Any?, andPriority priority: Any?) {
        send { () throws(DataError) in
            .onDisconnectPut(path, try Value(plain: value, priority: priority))
        }
    }

    /// Has the value and its priority replaced when the connection is gone.
    public func onDisconnectSetValue(
        _ value: Any?, andPriority priority: Any?,
        withCompletionBlock completion: @escaping WriteCompletion
    ) {
        send(completion) { () throws(DataError) in
            .onDisconnectPut(path, try Value(plain: value, priority: priority))
        }
    }

    /// Has what is here removed when the connection is gone.
    public func onDisconnectRemoveValue() { send(.onDisconnectPut(path, .null)) }

    /// Has what is here removed when the connection is gone.
    public func onDisconnectRemoveValue(
        withCompletionBlock completion: @escaping WriteCompletion
    ) {
        send(.onDisconnectPut(path, .null), completion)
    }

    /// Has several places below replaced when the connection is gone; the keys are relative paths.
    public func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any]) {
        send { () throws(DataError) in .onDisconnectMerge(path, try Write.all(values)) }
    }

    /// Has several places below replaced when the connection is gone; the keys are relative paths.
    public func onDisconnectUpdateChildValues(
        _ values: [AnyHashable: Any], withCompletionBlock completion: @escaping WriteCompletion
    ) {
        send(completion) { () throws(DataError) in .onDisconnectMerge(path, try Write.all(values)) }
    }

    /// Takes back what was to happen here and below when the connection is gone.
    public func cancelDisconnectOperations() { send(.onDisconnectCancel(path)) }

    /// Takes back what was to happen here and below when the connection is gone.
    public func cancelDisconnectOperations(
        withCompletionBlock completion: @escaping WriteCompletion
    ) {
        send(.onDisconnectCancel(path), completion)
    }
}

// MARK: - Waiting forms

extension DatabaseReference {
    /// Has the value here replaced when the connection is gone, and waits until the node knows, however long
    /// that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is.
    @discardableResult
    public nonisolated(nonsending) func onDisconnectSetValue(
        _ value: Any?
    ) async throws(HearthError) -> DatabaseReference {
        try await waiting { () throws(DataError) in .onDisconnectPut(path, try Value(plain: value))
        }
    }

    /// Has the value and its priority replaced when the connection is gone, and waits until the node knows,
    /// however long that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is.
    @discardableResult
    public nonisolated(nonsending) func onDisconnectSetValue(
        _ value: Any?, andPriority priority: Any?
    ) async throws(HearthError) -> DatabaseReference {
        try await waiting { () throws(DataError) in
            .onDisconnectPut(path, try Value(plain: value, priority: priority))
        }
    }

    /// Has what is here removed when the connection is gone, and waits until the node knows, however long that
    /// takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is.
    @discardableResult
    public nonisolated(nonsending) func onDisconnectRemoveValue() async throws(HearthError)
        -> DatabaseReference
    {
        try await waiting { () throws(DataError) in .onDisconnectPut(path, .null) }
    }

    /// Has several places below replaced when the connection is gone, and waits until the node knows, however
    /// long that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is.
    @discardableResult
    public nonisolated(nonsending) func onDisconnectUpdateChildValues(
        _ values: [AnyHashable: Any]
    ) async throws(HearthError) -> DatabaseReference {
        try await waiting { () throws(DataError) in
            .onDisconnectMerge(path, try Write.all(values))
        }
    }

    /// Takes back what was to happen here and below, and waits until the node knows, however long that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is.
    @discardableResult
    public nonisolated(nonsending) func cancelDisconnectOperations() async throws(HearthError)
        -> DatabaseReference
    {
        try await waiting { () throws(DataError) in .onDisconnectCancel(path) }
    }
}
