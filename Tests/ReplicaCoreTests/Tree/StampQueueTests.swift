import DataTree
import SyncProtocol
import Testing

@testable import Convergence

@Suite struct StampQueueTests {
    private func entry(_ milliseconds: UInt64, writer: WriterID = 1) -> StampQueue.Entry {
        .init(
            stamp: Stamp(time: HybridTime(milliseconds: milliseconds), writer: writer),
            parent: "list", key: Key(index: Int(milliseconds)), isDeep: false)
    }

    /// The times of the entries that are taken up to a time.
    private func drain(_ queue: inout StampQueue, through milliseconds: UInt64) -> [UInt64] {
        let bound = Stamp(
            time: HybridTime(milliseconds: milliseconds), writer: WriterID(bits: .max))
        var times: [UInt64] = []
        while let entry = queue.popFirst(through: bound) {
            times.append(entry.stamp.time.milliseconds)
        }
        return times
    }

    @Test func `entries up to a time come out, none after it`() {
        var queue = StampQueue()
        for time in [500, 100, 101, 900, 100, 163, 64] as [UInt64] { queue.insert(entry(time)) }
        #expect(drain(&queue, through: 63) == [])
        #expect(drain(&queue, through: 100).sorted() == [64, 100, 100])
        queue.insert(entry(90))
        #expect(drain(&queue, through: 100) == [90])
        #expect(queue.count == 4)
        #expect(drain(&queue, through: 10_000).sorted() == [101, 163, 500, 900])
        #expect(queue.count == 0)
    }

    @Test func `of one time the writer decides`() {
        var queue = StampQueue()
        for writer in [5, 3, 4] as [WriterID] { queue.insert(entry(100, writer: writer)) }
        let bound = Stamp(time: 100, writer: 4)
        #expect(queue.popFirst(through: bound)?.stamp.writer == 3)
        #expect(queue.popFirst(through: bound)?.stamp.writer == 4)
        #expect(queue.popFirst(through: bound) == nil)
    }

    @Test func `a queue made of entries in any order is the same`() {
        let times: [UInt64] = (1...2_000).map { ($0 &* 7_919) % 10_007 }
        var queue = StampQueue { body in for time in times { body(entry(time)) } }
        var one = StampQueue()
        for time in times { one.insert(entry(time)) }
        for bound in stride(from: UInt64(50), through: 10_100, by: 50) {
            let expected = times.filter { $0 <= bound && $0 + 50 > bound }.sorted()
            #expect(drain(&queue, through: bound).sorted() == expected)
            #expect(drain(&one, through: bound).sorted() == expected)
        }
    }
}
