import ReplicaCore
import Store
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The batches that checks find under a vector.
@Suite struct BatchArchiveTests {
    private static let origin = WriterID(bits: 7)

    private static func entry(_ range: ClosedRange<UInt64>, _ byte: UInt8 = 0) -> LogEntry {
        LogEntry(origin: origin, first: range.lowerBound, last: range.upperBound, bytes: [byte])
    }

    private static func batches(_ archive: BatchArchive, through last: UInt64) -> [LogEntry] {
        var vector = VersionVector()
        vector[origin] = last
        return archive.batches(in: vector)
    }

    @Test func `batches in any order, some of them twice, are there once, ascending`() {
        let entries = (0..<50).map { BatchArchiveTests.entry($0 * 3 + 1...$0 * 3 + 3) }
        var random = SplitMix64(seed: 1)
        for _ in 0..<20 {
            var shuffled = entries + entries.prefix(20)
            random.shuffle(&shuffled)
            var archive = BatchArchive()
            for entry in shuffled { archive.record(entry) }
            #expect(BatchArchiveTests.batches(archive, through: 150) == entries)
            #expect(BatchArchiveTests.batches(archive, through: 9) == Array(entries.prefix(3)))
        }
    }

    @Test(arguments: [
        (entry(4...6, 1), [entry(1...3), entry(4...6, 1), entry(7...9)]),
        (entry(4...8, 1), [entry(1...3), entry(4...8, 1)]),
        (entry(2...5, 1), [entry(2...5, 1), entry(7...9)]),
        (entry(3...5, 1), [entry(3...5, 1), entry(7...9)]),
        (entry(1...9, 1), [entry(1...9, 1)]),
        (entry(10...10, 1), [entry(1...3), entry(4...6), entry(7...9), entry(10...10, 1)]),
    ]) func `a batch replaces those that share a sequence with it`(
        _ new: LogEntry, _ expected: [LogEntry]
    ) {
        var archive = BatchArchive()
        for first in [1, 4, 7] as [UInt64] {
            archive.record(BatchArchiveTests.entry(first...first + 2))
        }
        archive.record(new)
        #expect(BatchArchiveTests.batches(archive, through: 20) == expected)
    }
}
