import DataTree
import QueryEngine
import SyncProtocol

// Transactions. Source: `firebase-semantics.md`, section 8.

extension Client {
    mutating func begin(
        _ request: Request, _ visibility: WriteVisibility, _ scope: Request.TransactionScope
    ) {
        let transaction = transactions.append(request, visibility, scope, at: now)
        apply(tree.listen(transaction.listen, at: transaction.path, to: Query()))
        runTransactions()
    }

    /// Runs the functions of all transactions that are ready.
    private mutating func runTransactions() {
        while let transaction = transactions.next {
            guard transaction.tries < configuration.transactionTries else {
                fail(transaction.id, .triedTooOften(transaction.tries, at: transaction.path))
                continue
            }
            let value = tree.value(at: transaction.path) ?? .null
            transactions.change(transaction.id) {
                $0.tries += 1
                $0.state = .running(on: value)
            }
            outputs.append(.transact(transaction.id, value))
        }
    }

    /// Takes the result of the application's function.
    mutating func receive(_ result: TransactionResult, of id: RequestID) {
        guard let transaction = transactions[id], case .running(let value) = transaction.state
        else { return }
        if transaction.isOverwritten { return fail(id, .overwritten(at: transaction.path)) }
        guard case .value(let new) = result else {
            end(id) { .succeeded(id, .aborted(value)) }
            return
        }
        do throws(DataError) {
            try Write(path: transaction.path, value: new).validate()
        } catch {
            return fail(id, HearthError(.invalid, error.problem, fix: error.fix))
        }
        let (write, told) = tree.set(
            new, at: transaction.path, transaction.visibility, milliseconds: nodeMilliseconds)
        transactions.change(id) {
            $0.state = .decided(on: value, new: new, write: write)
        }
        requests.append(transaction.request, write, at: transaction.askedMilliseconds)
        apply(told)
        runTransactions()
    }

    /// The put that carries a transaction; nil if the function has to run again, because its input has changed. A
    /// transaction that may have been done is repeated unchanged, under its name.
    mutating func send(
        _ pending: Requests.Pending, as wireID: UInt64
    ) -> ClientMessage? {
        let id = pending.request.id
        guard let transaction = transactions[id],
            case .decided(let value, let new, let write) = transaction.state
        else {
            _ = requests.finish(wireID)
            return nil
        }
        if !pending.mayBeDone,
            tree.value(at: transaction.path, before: write) ?? .null != value
        {
            _ = requests.finish(wireID)
            runAgain(transaction, write)
            return nil
        }
        transactions.change(id) { $0.isSent = true }
        return .put(
            id: wireID, path: transaction.path, value: new,
            condition: Condition(
                DataHash(of: value), isLocal: transaction.scope == .local,
                patienceMilliseconds: patience(of: pending)), stamp: pending.stamp)
    }

    /// How long the node may wait for the coordinator: its answer, with the reason, has to arrive before this client
    /// gives up.
    private func patience(of pending: Requests.Pending) -> UInt64? {
        guard pending.deadline < .max else { return nil }
        let left = pending.deadline - min(pending.deadline, now)
        return left - min(left / 4, 500)
    }

    private mutating func runAgain(_ transaction: Transaction, _ write: WriteID) {
        transactions.change(transaction.id) {
            $0.state = .waiting
            $0.isSent = false
            $0.isDoomed = false
        }
        apply(tree.revert(write))
        runTransactions()
    }
}

// MARK: - How it ends

extension Client {
    /// The node has done the transaction.
    mutating func commit(_ id: RequestID) {
        guard let transaction = transactions[id] else { return }
        let value = tree.value(at: transaction.path) ?? .null
        end(id) { .succeeded(id, .committed(value)) }
    }

    /// The node has other data than the function ran on, and has sent them before this answer.
    mutating func takeBack(_ id: RequestID) {
        guard let transaction = transactions[id], let write = transaction.write else { return }
        if transaction.isOverwritten { return fail(id, .overwritten(at: transaction.path)) }
        if !transaction.isDoomed { transactions.doom(besides: id, at: transaction.path) }
        runAgain(transaction, write)
    }

    mutating func fail(_ id: RequestID, _ error: HearthError) {
        end(id) { .failed(id, error) }
    }

    /// Ends a transaction; its effect at listeners is taken back before the application gets the outcome.
    private mutating func end(_ id: RequestID, _ output: () -> Output) {
        guard let transaction = transactions.remove(id) else { return }
        if let write = transaction.write { apply(tree.revert(write)) }
        apply(tree.unlisten(transaction.listen))
        outputs.append(output())
        runTransactions()
    }

    /// Fails the transactions whose places the application overwrites. For transactions that a node may have received,
    /// the answer decides.
    mutating func overwriteTransactions(at paths: [Path]) {
        for transaction in transactions.all where paths.contains(where: transaction.overlaps) {
            if transaction.isRunning || transaction.isSent {
                transactions.change(transaction.id) { $0.isOverwritten = true }
            } else {
                requests.remove(transaction.id)
                fail(transaction.id, .overwritten(at: transaction.path))
            }
        }
    }
}
