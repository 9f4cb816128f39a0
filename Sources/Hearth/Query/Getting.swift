public import ClientCore
internal import DataTree

extension DatabaseQuery {
    /// Reads what is here, once: from a node, unless a listen of this program knows it.
    public func getData(
        completion: @escaping @Sendable (HearthError?, DataSnapshot?) -> Void
    ) {
        switch database.connection {
        case .failure(let error): completion(error, nil)
        case .success(let connection):
            connection.send(.get(path, query)) { result in
                switch result {
                case .success(let answer): completion(nil, self.snapshot(of: answer))
                case .failure(let error): completion(error, nil)
                }
            }
        }
    }

    /// Reads what is here, once.
    ///
    /// - Throws: `HearthError` if no node answers, or it refuses.
    public nonisolated(nonsending) func getData() async throws(HearthError) -> DataSnapshot {
        let result: Result<DataSnapshot, HearthError> = await withCheckedContinuation { waiting in
            getData { error, snapshot in
                waiting.resume(
                    returning: error.map { .failure($0) }
                        ?? .success(snapshot ?? self.snapshot(of: .done)))
            }
        }
        return try result.get()
    }

    private func snapshot(of answer: Answer) -> DataSnapshot {
        if case .value(let value) = answer {
            return DataSnapshot(value, at: ref, by: query.order)
        }
        return DataSnapshot(.null, at: ref, by: query.order)
    }
}
