public import ClientCore
public import DataTree
internal import SyncProtocol

// The waiting forms return once a node has the write, as durable as its mode promises, or throw once it has refused
// the write. While no node answers, they wait without a limit. When the task is cancelled they throw at once, with the
// code `cancelled` and the effect `unknown`: the write stays on its way.

extension DatabaseReference {
    /// Replaces what is here and waits until a node has it, however long that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is; the write may still happen
    ///   then.
    @discardableResult
    public nonisolated(nonsending) func setValue(
        _ value: Value
    ) async throws(HearthError) -> DatabaseReference {
        try await waiting { () throws(DataError) in .put(path, value) }
    }

    /// Replaces what is here and waits until a node has it, however long that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is; the write may still happen
    ///   then.
    @discardableResult
    public nonisolated(nonsending) func setValue(
        _ value: Any?
    ) async throws(HearthError) -> DatabaseReference {
        try await waiting { () throws(DataError) in .put(path, try Value(plain: value)) }
    }

    /// Replaces what is here, and its priority, and waits until a node has it, however long that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is; the write may still happen
    ///   then.
    @discardableResult
    public nonisolated(nonsending) func setValue(
        _ value: Any?, andPriority priority: Any?
    ) async throws(HearthError) -> DatabaseReference {
        try await waiting { () throws(DataError) in
            .put(path, try Value(plain: value, priority: priority))
        }
    }

    /// Replaces the priority of what is here and waits until a node has it, however long that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is; the write may still happen
    ///   then.
    @discardableResult
    public nonisolated(nonsending) func setPriority(
        _ priority: Any?
    ) async throws(HearthError) -> DatabaseReference {
        try await waiting { () throws(DataError) in try work(settingPriority: priority) }
    }

    /// Replaces several places below, together, and waits until a node has it, however long that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is; the write may still happen
    ///   then.
    @discardableResult
    public nonisolated(nonsending) func updateChildValues(
        _ values: [AnyHashable: Any]
    ) async throws(HearthError) -> DatabaseReference {
        try await waiting { () throws(DataError) in .merge(path, try Write.all(values)) }
    }

    /// Replaces several places below, together, and waits until a node has it, however long that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is; the write may still happen
    ///   then.
    @discardableResult
    public nonisolated(nonsending) func updateChildValues(
        _ values: [String: Value]
    ) async throws(HearthError) -> DatabaseReference {
        try await updateChildValues(values as [AnyHashable: Any])
    }

    /// Removes what is here and waits until a node has done so, however long that takes.
    ///
    /// - Throws: `HearthError`: the node's reason, or `cancelled` when the task is; the write may still happen
    ///   then.
    @discardableResult
    public nonisolated(nonsending) func removeValue() async throws(HearthError)
        -> DatabaseReference
    {
        try await waiting { () throws(DataError) in .put(path, .null) }
    }
}
