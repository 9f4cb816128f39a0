public import ClientCore
internal import DataTree

extension DatabaseReference {
    /// Is told how a transaction ended: an error, or whether it was committed, and what is here now.
    public typealias TransactionCompletion =
        @Sendable (HearthError?, Bool, DataSnapshot?) -> Void

    /// Puts in place of what is here what a function makes of it, unless somebody else changes it in
    /// between: then the function runs again, on the newer data, 25 times at most.
    ///
    /// One node, the coordinator, decides for the whole cluster, and most nodes hold what it has decided before
    /// the transaction ends: no two transactions, at whatever nodes, replace the same data, and no failure
    /// of a node undoes one. While fewer than half of the nodes are connected, the transaction waits, as
    /// Firebase's does without a connection. Other writes are not decided: a `setValue` at another node at the
    /// same moment may replace what a transaction wrote.
    ///
    /// - Parameters:
    ///   - block: Must have no effect but its result; it may run on nothing first, although there is
    ///     something, and on the callback queue.
    ///   - completion: Is told how it ended.
    ///   - withLocalEvents: Whether observers of this program see the outcome before it is decided.
    ///   - scope: `.local` has the node that is connected decide, even while it is cut off. If another node
    ///     decides another transaction meanwhile, the later one stays, and the other update is lost.
    public func runTransactionBlock(
        _ block: @escaping @Sendable (MutableData) -> TransactionResult,
        andCompletionBlock completion: @escaping TransactionCompletion = { _, _, _ in },
        withLocalEvents: Bool = true, scope: TransactionScope = .cluster
    ) {
        switch database.connection {
        case .failure(let error): completion(error, false, nil)
        case .success(let connection):
            connection.transact(at: path, withLocalEvents ? .shown : .hidden, scope: scope) {
                value in
                let result = block(MutableData(value, at: self))
                return result.data.map { .value($0) } ?? .abort
            } completion: { result in
                switch result {
                case .success(.committed(let value)):
                    completion(nil, true, DataSnapshot(value, at: self))
                case .success(.aborted(let value)), .success(.value(let value)):
                    completion(nil, false, DataSnapshot(value, at: self))
                case .success(.done): completion(nil, false, nil)
                case .failure(let error): completion(error, false, nil)
                }
            }
        }
    }

    /// Puts in place of what is here what a function makes of it, and waits.
    ///
    /// - Parameters:
    ///   - block: As above.
    ///   - scope: As above.
    /// - Returns: Whether it was committed, and what is here now.
    public nonisolated(nonsending) func runTransactionBlock(
        _ block: @escaping @Sendable (MutableData) -> TransactionResult,
        scope: TransactionScope = .cluster
    ) async throws(HearthError) -> (Bool, DataSnapshot) {
        let result: Result<(Bool, DataSnapshot), HearthError> =
            await withCheckedContinuation { waiting in
                runTransactionBlock(
                    block,
                    andCompletionBlock: { error, isCommitted, snapshot in
                        let snapshot = snapshot ?? DataSnapshot(.null, at: self)
                        waiting.resume(
                            returning: error.map { .failure($0) }
                                ?? .success((isCommitted, snapshot)))
                    }, scope: scope)
            }
        return try result.get()
    }
}
