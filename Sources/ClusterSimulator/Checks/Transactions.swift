import DataTree
import ReplicaCore

extension Check {
    package static let transactionsCount: Check = Check(
        "transactions-count", judges: .programs, guarantees: "X2",
        traits: [.atEnd],
        claim: "each successful transaction counts once",
        criterion: "each successful transaction, at any node, is counted once",
        evaluate: Transactions.evaluateCount)

    package static let transactionsLinearizable: Check = Check(
        "transactions-linearizable", judges: .programs, guarantees: "X2",
        claim: "the transactions on a value form a chain",
        criterion: """
            the transactions on one value form a chain in which none precedes one that had ended \
            before it began
            """,
        evaluate: Transactions.evaluateRegister)
}

/// Places that only transactions write show the result of some serial execution.
enum Transactions {
    /// Why the check is unknown: operations that a majority held may be lost, or votes of a majority.
    static func permittedLoss(_ evidence: Evidence) -> Finding? {
        if let reason = mayForget(evidence) { return .excused(reason) }
        if evidence.scenario.cluster.durability != .commit, evidence.hasCrashed {
            return .excused("a crash may take what was acknowledged, without \"durability=commit\"")
        }
        return nil
    }

    /// Why transactions, or votes, may be forgotten with disks; nil if they may not.
    ///
    /// While one node alone has lost its disk, the others of each majority remember its votes. It does not vote before it
    /// has learnt them from all that take part. So only decisions can be lost, by the disks that held them.
    private static func mayForget(_ evidence: Evidence) -> String? {
        let losses = evidence.losses.filter { $0.kind != .dataAlone }
        if losses.isEmpty { return nil }
        if evidence.scenario.cluster.replicas == 1 { return "the only disk was lost" }
        if losses.contains(where: { $0.kind == .hidden }) {
            return "a disk lost data, and nothing on it shows that"
        }
        let majority = evidence.scenario.cluster.replicas / 2 + 1
        let mayLose = evidence.recording.issued.contains {
            $0.operation.term != nil
                && evidence.permittedLosses.mayBeLost($0.dot, heldBy: majority)
        }
        guard mayLose else { return nil }
        let areTwo = losses.contains { loss in
            losses.contains { $0.node != loss.node && $0.isOpen(at: loss.until) }
        }
        if areTwo { return "two disks were lost, one before the other node had recovered" }
        let evictions = evidence.refusals.filter { $0.reason == Refusal.evicted }
        if evidence.scenario.changesMembers
            || evictions.contains(where: { one in losses.contains { $0.isOpen(at: one.since) } })
        {
            return "a node was given up before another one had recovered from the loss of its disk"
        }
        return "no disk that was left held a decision"
    }

    /// Each committed transaction is in the common counter, once.
    static func evaluateCount(_ evidence: Evidence) -> Finding {
        let records = evidence.history.transactions.filter { $0.path == ApplicationProgram.count }
        let committed = records.count { $0.outcome == .acknowledged }
        let unknown = records.count { $0.outcome == .unknown || $0.outcome == .open }
        if committed == 0 { return .unknown("none of \(records.count) transactions was committed") }
        if let permittedLoss = permittedLoss(evidence) { return permittedLoss }
        for node in evidence.nodes where node.vector != nil {
            let shown = node.value[ApplicationProgram.count].wholeNumber
            guard (Int64(committed)...Int64(committed + unknown)).contains(shown) else {
                return .invalid(
                    "the count is \(shown) at \(node.name), after \(committed) transactions and "
                        + "\(unknown) of which the outcome is not known")
            }
        }
        return .valid("\(committed) transactions, \(unknown) unknown")
    }

    /// The transactions on the register write distinct values and form one chain: each rests on the value of its
    /// predecessor. None precedes one that had ended before it began.
    ///
    /// One with an unknown outcome is in the chain if another one rests on it.
    /// - Complexity: O(n).
    static func evaluateRegister(_ evidence: Evidence) -> Finding {
        let records = evidence.history.transactions.filter {
            $0.path == ApplicationProgram.register
        }
        let committed = records.filter { $0.outcome == .acknowledged }
        if committed.isEmpty {
            return .unknown("none of \(records.count) transactions was committed")
        }
        if let permittedLoss = permittedLoss(evidence) { return permittedLoss }
        var chain = RegisterChain(records)
        for record in committed {
            if let finding = chain.include(record) { return finding }
        }
        if let finding = chain.disorder { return finding }
        for node in evidence.nodes where node.vector != nil {
            let shown = node.value[ApplicationProgram.register]
            if let finding = chain.include(shown, shownAt: node.name) { return finding }
        }
        return .valid("\(committed.count) transactions one upon the other")
    }
}

/// The order of the transactions on the register, as far as it is known to have happened.
private struct RegisterChain {
    /// The transaction that wrote a value; each value is written once.
    private var writers: [String: TransactionRecord] = [:]
    /// Which transaction rests on a value, the first one on null.
    private var successors: [String: TransactionRecord] = [:]
    private var included: Set<String> = []

    init(_ records: [TransactionRecord]) {
        for record in records where record.outcome != .failed {
            writers[record.new.text] = record
        }
    }

    /// A transaction has happened, and so have all that it rests on.
    mutating func include(_ record: TransactionRecord) -> Finding? {
        var record = record
        while included.insert(record.new.text).inserted {
            if let other = successors[record.old.text] {
                return .invalid(
                    "two transactions have replaced \(record.old) at \(record.path)",
                    other.description, record.description
                ).at(record)
            }
            successors[record.old.text] = record
            if record.old.isNull { return nil }
            guard let before = writers[record.old.text] else {
                return .invalid(
                    "a transaction rests on \(record.old) at \(record.path), which none has "
                        + "written, or one that failed", record.description
                ).at(record)
            }
            record = before
        }
        return nil
    }

    /// The value that a node shows at the end rests on all committed transactions.
    mutating func include(_ value: Value, shownAt node: String) -> Finding? {
        if !value.isNull {
            guard let record = writers[value.text] else {
                return .invalid("\(node) shows \(value), which no transaction has written")
            }
            if let finding = include(record) { return finding }
        }
        guard let lost = successors[value.text] else { return nil }
        return .invalid(
            "\(node) shows \(value) in the end, which was replaced", lost.description)
    }

    /// Two of the chain that happened one after the other, the other way round.
    var disorder: Finding? {
        var latest: TransactionRecord?
        var next = successors["null"]
        while let record = next {
            if let latest, let completed = record.completed, completed < latest.invoked,
                record.outcome == .acknowledged
            {
                return .invalid(
                    "a transaction rests on one that began after it had ended",
                    latest.description, record.description
                ).at(record)
            }
            if latest.map({ record.invoked > $0.invoked }) ?? true { latest = record }
            next = successors[record.new.text]
        }
        return nil
    }
}

extension Value {
    fileprivate var text: String {
        if case .string(let text) = content { text } else { "null" }
    }

    fileprivate var wholeNumber: Int64 {
        if case .integer(let number) = content { number } else { 0 }
    }
}

extension Finding {
    /// The finding, which shows as a transaction comes out.
    fileprivate func at(_ record: TransactionRecord) -> Finding {
        guard let completed = record.completed, let node = record.node else { return self }
        return at(completed, node: node)
    }
}
