import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct ReorderBufferTests {
    /// Inserts batches, then takes all that can be applied to a replica that holds `vector`; returns what was taken.
    private func drain(
        _ batches: [Batch], holding vector: VersionVector
    ) -> (taken: [[UInt64]], left: Int) {
        var buffer = ReorderBuffer(within: ReplicaLimits())
        for batch in batches { #expect(buffer.insert(batch, [0]) == true) }
        var vector = vector
        var taken: [[UInt64]] = []
        while let next = buffer.next(after: vector)?.batch {
            taken.append([next.origin.bits, next.first])
            vector[next.origin] = next.last
        }
        return (taken, buffer.count)
    }

    @Test func `batches come out in the order of their origin`() {
        let batches = [
            Batch.of(2, first: 5), .of(2, first: 2, count: 3), .of(3, first: 7), .of(2, first: 2),
        ]
        let (taken, left) = drain(batches, holding: [2: 1, 3: 5])
        #expect(taken == [[2, 2], [2, 5]])
        #expect(left == 1, "one of 3 is missing before its batch")
    }

    @Test func `a batch waits for what it depends on`() {
        let batches = [Batch.of(2, first: 1, after: [3: 2]), .of(3, first: 2)]
        #expect(drain(batches, holding: [3: 1]).taken == [[3, 2], [2, 1]])
        #expect(drain(batches, holding: [:]).taken == [])
    }

    @Test func `what is held, even in part, is dropped`() {
        let batches = [Batch.of(2, first: 1), .of(2, first: 3, count: 4), .of(2, first: 7)]
        let (taken, left) = drain(batches, holding: [2: 4])
        #expect(taken == [])
        #expect(left == 1, "the batch from 7 on")
    }

    @Test func `it knows where gaps end, and what is needed`() {
        var buffer = ReorderBuffer(within: ReplicaLimits())
        _ = buffer.insert(.of(2, first: 5, after: [4: 9]), [0, 0])
        _ = buffer.insert(.of(3, first: 1, after: [2: 9]), [0])
        #expect(buffer.gapEnd(of: 2) == 4)
        #expect(buffer.gapEnd(of: 4) == nil)
        #expect(buffer.needs(beyond: [:]) == [2: 9, 3: 0, 4: 9])
        #expect((buffer.count, buffer.byteCount, buffer.originCount) == (2, 3, 2))
        buffer.removeAll { $0.origin == 2 }
        #expect((buffer.count, buffer.byteCount, buffer.originCount) == (1, 1, 1))
    }

    @Test func `its room is bounded`() {
        let limits = ReplicaLimits()
        var buffer = ReorderBuffer(within: limits)
        let large = [UInt8](repeating: 0, count: limits.waitingBatchBytes + 1)
        #expect(buffer.insert(.of(2, first: 2), large) == false)
        for number in 0..<limits.waitingOrigins {
            #expect(buffer.insert(.of(WriterID(bits: UInt64(number + 10)), first: 2), []) == true)
        }
        #expect(buffer.insert(.of(2, first: 2), []) == false, "one origin more")
        for number in 0..<limits.waitingBatches - limits.waitingOrigins {
            #expect(buffer.insert(.of(10, first: UInt64(number + 3)), []) == true)
        }
        #expect(buffer.insert(.of(10, first: 20_000), []) == false, "one batch more")
        #expect(buffer.count == limits.waitingBatches)
    }
}
