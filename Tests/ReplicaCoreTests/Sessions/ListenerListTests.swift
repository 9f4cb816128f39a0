import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct `A list of listeners` {
    private func listener(_ number: UInt64) -> Listens.Listener {
        Listens.Listener(session: SessionID(number: number), id: number % 3)
    }

    private func list(_ count: UInt64) -> ListenerList {
        var list = ListenerList()
        for number in 0..<count { list.append(listener(number)) }
        return list
    }

    @Test(arguments: [false, true])
    func `keeps the order in which listeners began, while others are removed`(compacts: Bool) {
        var list = list(10)
        for number: UInt64 in [3, 0, 9] { list.remove(listener(number)) }
        #expect(list.needsCompaction)
        if compacts { list.compact() }
        #expect(list.needsCompaction == !compacts)
        #expect(list.all == [1, 2, 4, 5, 6, 7, 8].map(listener))
        list.append(listener(3))
        #expect(list.all == [1, 2, 4, 5, 6, 7, 8, 3].map(listener))
    }

    @Test func `is empty once all are removed, in any order`() {
        for order in [Array(0..<7), (0..<7).reversed(), [3, 1, 5, 0, 6, 2, 4]] {
            var list = list(7)
            for (removed, number) in order.enumerated() {
                #expect(!list.isEmpty && list.all.count == 7 - removed)
                list.remove(listener(UInt64(number)))
            }
            #expect(list.isEmpty && list.all.isEmpty && !list.needsCompaction)
        }
    }
}
