import Convergence
import DataTree
import Randomness
import SyncProtocol
import Testing

@testable import ReplicaCore

/// The table of the writes that are done, by the stamps of their clients.
@Suite struct DeduplicationTableTests {
    private func stamp(_ time: UInt64, _ writer: UInt64 = 1) -> Stamp {
        Stamp(time: HybridTime(bits: time), writer: WriterID(bits: writer))
    }

    @Test func `what was done is known, in whatever order it came`() {
        var stamps = DeduplicationTable(within: ReplicaLimits())
        for time: UInt64 in [5, 9, 7, 7] { stamps.insert(stamp(time)) }
        #expect(stamps.count == 3)
        #expect([5, 7, 9].allSatisfy { stamps.answer(for: stamp($0)) == .done })
        #expect(stamps.answer(for: stamp(6)) == .notDone)
        #expect(stamps.answer(for: stamp(5, 2)) == .notDone)
    }

    @Test func `of many only the last ones are known, and it is known which`() {
        var stamps = DeduplicationTable(within: ReplicaLimits())
        let many = UInt64(3 * ReplicaLimits().stampsOfClient)
        for time in 1...many { stamps.insert(stamp(2 * time)) }
        #expect(stamps.answer(for: stamp(2)) == .forgotten)
        #expect(stamps.answer(for: stamp(3)) == .forgotten)
        #expect(stamps.answer(for: stamp(2 * many)) == .done)
        #expect(stamps.answer(for: stamp(2 * many - 1)) == .notDone)
    }

    @Test func `of many clients the last ones are known`() throws {
        var stamps = DeduplicationTable(within: ReplicaLimits())
        for writer in 1...UInt64(ReplicaLimits().stamps + 1) {
            stamps.insert(stamp(writer, writer))
        }
        #expect(stamps.count <= ReplicaLimits().stamps)
        #expect(stamps.answer(for: stamp(1, 1)) == .forgotten)
        let last = UInt64(ReplicaLimits().stamps + 1)
        #expect(stamps.answer(for: stamp(last, last)) == .done)
        #expect(stamps.answer(for: stamp(last + 1, last + 1)) == .notDone)
        let count = stamps.count
        stamps.insert(stamp(1, 1))
        #expect(stamps.count == count, "it is forgotten already")
        #expect(try decoded(encoded(stamps)) == stamps)
    }

    @Test(arguments: [[UInt64](), [0], [5, 0], [.max], [1 << 63]])
    func `times that do not ascend, or never end, are refused`(differences: [UInt64]) {
        var writer = MessagePackWriter()
        writer.appendArrayHead(2)
        writer.append(7 as UInt64)
        writer.appendArrayHead(2 + differences.count)
        for number in [1, 9] + differences { writer.append(number) }
        if differences.isEmpty {
            #expect(throws: Never.self) { try decoded(writer.bytes) }
        } else {
            #expect(throws: FrameError.self) { try decoded(writer.bytes) }
        }
    }

    @Test func `they come back from bytes as they were`() throws {
        var random = SplitMix64(seed: 3)
        var stamps = DeduplicationTable(within: ReplicaLimits())
        for _ in 0..<5_000 { stamps.insert(stamp(random.next() >> 20, random.next() % 7)) }
        #expect(try decoded(encoded(stamps)) == stamps)
    }

    private func encoded(_ stamps: DeduplicationTable) -> [UInt8] {
        var writer = MessagePackWriter()
        writer.append(stamps)
        return writer.bytes
    }

    private func decoded(_ bytes: [UInt8]) throws(FrameError) -> DeduplicationTable {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(FrameError) in
                var reader = MessagePackReader(bytes)
                return try DeduplicationTable(from: &reader)
            }
        }.get()
    }
}
