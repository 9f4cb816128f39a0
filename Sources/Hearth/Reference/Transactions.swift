public import ClientCore
internal import DataTree
internal import Threads

extension DatabaseReference {
    /// Takes the outcome of a transaction: an error, or whether it was committed, and the present data.
    public typealias TransactionCompletion =
        @isolated(any) (HearthError?, Bool, DataSnapshot?) -> Void

    /// A read-modify-write: replaces the data here by the result of a function of them. If the data change in
    /// between, the function runs again on the newer data, 25 times at most.
    ///
    /// One node, the coordinator, decides for the whole cluster. The transaction ends once most
    /// nodes hold the decision. No two transactions, at any nodes, replace the same data, and no
    /// failure of a node undoes one. Without a majority of connected nodes, the transaction waits,
    /// as Firebase's does without a connection. Other writes are not decided: a concurrent
    /// `setValue` at another node may replace the result of a transaction.
    ///
    /// - Parameters:
    ///   - block: Must have no effect but its result. It runs on a queue of the SDK, and may first run on null although
    ///     there is a value. An invalid call of its data, such as a value that cannot be stored, fails the transaction
    ///     with the code `invalid`.
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
        switch connection {
        case .failure(let error): completion(.failure(error))
        case .success(let connection):
            let misuse = Monitor<HearthError?>(nil)
            connection.transact(
                at: path, withLocalEvents ? .shown : .hidden, scope: scope
            ) { value in
                let data = MutableData(value, at: self)
                let result = block(data)
                // A later run on newer data may be without the misuse of an earlier one.
                misuse.withLock { $0 = data.misuse }
                return data.misuse == nil ? result.data.map { .value($0) } ?? .abort : .abort
            } completion: { result in
                if let misuse = misuse.withLock({ $0 }) { return completion(.failure(misuse)) }
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
