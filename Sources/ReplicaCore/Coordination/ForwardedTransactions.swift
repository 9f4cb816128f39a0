import DataTree
import Marks
import SyncProtocol

/// The transactions of this node's clients: sent to the coordinator until it answers, and kept until the
/// client can be answered.
struct ForwardedTransactions: Sendable {
    /// A transaction without an answer is sent again after this long.
    static let patienceMilliseconds: UInt64 = 1_000

    struct Entry: Sendable {
        var proposal: Proposal
        var session: SessionID
        var requestID: UInt64
        /// The client's write concern; nil if it requests only `ok`.
        var concern: WriteConcern?
        /// When the client stops waiting.
        var untilMilliseconds = UInt64.max
        /// Whether the client waits without a limit once the coordinator may have the transaction.
        var waitsOnceSent = false
        /// The coordinator that it was sent to last, and when.
        var sentTo: Coordinator?
        var sentMilliseconds: UInt64 = 0
        var verdict: TransactionDecision?
        let byteCount: Int

        init(_ proposal: Proposal, of session: SessionID, _ requestID: UInt64) {
            self.proposal = proposal
            self.session = session
            self.requestID = requestID
            byteCount = 128 + proposal.value.estimatedSize + proposal.path.utf8Count
        }
    }

    private let limits: ReplicaLimits
    /// In the order of the clients' requests.
    private(set) var entries: [Entry] = []
    private(set) var byteCount = 0
    private var answeredCount = 0
    /// The next time at which something is to be sent or to expire, unless the coordinator changes.
    private var nextMilliseconds: UInt64 = 0
    /// The locations of each session's transactions.
    private var locations: [SessionID: [Path]] = [:]
    /// The sessions of transactions that were removed since the last `takeReleased`.
    private var released: Set<SessionID> = []

    init(within limits: ReplicaLimits) { self.limits = limits }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether a transaction of this name may wait, too; one that waits already may be requested again.
    func hasRoom(for name: Stamp) -> Bool {
        entries.count < limits.forwardedTransactions && byteCount < limits.forwardedBytes
            || entries.contains { $0.proposal.id == name }
    }

    /// Adds a transaction, which replaces an earlier request with the same name.
    mutating func add(_ entry: Entry) {
        remove { $0.proposal.id == entry.proposal.id }
        entries.append(entry)
        locations[entry.session, default: []].append(entry.proposal.path)
        byteCount += entry.byteCount
        nextMilliseconds = 0
    }

    mutating func removeAll(of session: SessionID) {
        if !entries.isEmpty { remove { $0.session == session } }
    }

    /// Records a member's verdict; ignores one that no client waits for.
    ///
    /// A report of an executed transaction is final, from any member. A refusal counts only from the coordinator
    /// that received the proposal last, because an earlier one does not know the decisions of later ones.
    mutating func answer(_ verdict: TransactionDecision, from member: String) {
        guard let index = entries.firstIndex(where: { $0.proposal.id == verdict.id }),
            entries[index].verdict == nil,
            verdict.isDone || entries[index].sentTo?.member == member
        else {
            sometimes(.verdictIsNotWantedAnyMore)
            return
        }
        entries[index].verdict = verdict
        answeredCount += 1
    }

    /// Forgets the verdicts of earlier coordinators whose operations have not arrived: they may be lost with their
    /// coordinator, and the later one knows whether the transaction was done.
    mutating func forgetVerdicts(before coordinator: Coordinator, holding vector: VersionVector) {
        if answeredCount == 0 { return }
        for index in entries.indices {
            guard let verdict = entries[index].verdict, !vector.covers(verdict.basis),
                let last = entries[index].sentTo, last.term < coordinator.term
            else { continue }
            sometimes(.verdictIsForgotten)
            entries[index].verdict = nil
            answeredCount -= 1
        }
    }

    /// Removes and returns the answered transactions whose dependencies are held.
    mutating func takeAnswered(holding vector: VersionVector) -> [Entry] {
        if answeredCount == 0 { return [] }
        return remove { entry in
            entry.verdict.map { vector.covers($0.basis) } ?? false
        }
    }

