import DataTree
import Testing

@testable import SyncProtocol

@Suite struct LocationReportTests {
    @Test(arguments: [true, false])
    func `a report comes back as it was sent`(isLast: Bool) throws {
        var random = Seeded(12)
        for _ in 0..<50 {
            let (batches, held) = ((0..<3).map { _ in random.batch() }, random.vector())
            var report = LocationReport()
            (report.node, report.shown, report.stableMilliseconds) = ("n1", "5", 17)
            report.append(
                batches, at: .root, beyond: held, isLast: isLast,
                members: [batches[0].origin: "n1"])
            #expect(try LocationReport(report.value) == report)
            let all = batches.flatMap(\.operations).filter { !$0.writes.isEmpty }
            #expect(report.operations.map(\.stamp) == all.map(\.stamp))
            var reached = held
            for batch in batches { reached[batch.origin] = max(held[batch.origin], batch.last) }
            #expect(report.next == (isLast ? nil : reached))
        }
    }

    @Test func `only operations that touch the location are in it, each with its part there`()
        throws
    {
        let writes: [(String, Value)] = [
            ("a/b", 1), ("a", .object(named: [("b", .string(String(repeating: "x", count: 90)))])),
            ("a/b/c", .null), ("a/c", 4), ("", .object(named: [("z", 1)])),
            ("a/b", .deferred(.increment(.integer(2)))),
            ("a", .object(named: [("b", .object(named: [("d", 1)]))])),
        ]
        let operations = try writes.enumerated().map { index, write in
            Operation(
                stamp: Stamp(
                    time: HybridTime(milliseconds: UInt64(index)), writer: WriterID(bits: 9)),
                writes: [Write(path: try Path(write.0), value: write.1)])
        }
        let batch = Batch(
            origin: WriterID(bits: 9), first: 1, wallMilliseconds: 1,
            dependencies: VersionVector(), operations: operations)
        var report = LocationReport()
        report.append(
            [batch], at: try Path("a/b"), beyond: VersionVector(), isLast: true, members: [:])
        #expect(report.operations.map(\.sequence) == [1, 2, 3, 5, 6, 7])
        #expect(
            report.operations.flatMap(\.writes).map(\.kind)
                == ["value", "value", "nothing", "nothing", "increment", "object"])
        #expect(
            report.operations.flatMap(\.writes).map(\.text) == [
                "1", "\"\(String(repeating: "x", count: 60))…\", 90 bytes", "nothing", "nothing",
                "an increment by 2", "an object of 1 child",
            ])
    }
}
