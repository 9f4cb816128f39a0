import Store
import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct TurnQueueTests {
    private let entry = LogEntry(origin: 1, first: 1, last: 1, bytes: [1])

    private func mark(_ sequence: UInt64) -> TurnQueue.Mark {
        .init(
            vector: [1: sequence], time: HybridTime(milliseconds: sequence),
            closedTimestamp: .zero, writers: [1])
    }

    /// A turn that publishes its number, and stores a batch if it has one; returns the first bytes of what left.
    private func end(_ queue: inout TurnQueue, _ number: UInt8, stores: Bool) -> [String] {
        names(
            queue.end(
                batches: stores ? [entry] : [], properties: [], outputs: [.publish([number])],
                mark: mark(UInt64(number))))
    }

    private func names(_ outputs: [Output]) -> [String] {
        outputs.map { output in
            switch output {
            case .store(let turn): "store \(turn.number)"
            case .publish(let frame): "\(frame[0])"
            default: "?"
            }
        }
    }

    @Test func `outputs wait for their turn, and for those before it`() {
        var queue = TurnQueue(durability: .commit)
        #expect(end(&queue, 1, stores: false) == ["1"], "nothing waits")
        #expect(queue.durable.vector == [1: 1])
        #expect(end(&queue, 2, stores: true) == ["store 1"])
        #expect(end(&queue, 3, stores: false) == [], "it may show what the turn before has written")
        #expect(end(&queue, 4, stores: true) == ["store 2"])
        #expect((queue.pendingCount, queue.isStored(1)) == (2, false))
        #expect(names(queue.stored(1)) == ["2", "3"])
        #expect((queue.isStored(1), queue.isStored(2)) == (true, false))
        #expect(queue.durable.vector == [1: 2])
        #expect(names(queue.stored(2)) == ["4"])
        #expect(names(queue.stored(2)) == [], "reported twice")
        #expect(queue.durable.vector == [1: 4])
    }

    @Test(
        arguments: [
            (.interval, [["store 1"], ["store 2"], ["1", "2"], ["store 3", "3"]]),
            (.memory, [["store 1", "1"], ["store 2", "2"], [], ["store 3", "3"]]),
        ] as [(Durability, [[String]])])
    func `other durability modes let outputs leave, but for the first turn's`(
        durability: Durability, expected: [[String]]
    ) {
        var queue = TurnQueue(durability: durability)
        var left = [end(&queue, 1, stores: true), end(&queue, 2, stores: true)]
        left.append(names(queue.stored(2)))
        left.append(end(&queue, 3, stores: true))
        #expect(left == expected)
        #expect(queue.durable.vector == [1: 2], "what is told is durable in every mode")
    }

    @Test
    func
        `an installed checkpoint replaces what turns on their way hold, but for the own operations`()
    {
        var queue = TurnQueue(durability: .commit)
        _ = end(&queue, 5, stores: true)
        queue.rebase(onto: [1: 3, 9: 7], writer: 1)
        #expect(queue.durable.vector == [1: 3, 9: 7])
        _ = queue.stored(1)
        #expect(queue.durable.vector == [1: 5, 9: 7])
    }
}
