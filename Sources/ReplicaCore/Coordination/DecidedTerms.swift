import SyncProtocol

/// In which terms the transactions were decided that came last, by their names.
///
/// That an operation is held does not say that its transaction took place: a coordinator that was cut off
/// may have made it while another one decided others on the same data, and then they replaced it. So the
/// coordinator says of its own term's, and of those of the term before that it held when it began, that
/// they are done; of others it cannot know.
struct DecidedTerms: Sendable {
    /// Clients ask again within seconds.
    static let limit = 10_000

    private var terms: [Stamp: UInt64] = [:]
    /// In the order of their arrival, from `head` on.
    private var names: [Stamp] = []
    private var head = 0
    /// Those that came from other members since this one has been the coordinator.
    private var late: Set<Stamp> = []

    /// Remembers an operation that decided a transaction.
    ///
    /// - Parameter isLate: Whether an earlier coordinator made it, and this one did not hold it as it began.
    mutating func note(_ operation: Operation, isLate: Bool) {
        guard let name = operation.alias, let term = operation.term else { return }
        if let known = terms[name] {
            // Asked for again, and decided anew: it is the later one that counts.
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

    /// This member has become the coordinator: all that it holds it has held as it began.
    mutating func begin() { late.removeAll() }

    /// Whether a transaction is one that all later ones rest on.
    func isDone(_ name: Stamp, in term: UInt64, after former: UInt64) -> Bool {
        guard let decided = terms[name] else { return false }
        return decided == term || decided == former && !late.contains(name)
    }
}
