import SyncProtocol

/// The terms in which recent transactions were decided, by the transactions' names.
///
/// A member may hold the operation of a transaction that did not take place: a partitioned coordinator made it
/// while another one decided transactions on the same data, which replaced it. The coordinator therefore confirms
/// only transactions of its own term, and those of the term before that it held when it began.
struct DecidedTerms: Sendable {
    /// Clients repeat a request within seconds.
    static let limit = 10_000

    private var terms: [Stamp: UInt64] = [:]
    /// In order of arrival, from `head` on.
    private var names: [Stamp] = []
    private var head = 0
    /// Those that arrived from other members since this one became the coordinator.
    private var late: Set<Stamp> = []

    /// Records an operation that decided a transaction.
    ///
    /// - Parameter isLate: Whether an earlier coordinator made it, and this one did not hold it when it
    ///   began.
    mutating func record(_ operation: Operation, isLate: Bool) {
        guard let name = operation.alias, let term = operation.term else { return }
        if let known = terms[name] {
            // The transaction was requested again and decided again: the later decision counts.
            guard term > known else { return }
        } else {
            names.append(name)
        }
        terms[name] = term
        if isLate { late.insert(name) } else { late.remove(name) }
        if names.count - head > DecidedTerms.limit { dropFirst() }
    }

    private mutating func dropFirst() {
        terms[names[head]] = nil
        late.remove(names[head])
        head += 1
        guard head > DecidedTerms.limit else { return }
        names.removeFirst(head)
        head = 0
    }

    /// Begins as the coordinator: everything held now was held at the begin.
    mutating func begin() { late.removeAll() }

    /// Whether all later transactions depend on this one.
    func isDone(_ name: Stamp, in term: UInt64, after former: UInt64) -> Bool {
        guard let decided = terms[name] else { return false }
        return decided == term || decided == former && !late.contains(name)
    }
}
