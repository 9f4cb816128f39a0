import DataTree
import Testing

@testable import SyncProtocol

@Suite struct LoggedWritesTests {
    @Test(arguments: [true, false])
    func `a part of a log comes back as it was told`(isLast: Bool) throws {
        var random = Seeded(11)
        for _ in 0..<50 {
            let (batches, held) = ((0..<3).map { _ in random.batch() }, random.vector())
            let part = LoggedWrites(
                of: batches, beyond: held, isLast: isLast, members: [batches[0].origin: "n1"])
            #expect(try LoggedWrites(part.value) == part)
            #expect(part.writes.count == batches.reduce(0) { $0 + $1.operations.count })
            #expect(part.writes.prefix { $0.member == "n1" }.count == batches[0].operations.count)
            var reached = held
            for batch in batches { reached[batch.origin] = max(held[batch.origin], batch.last) }
            #expect(part.next == (isLast ? nil : reached))
        }
    }

    @Test func `what is no part of a log is refused`() {
        var write = Children()
        write[Key(unchecked: "time")] = .string("now")
        var writes = Children()
        writes[Key(index: 0)] = Value(write)
        var answer = Children()
        answer[Key(unchecked: "writes")] = Value(writes)
        #expect(throws: DataError.self) { try LoggedWrites(Value(answer)) }
    }
}
