import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Transactions on their way to a coordinator, and back, while coordinators change.
@Suite struct ForwardedTransactionsTests {
    private let id = Stamp(time: 1, writer: 70)
    private let first = Coordinator(member: "n2", writer: 2, term: 4)
    private let second = Coordinator(member: "n3", writer: 3, term: 5)

    private func transactions() -> ForwardedTransactions {
        var transactions = ForwardedTransactions(within: ReplicaLimits())
        let proposal = Proposal(
            id: id, path: "a", value: 2, condition: DataHash(of: 1), concern: .majority)
        transactions.add(.init(proposal, of: 9, 1))
        return transactions
    }

    @Test
    func `a transaction is sent once, again after a second, and to another coordinator at once`() {
        var transactions = transactions()
        #expect(transactions.due(for: nil, at: 0).isEmpty)
        #expect(transactions.due(for: first, at: 0).count == 1)
        #expect(transactions.due(for: first, at: 999).isEmpty)
        #expect(transactions.due(for: first, at: 1_000).count == 1)
        #expect(transactions.due(for: second, at: 1_001).count == 1)
        #expect(transactions.due(for: nil, at: 9_000).isEmpty)
    }

    @Test func `one that waits may be asked for again, however little room there is`() {
        var limits = ReplicaLimits()
        limits.forwardedTransactions = 1
        var transactions = ForwardedTransactions(within: limits)
        #expect(transactions.hasRoom(for: id))
        let proposal = Proposal(
            id: id, path: "a", value: 2, condition: DataHash(of: 1), concern: .majority)
        transactions.add(.init(proposal, of: 9, 1))
        #expect(transactions.hasRoom(for: id))
        #expect(!transactions.hasRoom(for: Stamp(time: 2, writer: 70)))
    }

    @Test func `no earlier coordinator receives a proposal that a later one may have decided`() {
        var transactions = transactions()
        #expect(transactions.due(for: second, at: 0).count == 1)
        #expect(transactions.due(for: first, at: 1).isEmpty)
        #expect(transactions.due(for: first, at: 9_000).isEmpty)
        var again = first
        again.term = 6
        #expect(transactions.due(for: again, at: 9_001).count == 1)
    }

    @Test(
        arguments: [
            (.done(.majority), "n2", true), (.done(.majority), "n3", true),
            (.changed, "n2", false), (.changed, "n3", true), (.forgotten, "n2", false),
            (.invalid(problem: "p", fix: "f"), "n2", false),
        ] as [(TransactionDecision.Outcome, String, Bool)])
    func `a refusal counts only from the coordinator that was asked last`(
        outcome: TransactionDecision.Outcome, member: String, counts: Bool
    ) {
        var transactions = transactions()
        _ = transactions.due(for: first, at: 0)
        _ = transactions.due(for: second, at: 1)
        transactions.answer(TransactionDecision(id, outcome, basis: [:]), from: member)
        #expect(transactions.takeAnswered(holding: [:]).isEmpty == !counts)
    }

    @Test(arguments: [.done(.majority), .changed] as [TransactionDecision.Outcome])
    func `a verdict on operations that have not come is asked of the next coordinator`(
        outcome: TransactionDecision.Outcome
    ) {
        var transactions = transactions()
        _ = transactions.due(for: first, at: 0)
        transactions.answer(TransactionDecision(id, outcome, basis: [2: 7]), from: "n2")
        transactions.forgetVerdicts(before: first, holding: [2: 6])
        #expect(transactions.due(for: first, at: 9_000).isEmpty, "its operations may still come")
        transactions.forgetVerdicts(before: second, holding: [2: 6])
        #expect(transactions.due(for: second, at: 9_001).count == 1)
        transactions.answer(TransactionDecision(id, .done(.majority), basis: [3: 1]), from: "n3")
        #expect(transactions.takeAnswered(holding: [2: 6, 3: 1]).count == 1)
    }

    @Test func `a verdict on operations that are here is final`() {
        var transactions = transactions()
        _ = transactions.due(for: first, at: 0)
        transactions.answer(TransactionDecision(id, .changed, basis: [2: 7]), from: "n2")
        transactions.forgetVerdicts(before: second, holding: [2: 7])
        #expect(transactions.due(for: second, at: 9_001).isEmpty)
        #expect(transactions.takeAnswered(holding: [2: 7]).count == 1)
    }
}
