public import ClientCore
internal import DataTree

extension DatabaseReference {
    /// Takes the outcome of a transaction: an error, or whether it was committed, and the present data.
    public typealias TransactionCompletion =
        @isolated(any) (HearthError?, Bool, DataSnapshot?) -> Void

    /// A read-modify-write: replaces the data here by the result of a function of them. If the data change in
    /// between, the function runs again on the newer data, 25 times at most.
    ///
    /// One node, the coordinator, decides for the whole cluster, and most nodes hold what it has decided before
    /// the transaction ends: no two transactions, at whatever nodes, replace the same data, and no failure
    /// of a node undoes one. While fewer than half of the nodes are connected, the transaction waits, as
    /// Firebase's does without a connection. Other writes are not decided: a `setValue` at another node at the
    /// same moment may replace what a transaction wrote.
    ///
    /// - Parameters:
    ///   - block: Must have no effect but its result; it may run on nothing first, although there is
    ///     something, and runs on a queue of the SDK.
    ///   - completion: Takes the outcome.
    ///   - withLocalEvents: Whether observers of this program see the outcome before it is decided.
    ///   - scope: `.local` has the node that is connected decide, even while it is cut off. If another node
    ///     decides another transaction meanwhile, the later one stays, and the other update is lost.
    public func runTransactionBlock(
        _ block: @escaping @Sendable (MutableData) -> TransactionResult,
        andCompletionBlock completion: @escaping TransactionCompletion = { _, _, _ in },
        withLocalEvents: Bool = true, scope: TransactionScope = .cluster
    ) {
        let completion = Carried(completion)
        transact(block, withLocalEvents: withLocalEvents, scope: scope) { [database] result in
            database.delivery.call {
                switch result {
                case .success((let isCommitted, let snapshot)):
                    await completion.block(nil, isCommitted, snapshot)
                case .failure(let error): await completion.block(error, false, nil)
                }
            }
        }
    }

    /// A read-modify-write, as above; waits for the outcome without a limit.
    ///
    /// When the task is cancelled it ends with the code `cancelled`, and the transaction may still happen.
    ///
    /// - Parameters:
    ///   - block: As above.
    ///   - scope: As above.
    /// - Returns: Whether it was committed, and what is here now.
    public nonisolated(nonsending) func runTransactionBlock(
        _ block: @escaping @Sendable (MutableData) -> TransactionResult,
        scope: TransactionScope = .cluster
    ) async throws(HearthError) -> (Bool, DataSnapshot) {
        try await Outcome<(Bool, DataSnapshot)>.of(.write("a transaction at \(path)")) { outcome in
            transact(block, withLocalEvents: true, scope: scope) { outcome.end($0) }
        }
    }

    private func transact(
        _ block: @escaping @Sendable (MutableData) -> TransactionResult, withLocalEvents: Bool,
        scope: TransactionScope,
        _ completion: @escaping @Sendable (Result<(Bool, DataSnapshot), HearthError>) -> Void
    ) {
        switch database.connection {
        case .failure(let error): completion(.failure(error))
        case .success(let connection):
            connection.transact(
                at: path, withLocalEvents ? .shown : .hidden, scope: scope
            ) { value in
                let result = block(MutableData(value, at: self))
                return result.data.map { .value($0) } ?? .abort
            } completion: { result in
                completion(result.map(self.outcome))
            }
        }
    }

    /// Whether a transaction was committed, and what is here now.
    private func outcome(of answer: Answer) -> (Bool, DataSnapshot) {
        switch answer {
        case .committed(let value): (true, DataSnapshot(value, at: self))
        case .aborted(let value), .value(let value): (false, DataSnapshot(value, at: self))
        case .done: (false, DataSnapshot(.null, at: self))
        }
    }
}
