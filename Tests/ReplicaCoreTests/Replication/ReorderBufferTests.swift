import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct ReorderBufferTests {
    /// Inserts batches, then takes all that can be applied to a replica that holds `vector`; returns what was taken.
    private func drain(
        _ batches: [Batch], holding vector: VersionVector
    ) -> (taken: [[UInt64]], left: Int) {
        var buffer = ReorderBuffer(within: ReplicaLimits())
        for batch in batches { #expect(buffer.insert(batch, [0], after: vector) == 0) }
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

    @Test func `a batch waits for its dependencies`() {
        let batches = [Batch.of(2, first: 1, after: [3: 2]), .of(3, first: 2)]
        #expect(drain(batches, holding: [3: 1]).taken == [[3, 2], [2, 1]])
        #expect(drain(batches, holding: [:]).taken == [])
    }

    @Test func `batches that are held, even in part, are dropped`() {
        let batches = [Batch.of(2, first: 1), .of(2, first: 3, count: 4), .of(2, first: 7)]
        let (taken, left) = drain(batches, holding: [2: 4])
        #expect(taken == [])
        #expect(left == 1, "the batch from 7 on")
    }

    @Test func `it knows where gaps end, and what is needed`() {
        var buffer = ReorderBuffer(within: ReplicaLimits())
        _ = buffer.insert(.of(2, first: 5, after: [4: 9]), [0, 0], after: [:])
        _ = buffer.insert(.of(3, first: 1, after: [2: 9]), [0], after: [:])
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
        #expect(buffer.insert(.of(2, first: 2, count: 3), large, after: [:]) == 3)
        for number in 0..<limits.waitingOrigins {
            let origin = WriterID(bits: UInt64(number + 10))
            #expect(buffer.insert(.of(origin, first: 2), [], after: [:]) == 0)
        }
        #expect(buffer.insert(.of(2, first: 2), [], after: [:]) == 1, "one origin more")
        for number in 0..<limits.waitingBatches - limits.waitingOrigins {
            #expect(buffer.insert(.of(10, first: UInt64(number + 3)), [], after: [:]) == 0)
        }
        #expect(buffer.insert(.of(10, first: 20_000), [], after: [:]) == 1, "one batch more")
        #expect(buffer.count == limits.waitingBatches)
        #expect(buffer.admitted == limits.waitingBatches)
    }

    @Test func `without room, the batches nearest to being applied stay`() {
        var limits = ReplicaLimits()
        limits.waitingBatches = 3
        limits.waitingBatchBytes = 10
        var buffer = ReorderBuffer(within: limits)
        // The waiting batches, by origin and first operation. The replica has 4 operations of 2 and 1 of 3.
        let before: [(Batch, bytes: Int)] = [
            (.of(2, first: 5), 2), (.of(2, first: 8, count: 2), 4), (.of(3, first: 4), 4),
        ]
        for (batch, bytes) in before {
            let found = buffer.insert(
                batch, [UInt8](repeating: 0, count: bytes), after: [2: 4, 3: 1])
            #expect(found == 0)
        }
        let table: [(Batch, bytes: Int, dropped: UInt64, waiting: [UInt64], String)] = [
            (.of(2, first: 5), 2, 0, [5, 8, 4], "it is there already"),
            (.of(2, first: 8, count: 3), 4, 0, [5, 8, 4], "so is one with the same beginning"),
            (.of(3, first: 5, count: 3), 1, 3, [5, 8, 4], "as far as the farthest"),
            (.of(2, first: 9), 1, 1, [5, 8, 4], "farther"),
            (.of(3, first: 2), 1, 2, [5, 2, 4], "the next one: the farthest goes"),
            (.of(4, first: 1), 11, 1, [5, 8, 4], "too large for an empty buffer"),
            (.of(4, first: 1, count: 2), 8, 3, [5, 1], "so large that two have to go"),
        ]
        for (batch, bytes, dropped, waiting, comment) in table {
            var tried = buffer
            let found = tried.insert(
                batch, [UInt8](repeating: 0, count: bytes), after: [2: 4, 3: 1])
            #expect(found == dropped, "\(comment)")
            #expect(firsts(in: tried) == waiting, "\(comment)")
        }
    }

    /// The first operations of all batches, by origin.
    private func firsts(in buffer: ReorderBuffer) -> [UInt64] {
        var rest = buffer
        var firsts: [UInt64] = []
        for origin in [2, 3, 4] as [WriterID] {
            while let end = rest.gapEnd(of: origin) {
                firsts.append(end + 1)
                rest.removeAll { $0.origin == origin && $0.first == end + 1 }
            }
        }
        return firsts
    }
}
