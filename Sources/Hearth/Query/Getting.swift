public import ClientCore
internal import DataTree

extension DatabaseQuery {
    /// Takes what was read, or why it was not.
    public typealias ReadCompletion = @isolated(any) (HearthError?, DataSnapshot?) -> Void

    /// Reads what is here, once: from a node, unless a listen of this program knows it.
    ///
    /// It fails when no node answers within `Database.readTimeout`, and at once while the program is offline.
    public func getData(completion: @escaping ReadCompletion) {
        let carried = Carried(completion)
        read { [database] result in
            database.delivery.call {
                switch result {
                case .success(let snapshot): await carried.block(nil, snapshot)
                case .failure(let error): await carried.block(error, nil)
                }
            }
        }
    }

    /// Reads what is here, once: from a node, unless a listen of this program knows it.
    ///
    /// - Throws: `HearthError` with the code `unreachable` or `timedOut` if no node answers within
    ///   `Database.readTimeout`, `offline` at once while the program is offline, `cancelled` when the task
    ///   is; or the node's reason.
    public nonisolated(nonsending) func getData() async throws(HearthError) -> DataSnapshot {
        try await Outcome.of(.read("what is at \(path)")) { outcome in
            read { outcome.end($0) }
        }
    }

    private func read(_ completion: @escaping @Sendable (Result<DataSnapshot, HearthError>) -> Void)
    {
        switch connection {
        case .failure(let error): completion(.failure(error))
        case .success(let connection):
            let milliseconds = database.readTimeout.wholeMilliseconds
            connection.send(
                .get(path, query), patience: .limited(milliseconds: milliseconds)
            ) { completion($0.map(self.snapshot)) }
        }
    }

    private func snapshot(of answer: Answer) -> DataSnapshot {
        if case .value(let value) = answer {
            return DataSnapshot(value, at: ref, by: query.order)
        }
        return DataSnapshot(.null, at: ref, by: query.order)
    }
}
