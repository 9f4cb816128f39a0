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
                batches: stores ? [entry] : [], properties: [],
                outputs: [.publish([number], .gathered)],
                mark: mark(UInt64(number))))
    }

    private func names(_ outputs: [Output]) -> [String] {
        outputs.map { output in
            switch output {
            case .store(let turn): "store \(turn.number)"
            case .publish(let frame, _): "\(frame[0])"
            case .synchronize: "sync"
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

    @Test func `one sync runs at a time, and later requests share the next`() {
        var queue = TurnQueue(durability: .interval)
        _ = end(&queue, 1, stores: true)
        #expect(names(queue.dueSynchronization()) == ["sync"], "the first turn waits for the disk")
        #expect(names(queue.stored(1) + queue.dueSynchronization()) == ["1"])
        _ = end(&queue, 2, stores: true)
        #expect(names(queue.dueSynchronization()) == [], "nobody waits for it")
        queue.awaitStored()
        #expect(names(queue.dueSynchronization()) == ["sync"])
        #expect(names(queue.dueSynchronization()) == [])
        for number in UInt8(3)...4 {
            _ = end(&queue, number, stores: true)
            queue.awaitStored()
            #expect(names(queue.dueSynchronization()) == [], "another one is under way")
        }
        _ = end(&queue, 5, stores: true)
        #expect(names(queue.stored(2) + queue.dueSynchronization()) == ["sync"])
        #expect(
            names(queue.stored(5) + queue.dueSynchronization()) == [], "the sync had all of them")
        queue.awaitStored()
        #expect(names(queue.dueSynchronization()) == [], "there is nothing to sync")
    }

    @Test(
        arguments: [(.commit, []), (.interval, ["sync"]), (.memory, ["sync"])]
            as [(Durability, [String])])
    func `the disk is told to wait only if turns may gather`(
        durability: Durability, expected: [String]
    ) {
        var queue = TurnQueue(durability: durability)
        _ = end(&queue, 1, stores: true)
        queue.awaitStored()
        #expect(names(queue.dueSynchronization()) == expected)
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
