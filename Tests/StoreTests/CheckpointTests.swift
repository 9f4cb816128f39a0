import DataTree
import Store
import SyncProtocol
import Testing

/// Checkpoints as a store writes, gives and recovers them.
@Suite struct CheckpointTests {
    @Test(arguments: TestTables.Kind.allCases)
    func `a checkpoint is valid once it is complete, whatever is committed in between`(
        kind: TestTables.Kind
    ) throws {
        var store = try TestStore(kind)
        try store.commit([turn(batch(1, 1, 4))])
        let first = checkpoint(20, holding: [1: 4])
        _ = try store.performAll(.writeCheckpoint(first))
        let second = checkpoint(30, holding: [1: 5])
        try store.commit([turn(batch(1, 5, 5))])
        var (next, steps): (StoreRequest?, UInt64) = (.writeCheckpoint(second), 0)
        while let request = next {
            var copy = store
            if kind == .memory {
                let recovered = try copy.restart()
                #expect(recovered.value == first.value)
                #expect(recovered.replayed.count == 2 + Int(steps))
            }
            next = nil
            switch try store.execute(request) {
            case .unfinished(let rest):
                next = rest
                steps += 1
                try store.commit([turn(batch(1, 5 + steps, 5 + steps))])
            case .replied(.checkpointed): break
            default: Issue.record("what else?")
            }
        }
        #expect(steps >= 3)
        let recovered = try store.restart()
        #expect(recovered.value == second.value)
        #expect(store.vector == VersionVector([1: 5 + steps]))
        #expect(recovered.replayed == [1, 5] + (1...steps).map { 5 + $0 })
    }

    @Test func `a row has one child, or several within its limit`() throws {
        // Each of these takes more than half of 60 bytes.
        let texts = (0..<4).map { String(repeating: "\($0)", count: 40) }
        var children = Children()
        for (number, text) in texts.enumerated() {
            children[Key(unchecked: "k\(number)")] = .string(text)
        }
        var store = try TestStore(.memory)
        _ = try store.performAll(.writeCheckpoint(checkpoint(of: children, holding: [:])))
        #expect(try store.numbers(in: .row).count == 4)
        for number in 0..<4 { children[Key(unchecked: "k\(number)")] = .integer(Int64(number)) }
        _ = try store.performAll(.writeCheckpoint(checkpoint(of: children, holding: [:])))
        #expect(try store.numbers(in: .row).count == 1)
    }

    @Test func `a child that is larger than a row has one of its own, and leaves none empty`()
        throws
    {
        var children = Children()
        for number in 0..<3 {
            children[Key(unchecked: "k\(number)")] = .string(String(repeating: "x", count: 100))
        }
        var store = try TestStore(.memory)
        _ = try store.performAll(.writeCheckpoint(checkpoint(of: children, holding: [:])))
        #expect(try store.numbers(in: .row).count == 3)
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `what a process began and did not complete goes with the next one`(
        kind: TestTables.Kind
    ) throws {
        var store = try TestStore(kind)
        let first = checkpoint(20, holding: [:])
        _ = try store.performAll(.writeCheckpoint(first))
        let rows = try store.numbers(in: .row)
        let second = checkpoint(90, holding: [:])
        for request in [.writeCheckpoint(second), .continueCheckpoint] as [StoreRequest] {
            _ = try store.execute(request)
        }
        #expect(try store.numbers(in: .row).count > rows.count)
        #expect(try store.restart().value == first.value)
        #expect(try store.numbers(in: .row).count > rows.count, "a start writes nothing")
        _ = try store.performAll(.writeCheckpoint(first))
        #expect(try store.numbers(in: .row) == rows)
        _ = try store.performAll(.writeCheckpoint(second))
        #expect(try store.restart().value == second.value)
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `a peer gets all rows, chunk by chunk, and the first ones where its own are of another`(
        kind: TestTables.Kind
    ) throws {
        var store = try TestStore(kind)
        func chunk(_ checkpoint: UInt64, after row: UInt64, limit: Int = 100) throws
            -> CheckpointChunk
        {
            let read = RowRead(member: "n2", checkpoint: checkpoint, after: row, byteLimit: limit)
            guard case .rows(let chunk, let same)? = try store.performAll(.readRows(read)).reply
            else { throw TestTables.Failure.other("no rows") }
            #expect(same == read)
            return chunk
        }
        let none = try chunk(0, after: 0)
        #expect(none.head.isEmpty && none.rows.isEmpty && none.isLast)
        _ = try store.performAll(.writeCheckpoint(checkpoint(30, holding: [1: 4])))
        let numbers = try store.numbers(in: .row)
        // The unfinished checkpoint is no part of it.
        _ = try store.execute(.writeCheckpoint(checkpoint(99, holding: [1: 4])))
        _ = try store.execute(.continueCheckpoint)
        let first = try chunk(0, after: 0)
        let last = try CheckpointHead(first.head).lastRow
        #expect(last == numbers.last && !first.isLast)
        var (found, after) = ([UInt64](), UInt64(0))
        while true {
            let chunk = try chunk(last, after: after)
            #expect(chunk.after == after && chunk.head == first.head)
            found += chunk.rows.map(\.id)
            after = chunk.rows.last?.id ?? after
            if chunk.isLast { break }
        }
        #expect(found == numbers)
        let end = try chunk(last, after: last)
        #expect(end.rows.isEmpty && end.isLast)
        #expect(try chunk(last + 1, after: last) == first)
        #expect(try chunk(last, after: 0, limit: .max).rows.map(\.id) == numbers)
    }
}
