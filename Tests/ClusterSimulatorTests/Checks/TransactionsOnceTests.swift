import DataTree
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// Whether nodes have done more transactions than clients were told of.
@Suite struct TransactionsOnceTests {
    private static let writer = WriterID(bits: 7)
    private static let place = Path([Key(unchecked: "count")])

    private static func stamp(_ number: UInt64, of writer: WriterID) -> Stamp {
        Stamp(time: HybridTime(milliseconds: number), writer: writer)
    }

    /// The violations if a client's transactions had these outcomes and a node has executed some of these names.
    private func finding(
        _ outcomes: [ClientOperation.Outcome], done names: [UInt64]
    ) -> Finding? {
        var history = History()
        history.transactions = outcomes.map {
            var record = TransactionRecord(client: 0, path: Self.place, invoked: 0)
            record.outcome = $0
            return record
        }
        let operations = names.enumerated().map { index, name in
            Operation(
                stamp: Self.stamp(10 + UInt64(index), of: WriterID(bits: 8)),
                writes: [Write(path: Self.place, value: .integer(1))],
                alias: Self.stamp(name, of: Self.writer), term: 1)
        }
        var evidence = Evidence(
            Scenario(name: "transactions"), history,
            Recording(nodes: 1, isOn: false, keepsValues: false),
            nodes: [Evidence.Node(name: "n1", value: .null, operations: operations)], losses: [],
            crashes: [])
        evidence.clientWriters = [Self.writer: 0]
        return TransactionsOnce.failure(evidence)
    }

    @Test func `what may be done is done`() {
        #expect(finding([.acknowledged, .failed, .unknown], done: [1, 2]) == nil)
    }

    @Test func `a transaction that is told to have failed is not done`() {
        #expect(finding([.acknowledged, .failed], done: [1, 2])?.verdict == .invalid)
    }

    @Test func `what two coordinators have decided under one name counts once`() {
        #expect(finding([.acknowledged], done: [1, 1]) == nil)
    }
}
