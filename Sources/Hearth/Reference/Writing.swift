public import ClientCore
public import DataTree
internal import SyncProtocol

extension DatabaseReference {
    /// Is told that a write is done, or why not; the error says whether it may have happened.
    public typealias WriteCompletion = @Sendable (HearthError?, DatabaseReference) -> Void

    /// Replaces what is here; nil removes it.
    public func setValue(
        _ value: Value, withCompletionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        send(.put(path, value), completion)
    }

    /// Replaces what is here.
    public func setValue(
        _ value: some DataConvertible,
        withCompletionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        do throws(DataError) {
            send(.put(path, try value.dataValue()), completion)
        } catch {
            completion(HearthError(.invalid, error.problem, fix: error.fix), self)
        }
    }

    /// Replaces what is here and waits until a node has it, as safe as its durability mode says.
    public func setValue(_ value: Value) async throws(HearthError) {
        try await waiting { setValue(value, withCompletionBlock: $0) }
    }

    /// Replaces several places below, together; the keys are relative paths.
    public func updateChildValues(
        _ values: [String: Value],
        withCompletionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        var writes: [Write] = []
        do throws(DataError) {
            for (path, value) in values.sorted(by: { $0.key < $1.key }) {
                writes.append(Write(path: try Path(path), value: value))
            }
        } catch {
            return completion(HearthError(.invalid, error.problem, fix: error.fix), self)
        }
        send(.merge(path, writes), completion)
    }

    /// Replaces several places below, together, and waits until a node has it.
    public func updateChildValues(_ values: [String: Value]) async throws(HearthError) {
        try await waiting { updateChildValues(values, withCompletionBlock: $0) }
    }

    /// Removes what is here.
    public func removeValue(
        completionBlock completion: @escaping WriteCompletion = { _, _ in }
    ) {
        send(.put(path, .null), completion)
    }

    /// Removes what is here and waits until a node has done so.
    public func removeValue() async throws(HearthError) {
        try await waiting { removeValue(completionBlock: $0) }
    }

    private func send(_ work: Request.Work, _ completion: @escaping WriteCompletion) {
        switch database.connection {
        case .failure(let error): completion(error, self)
        case .success(let connection):
            connection.send(work) { result in
                switch result {
                case .success: completion(nil, self)
                case .failure(let error): completion(error, self)
                }
            }
        }
    }

    private func waiting(
        for start: (@escaping WriteCompletion) -> Void
    ) async throws(HearthError) {
        let error: HearthError? = await withCheckedContinuation { continuation in
            start { error, _ in continuation.resume(returning: error) }
        }
        if let error { throw error }
    }
}
