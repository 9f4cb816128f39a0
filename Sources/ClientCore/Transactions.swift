import DataTree
import Marks

/// A read-modify-write: the result of the application's function replaces the value that the function was run on,
/// if that is still the value at the node that decides.
struct Transaction: Sendable {
    enum State: Sendable {
        /// Its function runs as soon as all that it depends on is decided.
        case waiting
        /// Its function is running on this value.
        case running(on: Value)
        /// Its function has returned a new value; listeners here see it already, and the node decides whether it takes
        /// place.
        case decided(on: Value, new: Value, write: WriteID)
    }

    let request: Request
    let visibility: WriteVisibility
    let scope: Request.TransactionScope
    /// When the application requested it.
    let askedMilliseconds: UInt64
    /// Its listen at the path, which lasts as long as the transaction, so that the function gets the present value.
    let listen: ListenID
    var state = State.waiting
    var tries = 0
    /// Whether a node may have received the write.
    var isSent = false
    /// Whether the application has overwritten it meanwhile.
    var isOverwritten = false
    /// Whether it rests on another one that the node has refused, so that it will be refused too.
    var isDoomed = false

    var id: RequestID { request.id }
    var path: Path { request.work.path }

    var isRunning: Bool {
        if case .running = state { true } else { false }
    }

    /// Its effect that listeners see.
    var write: WriteID? {
        if case .decided(_, _, let write) = state { write } else { nil }
    }

    func overlaps(_ other: Path) -> Bool { path.overlaps(other) }
}

/// The transactions that are not done yet, in the order in which they began.
///
/// Overlapping transactions run one after another, each on the result of the one before, and are sent without
/// waiting for answers.
struct Transactions: Sendable {
    private(set) var all: [Transaction] = []
    private var lastListen: UInt64 = 1 << 63

    subscript(id: RequestID) -> Transaction? { all.first { $0.id == id } }

    mutating func append(
        _ request: Request, _ visibility: WriteVisibility, _ scope: Request.TransactionScope,
        at milliseconds: UInt64
    ) -> Transaction {
        lastListen += 1
        let transaction = Transaction(
            request: request, visibility: visibility, scope: scope,
            askedMilliseconds: milliseconds, listen: ListenID(number: lastListen))
        all.append(transaction)
        return transaction
    }

    mutating func change(_ id: RequestID, _ body: (inout Transaction) -> Void) {
        if let place = all.firstIndex(where: { $0.id == id }) { body(&all[place]) }
    }

    mutating func remove(_ id: RequestID) -> Transaction? {
        all.firstIndex { $0.id == id }.map { all.remove(at: $0) }
    }

    /// The first transaction whose function can run now.
    ///
    /// - Complexity: O(n²) in those that overlap and wait, mostly O(n).
    var next: Transaction? {
        for (place, transaction) in all.enumerated() {
            guard case .waiting = transaction.state else { continue }
            let isReady = !all.enumerated().contains { other, before in
                before.overlaps(transaction.path) && other != place
                    && before.mustPrecede(isEarlier: other < place)
            }
            if isReady { return transaction }
        }
        return nil
    }

    /// Marks a transaction as refused, and with it those that rest on it.
    mutating func doom(besides id: RequestID, at path: Path) {
        for place in all.indices where all[place].id != id && all[place].overlaps(path) {
            sometimes(.transactionIsDoomed)
            all[place].isDoomed = all[place].isSent
        }
    }
}

extension Transaction {
    /// Whether an overlapping transaction must wait for this one.
    fileprivate func mustPrecede(isEarlier: Bool) -> Bool {
        switch state {
        case .waiting: isEarlier
        case .running: true
        case .decided: isDoomed
        }
    }
}