    /// Removes and returns the transactions whose clients have stopped waiting.
    mutating func takeExpired(at milliseconds: UInt64) -> [Entry] {
        if milliseconds < nextMilliseconds { return [] }
        return remove { milliseconds >= $0.untilMilliseconds }
    }

    @discardableResult
    private mutating func remove(where isRemoved: (Entry) -> Bool) -> [Entry] {
        let removed = entries.filter(isRemoved)
        if removed.isEmpty { return [] }
        entries.removeAll(where: isRemoved)
        for entry in removed {
            byteCount -= entry.byteCount
            if entry.verdict != nil { answeredCount -= 1 }
            release(entry)
        }
        return removed
    }

    private mutating func release(_ entry: Entry) {
        released.insert(entry.session)
        var rest = locations[entry.session] ?? []
        rest.firstIndex(of: entry.proposal.path).map { _ = rest.remove(at: $0) }
        locations[entry.session] = rest.isEmpty ? nil : rest
    }

    /// The proposals that are to be sent to the coordinator now, in order.
    mutating func due(for coordinator: Coordinator?, at milliseconds: UInt64) -> [Proposal] {
        let isOther = entries.contains { $0.verdict == nil && $0.sentTo != coordinator }
        guard milliseconds >= nextMilliseconds || isOther else { return [] }
        var due: [Proposal] = []
        nextMilliseconds = .max
        for index in entries.indices where entries[index].verdict == nil {
            if let coordinator, isDue(entries[index], for: coordinator, at: milliseconds) {
                entries[index].sentTo = coordinator
                entries[index].sentMilliseconds = milliseconds
                if entries[index].waitsOnceSent { entries[index].untilMilliseconds = .max }
                due.append(entries[index].proposal)
            }
            let alias =
                entries[index].sentMilliseconds + ForwardedTransactions.patienceMilliseconds
            nextMilliseconds = min(nextMilliseconds, alias, entries[index].untilMilliseconds)
        }
        return due
    }

    private func isDue(
        _ entry: Entry, for coordinator: Coordinator, at milliseconds: UInt64
    ) -> Bool {
        guard let last = entry.sentTo, last != coordinator else {
            return entry.sentTo == nil
                || milliseconds
                    >= entry.sentMilliseconds + ForwardedTransactions.patienceMilliseconds
        }
        sometimes(.transactionGoesToAnotherCoordinator)
        // One of an earlier term would refuse on old data what the later one may have done.
        return coordinator.term >= last.term
    }
}

// MARK: - Sessions

extension ForwardedTransactions {
    /// Whether a transaction of a session is undecided.
    func contains(_ session: SessionID) -> Bool { locations[session] != nil }

    /// Whether a location is that of an undecided transaction of a session, or lies above or below it.
    func overlaps(_ location: Path, of session: SessionID) -> Bool {
        locations[session]?.contains { $0.overlaps(location) } ?? false
    }

    /// Removes and returns the sessions of which a transaction has been removed, ascending.
    mutating func takeReleased() -> [SessionID] {
        if released.isEmpty { return [] }
        defer { released.removeAll() }
        return released.sorted()
    }

    /// Ends the waiting of a client that is gone: its transactions expire at this time.
    mutating func limit(_ session: SessionID, until milliseconds: UInt64) {
        for index in entries.indices where entries[index].session == session {
            entries[index].waitsOnceSent = false
            entries[index].untilMilliseconds = min(entries[index].untilMilliseconds, milliseconds)
        }
        nextMilliseconds = 0
    }
}

/// The member that decides transactions, as far as a node knows.
struct Coordinator: Equatable, Sendable {
    var member: String
    var writer: WriterID
    /// The number of its election; 0 for a node without peers.
    var term: UInt64
}

extension TransactionDecision {
    fileprivate var isDone: Bool {
        if case .done = outcome { true } else { false }
    }
}
