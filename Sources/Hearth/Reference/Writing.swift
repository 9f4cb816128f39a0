public import ClientCore
public import DataTree
public import SyncProtocol

extension DatabaseReference {
    /// Is told that a write is done, or why not; the error says whether it may have happened.
    public typealias WriteCompletion = @Sendable (HearthError?, DatabaseReference) -> Void

    /// Replaces what is here; null removes it.
    public func setValue(
        _ value: Value, withCompletionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        send(.put(path, value), completion)
    }

    /// Replaces what is here by booleans, numbers, strings, and dictionaries and arrays of them; nil
    /// removes it.
    ///
    /// - Complexity: O(size).
    public func setValue(
        _ value: Any?, withCompletionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        setValue(value, andPriority: nil, withCompletionBlock: completion)
    }

    /// Replaces what is here, and its priority: a number, a string, or nil for none.
    public func setValue(
        _ value: Any?, andPriority priority: Any?,
        withCompletionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        send(completion) { () throws(DataError) in
            .put(path, try Value(plain: value, priority: priority))
        }
    }

    /// Replaces the priority of what is here: a number, a string, or nil for none.
    public func setPriority(
        _ priority: Any?, withCompletionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        send(completion) { () throws(DataError) in
            let priority = try ObjectBuilder.checked(priority: try Value(plain: priority))
            return .put(path.appending(.priority), priority)
        }
    }

    /// Replaces several places below, together; the keys are relative paths, nil removes.
    public func updateChildValues(
        _ values: [AnyHashable: Any],
        withCompletionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        send(completion) { () throws(DataError) in .merge(path, try Write.all(values)) }
    }

    /// Replaces several places below, together; the keys are relative paths, null removes.
    public func updateChildValues(
        _ values: [String: Value],
        withCompletionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        updateChildValues(values as [AnyHashable: Any], withCompletionBlock: completion)
    }

    /// Removes what is here.
    public func removeValue(
        completionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        send(.put(path, .null), completion)
    }
}

// MARK: - Durability

extension DatabaseReference {
    /// The same place, where writes are done once they are durable on so many nodes.
    ///
    ///     try await accounts.withWriteConcern(.majority).child("anna").setValue(100)
    ///
    /// What is not reached within three seconds fails with the code `notMet`: the write is done
    /// nevertheless, and durable on fewer nodes. Goes for places that are reached from this one, and not
    /// for transactions.
    public func withWriteConcern(_ concern: WriteConcern) -> DatabaseReference {
        DatabaseReference(database, path, concern)
    }
}

// MARK: - Waiting forms

extension DatabaseReference {
    /// Replaces what is here and waits until a node has it, as safe as its durability mode says.
    public nonisolated(nonsending) func setValue(_ value: Value) async throws(HearthError) {
        try await waiting { setValue(value, withCompletionBlock: $0) }
    }

    /// Replaces what is here and waits until a node has it.
    public nonisolated(nonsending) func setValue(_ value: Any?) async throws(HearthError) {
        try await waiting { setValue(value, withCompletionBlock: $0) }
    }

    /// Replaces what is here, and its priority, and waits until a node has it.
    public nonisolated(nonsending) func setValue(
        _ value: Any?, andPriority priority: Any?
    ) async throws(HearthError) {
        try await waiting { setValue(value, andPriority: priority, withCompletionBlock: $0) }
    }

    /// Replaces the priority of what is here and waits until a node has it.
    public nonisolated(nonsending) func setPriority(_ priority: Any?) async throws(HearthError) {
        try await waiting { setPriority(priority, withCompletionBlock: $0) }
    }

    /// Replaces several places below, together, and waits until a node has it.
    public nonisolated(nonsending) func updateChildValues(
        _ values: [AnyHashable: Any]
    ) async throws(HearthError) {
        try await waiting { updateChildValues(values, withCompletionBlock: $0) }
    }

    /// Replaces several places below, together, and waits until a node has it.
    public nonisolated(nonsending) func updateChildValues(
        _ values: [String: Value]
    ) async throws(HearthError) {
        try await waiting { updateChildValues(values, withCompletionBlock: $0) }
    }

    /// Removes what is here and waits until a node has done so.
    public nonisolated(nonsending) func removeValue() async throws(HearthError) {
        try await waiting { removeValue(completionBlock: $0) }
    }

    nonisolated(nonsending) func waiting(
        for start: (@escaping WriteCompletion) -> Void
    ) async throws(HearthError) {
        let error: HearthError? = await withCheckedContinuation { continuation in
            start { error, _ in continuation.resume(returning: error) }
        }
        if let error { throw error }
    }
}

// MARK: - Sending

extension DatabaseReference {
    func send(_ work: Request.Work, _ completion: @escaping WriteCompletion) {
        switch database.connection {
        case .failure(let error): completion(error, self)
        case .success(let connection):
            connection.send(work, concern: concern ?? database.writeConcern) { result in
                switch result {
                case .success: completion(nil, self)
                case .failure(let error): completion(error, self)
                }
            }
        }
    }

    /// Sends what is made of the caller's data, unless that is wrong.
    func send(
        _ completion: @escaping WriteCompletion, _ work: () throws(DataError) -> Request.Work
    ) {
        do throws(DataError) {
            send(try work(), completion)
        } catch {
            completion(HearthError(.invalid, error.problem, fix: error.fix), self)
        }
    }
}

extension Write {
    /// The writes of one update, in the order of their paths.
    static func all(_ values: [AnyHashable: Any]) throws(DataError) -> [Write] {
        var writes: [Write] = []
        for (name, value) in values {
            guard let name = name.base as? String else {
                throw DataError(problem: "the key \(name) is no string", fix: "use paths as keys")
            }
            writes.append(Write(path: try Path(name), value: try Value(plain: value)))
        }
        return writes.sorted { $0.path < $1.path }
    }
}
