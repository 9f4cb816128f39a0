import ClientCore
import DataTree
import QueryEngine

/// A transaction of a Firebase client, which one node decides by the hash of what it was run on.
struct FirebaseTransaction {
    /// Firebase's clients give up after so many.
    static let triesLimit = 25

    /// Its number in the history.
    let record: Int
    let path: Path
    let listen: ListenID
    private(set) var old = Value.null
    private(set) var new = Value.null
    private(set) var tries = 0
    /// Its effect here.
    var write: WriteID?
    /// Whether its node may have it.
    var isSent = false
    var outcome = ClientOperation.Outcome.open

    init(record: Int, path: Path, listen: ListenID) {
        (self.record, self.path, self.listen) = (record, path, listen)
    }

    /// Runs its function: one more than a number, or a value that no other one makes.
    mutating func run(on value: Value, as name: String) {
        tries += 1
        old = value
        guard path == ApplicationProgram.count else {
            new = .string(name)
            return
        }
        if case .integer(let number) = value.content {
            new = .integer(number + 1)
        } else {
            new = .integer(1)
        }
    }
}

// MARK: - Transactions

extension FirebaseClient {
    var isTransacting: Bool { transaction != nil }

    /// Begins a transaction, which is recorded as this one of the history.
    mutating func transact(at path: Path, recordedAs record: Int) {
        lastListen += 1
        let listen = ListenID(number: lastListen)
        transaction = FirebaseTransaction(record: record, path: path, listen: listen)
        apply(tree.listen(listen, at: path, to: Query()))
        runTransaction()
    }

    /// Runs the function on what is here, null if that is nothing, as Firebase's clients do.
    mutating func runTransaction() {
        guard var transaction else { return }
        if let write = transaction.write { apply(tree.revert(write)) }
        let old = tree.value(at: transaction.path) ?? .null
        let name = "c\(index + 1)-\(lastNumber)-\(transaction.tries)"
        transaction.run(on: old, as: name)
        let (write, outputs) = tree.set(transaction.new, at: transaction.path)
        transaction.write = write
        transaction.isSent = isReady
        self.transaction = transaction
        apply(outputs)
        guard isReady else { return }
        request(
            .transaction, "p",
            FirebaseText.put(transaction.path, transaction.new, if: DataHash(of: old)))
    }

    mutating func decideTransaction(_ status: String) {
        guard let transaction else { return }
        switch status {
        case "ok": endTransaction(.acknowledged)
        case "datastale" where transaction.tries < FirebaseTransaction.triesLimit: runTransaction()
        // Firebase's clients take any other status as a sign that it was not done.
        default: endTransaction(.failed)
        }
    }

    mutating func endTransaction(_ outcome: ClientOperation.Outcome) {
        guard var transaction = transaction.take() else { return }
        if let write = transaction.write { apply(tree.revert(write)) }
        apply(tree.unlisten(transaction.listen))
        transaction.outcome = outcome
        ended.append(transaction)
    }
}
