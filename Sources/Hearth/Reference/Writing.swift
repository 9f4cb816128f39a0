public import ClientCore
public import DataTree
public import SyncProtocol

// Each write has three forms. The plain one returns at once, and only its failure is reported, on standard
// error. At the top level of `main.swift` the compiler picks that form even behind `try
// await`, and warns of it: call the waiting form in a function.

extension DatabaseReference {
    /// Takes the outcome of a write: nil if it is done, or an error, which says whether it may have happened.
    public typealias WriteCompletion = @isolated(any) (HearthError?, DatabaseReference) -> Void

    /// Replaces what is here; null removes it.
    public func setValue(_ value: Value) { send(.put(path, value)) }

    /// Replaces what is here; null removes it.
    public func setValue(
        _ value: Value, withCompletionBlock completion: @escaping WriteCompletion
    ) {
        send(.put(path, value), completion)
    }

    /// Replaces what is here by booleans, numbers, strings, and dictionaries and arrays of them; nil
    /// removes it.
    ///
    /// - Complexity: O(size).
    public func setValue(_ value: Any?) {
        send { () throws(DataError) in .put(path, try Value(plain: value)) }
    }

    /// Replaces what is here by booleans, numbers, strings, and dictionaries and arrays of them; nil
    /// removes it.
    ///
    /// - Complexity: O(size).
    public func setValue(
        _ value: Any?, withCompletionBlock completion: @escaping WriteCompletion
    ) {
        send(completion) { () throws(DataError) in .put(path, try Value(plain: value)) }
    }

    /// Replaces what is here, and its priority: a number, a string, or nil for none.
    ///
    /// Disfavored, or a completion block behind `setValue(_:)` would be taken for a priority.
    @_disfavoredOverload
    public func setValue(_ value: Any?, andPriority priority: Any?) {
        send { () throws(DataError) in .put(path, try Value(plain: value, priority: priority)) }
    }

    /// Replaces what is here, and its priority: a number, a string, or nil for none.
    public func setValue(
        _ value: Any?, andPriority priority: Any?,
        withCompletionBlock completion: @escaping WriteCompletion
    ) {
        send(completion) { () throws(DataError) in
            .put(path, try Value(plain: value, priority: priority))
        }
    }

    /// Replaces the priority of what is here: a number, a string, or nil for none.
    public func setPriority(_ priority: Any?) {
        send { () throws(DataError) in try work(settingPriority: priority) }
    }

    /// Replaces the priority of what is here: a number, a string, or nil for none.
    public func setPriority(
        _ priority: Any?, withCompletionBlock completion: @escaping WriteCompletion
    ) {
        send(completion) { () throws(DataError) in try work(settingPriority: priority) }
    }

    /// Replaces several places below, together; the keys are relative paths, nil removes.
    public func updateChildValues(_ values: [AnyHashable: Any]) {
        send { () throws(DataError) in .merge(path, try Write.all(values)) }
    }

    /// Replaces several places below, together; the keys are relative paths, nil removes.
    public func updateChildValues(
        _ values: [AnyHashable: Any], withCompletionBlock completion: @escaping WriteCompletion
    ) {
        send(completion) { () throws(DataError) in .merge(path, try Write.all(values)) }
    }

    /// Replaces several places below, together; the keys are relative paths, null removes.
    public func updateChildValues(_ values: [String: Value]) {
        updateChildValues(values as [AnyHashable: Any])
    }

    /// Replaces several places below, together; the keys are relative paths, null removes.
    public func updateChildValues(
        _ values: [String: Value], withCompletionBlock completion: @escaping WriteCompletion
    ) {
        updateChildValues(values as [AnyHashable: Any], withCompletionBlock: completion)
    }

    /// Removes what is here.
    public func removeValue() { send(.put(path, .null)) }

    /// Removes what is here.
    public func removeValue(completionBlock completion: @escaping WriteCompletion) {
        send(.put(path, .null), completion)
    }

    func work(settingPriority priority: Any?) throws(DataError) -> Request.Work {
        let priority = try ObjectBuilder.checked(priority: try Value(plain: priority))
        return .put(path.appending(.priority), priority)
    }
}

// MARK: - Durability

extension DatabaseReference {
    /// The same place, where writes are done once they are durable on so many nodes.
    ///
    ///     try await accounts.withWriteConcern(.majority).child("anna").setValue(100)
    ///
    /// A concern that is not reached within three seconds fails with the code `notMet`: the write is done all the
    /// same, and durable on fewer nodes. Holds for places reached from this one, and not for transactions.
    public func withWriteConcern(_ concern: WriteConcern) -> DatabaseReference {
        DatabaseReference(database, path, concern, misuse: misuse)
    }
}
