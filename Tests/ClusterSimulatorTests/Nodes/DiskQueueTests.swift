import Store
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The jobs of a disk: in order, and commits together.
@Suite struct DiskQueueTests {
    private func turn(_ number: UInt64, hasBatch: Bool = false) -> Turn {
        let entry = LogEntry(origin: WriterID(bits: 9), first: number, last: number, bytes: [])
        return Turn(number: number, batches: hasBatch ? [entry] : [], properties: [])
    }

    private func names(_ jobs: [DiskQueue.Job]) -> [String] {
        jobs.map { job in
            switch job {
            case .commit(let turn, let since): "commit \(turn.number) since \(since)"
            case .synchronize(let turn): "sync \(turn)"
            case .perform: "perform"
            case .copy(let copy): "copy \(copy.name)"
            }
        }
    }

    @Test func `consecutive commits are one group, and nothing overtakes them`() {
        var queue = DiskQueue()
        queue.gather(turn(1), at: 10)
        queue.gather(turn(2), at: 20)
        #expect(queue.begin() == nil, "they only gather")
        queue.flush()
        queue.append(.synchronize(turn: 2))
        queue.gather(turn(3), at: 30)
        queue.flush()
        #expect(queue.begin().map { names([$0]) } == ["commit 1 since 10"])
        #expect(queue.begin() == nil, "two are under way")
        #expect(names(queue.finish()) == ["commit 1 since 10", "commit 2 since 20"])
        #expect(queue.begin() != nil)
        #expect(names(queue.finish()) == ["sync 2"])
        #expect(names(queue.jobs) == ["commit 3 since 30"])
    }

    @Test func `another process begins with nothing, and knows how many turns are lost`() {
        var queue = DiskQueue()
        queue.gather(turn(1, hasBatch: true), at: 0)
        queue.flush()
        _ = queue.begin()
        queue.append(.synchronize(turn: 1))
        queue.gather(turn(2), at: 0)
        #expect((queue.lastTurn, queue.lastBatchTurn) == (2, 1))
        #expect(queue.restart() == 2)
        #expect((queue.lastTurn, queue.lastBatchTurn) == (0, 0))
        #expect(queue.jobs.isEmpty && queue.begin() == nil)
    }
}
