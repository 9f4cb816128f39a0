import Store
import SyncProtocol
import Testing

/// The rules of the log: what it takes, gives, drops and keeps.
@Suite struct LogTests {
    @Test func `an entry is made of the bytes of its batch`() throws {
        let entry = batch(7, 3, 5)
        #expect(try LogEntry(entry.bytes) == entry)
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `a batch goes on where what is held of its origin ends`(kind: TestTables.Kind) throws {
        let cases: [(turns: [Turn], isTaken: Bool)] = [
            ([turn(batch(1, 1, 1))], true),
            ([turn(batch(1, 2, 2))], false),
            ([turn(batch(1, 1, 3)), turn(batch(1, 4, 4))], true),
            ([turn(batch(1, 1, 3), batch(1, 4, 4))], true),
            ([turn(batch(1, 1, 3)), turn(batch(1, 3, 4))], false),
            ([turn(batch(1, 1, 3)), turn(batch(1, 1, 3))], false),
            ([turn(batch(1, 1, 3)), turn(batch(1, 5, 5))], false),
            ([turn(batch(1, 1, 3)), turn(batch(2, 4, 4))], false),
            ([turn(batch(1, 1, 3), batch(2, 1, 1)), turn(batch(2, 2, 2), batch(1, 4, 5))], true),
        ]
        for (turns, isTaken) in cases {
            for isOneCommit in [true, false] {
                var store = try TestStore(kind)
                var error: TestTables.Failure?
                do throws(TestTables.Failure) {
                    for turns in isOneCommit ? [turns] : turns.map({ [$0] }) {
                        try store.commit(turns)
                    }
                } catch {
                    guard case .finding(.contradiction) = error else { throw error }
                }
                error = nil
                do throws(TestTables.Failure) { try store.commit([turn(batch(9, 1, 1))]) } catch let
                    failure
                { error = failure }
                #expect((error == nil) == isTaken, "\(turns)")
                let expected = isTaken ? turns : isOneCommit ? [] : Array(turns.dropLast())
                let held = expected.flatMap(\.batches).reduce(into: VersionVector()) {
                    $0[$1.origin] = $1.last
                }
                for (origin, sequence) in held.entries { #expect(store.vector[origin] == sequence) }
                let replayed = try store.restart().replayed.count
                #expect(replayed == expected.flatMap(\.batches).count + (isTaken ? 1 : 0))
            }
        }
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `a peer gets batches from the one that holds a sequence on, up to a damaged one`(
        kind: TestTables.Kind
    ) throws {
        var store = try TestStore(kind)
        let batches = [batch(1, 1, 3), batch(1, 4, 4), batch(1, 5, 9), batch(1, 10, 10)]
        try store.commit([Turn(number: 1, batches: batches, properties: [])])
        let size = batches[0].bytes.count
        let cases: [(from: UInt64, through: UInt64, limit: Int, found: [UInt64])] = [
            (1, 9, .max, [1, 4, 5]), (1, 10, .max, [1, 4, 5, 10]), (3, 3, .max, [1]),
            (4, 4, .max, [4]), (7, 8, .max, [5]), (10, 99, .max, [10]), (11, 99, .max, []),
            (1, 99, 0, [1]), (1, 99, size, [1]), (1, 99, size + batches[1].bytes.count, [1, 4]),
        ]
        func firsts(_ from: UInt64, _ through: UInt64, _ limit: Int) throws -> [UInt64] {
            let read = LogRead(
                member: "n2", origin: WriterID(bits: 1), from: from, through: through,
                byteLimit: limit)
            guard
                case .batches(let found, let same)? = try store.performAll(.readBatches(read)).reply
            else { return [0] }
            #expect(same == read)
            return try found.map { try BatchCoding.decodeHead($0).first }
        }
        for (from, through, limit, found) in cases {
            #expect(try firsts(from, through, limit) == found, "\(from) to \(through)")
        }
        try store.turnBit(.batch, 1, 5)
        #expect(try firsts(1, 10, .max) == [1, 4])
        #expect(try firsts(6, 10, .max) == [])
        try store.damage(.batch, 1, 5, to: batches[1].bytes)
        #expect(try firsts(1, 10, .max) == [1, 4])
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `a log loses what ends up to a sequence, some batches at a time`(
        kind: TestTables.Kind
    ) throws {
        let cases: [(bound: [UInt64: UInt64], steps: Int, left: [UInt64])] = [
            ([:], 1, [1, 4, 5, 10, 11]), ([1: 0], 1, [1, 4, 5, 10, 11]),
            ([1: 2], 1, [1, 4, 5, 10, 11]), ([1: 3], 1, [4, 5, 10, 11]),
            ([1: 8], 1, [5, 10, 11]), ([1: 9], 2, [10, 11]), ([1: 11], 2, []),
            ([1: 99, 2: 99], 2, []), ([2: 1], 1, [1, 4, 5, 10, 11]),
        ]
        for (bound, steps, left) in cases {
            var store = try TestStore(kind)
            let batches = [
                batch(1, 1, 3), batch(1, 4, 4), batch(1, 5, 9), batch(1, 10, 10), batch(1, 11, 11),
            ]
            try store.commit([Turn(number: 1, batches: batches, properties: [])])
            try store.commit([turn(batch(2, 1, 1))])
            let other = bound[2] == nil ? batch(2, 1, 1).bytes.count : 0
            let all = store.logByteCount
            #expect(all == (batches + [batch(2, 1, 1)]).reduce(0) { $0 + $1.bytes.count })
            let performed = try store.performAll(.truncate(VersionVector(bound)))
            #expect(performed.reply == nil && performed.steps == steps, "\(bound)")
            #expect(try store.numbers(in: .batch, of: 1) == left)
            let rest = batches.filter { left.contains($0.first) }
            #expect(store.logByteCount == rest.reduce(other) { $0 + $1.bytes.count })
            #expect(store.vector == VersionVector([1: 11, 2: 1]), "it is held all the same")
        }
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `orphaned batches stay, each once, until a turn has replayed them`(
        kind: TestTables.Kind
    ) throws {
        var store = try TestStore(kind)
        let (first, second, other) = (batch(7, 1, 2), batch(7, 3, 3), batch(3, 1, 1))
        try store.commit([turn(first, second, other)])
        func orphans(_ origin: UInt64, after sequence: UInt64) throws -> [[UInt8]] {
            let request = StoreRequest.keepOrphans(
                WriterID(bits: origin), after: sequence, through: origin == 7 ? 3 : 1)
            guard case .orphans(let kept)? = try store.performAll(request).reply else { return [] }
            return kept
        }
        #expect(try orphans(7, after: 2) == [second.bytes])
        #expect(try orphans(7, after: 3) == [second.bytes])
        #expect(try orphans(3, after: 0) == [other.bytes, second.bytes])
        #expect(try orphans(7, after: 0) == [other.bytes, first.bytes, second.bytes])
        _ = try store.performAll(.truncate(VersionVector([7: 3, 3: 1])))
        #expect(try store.inventory().orphans == 3)
        #expect(try store.restart().orphans == [other.bytes, first.bytes, second.bytes])
        try store.commit([turn(batch(8, 1, 1))])
        #expect(try store.restart().orphans.count == 3)
        try store.commit([turn(batch(8, 2, 2), clearsOrphans: true)])
        #expect(try store.restart().orphans == [])
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `what this node alone had is not orphaned in part`(kind: TestTables.Kind) throws {
        var store = try TestStore(kind)
        try store.commit([turn(batch(7, 1, 2), batch(7, 3, 3))])
        try store.turnBit(.batch, 7, 3)
        #expect(throws: TestTables.Failure.self) {
            try store.performAll(.keepOrphans(WriterID(bits: 7), after: 0, through: 3))
        }
        #expect(try store.numbers(in: .orphan, of: 7) == [])
    }

    @Test(arguments: TestTables.Kind.allCases, [1, 3, 4])
    func `a missing batch is no orphan that nobody misses`(
        kind: TestTables.Kind, missing: UInt64
    ) throws {
        var store = try TestStore(kind)
        try store.commit([turn(batch(7, 1, 2), batch(7, 3, 3), batch(7, 4, 6))])
        try store.damage(.batch, 7, missing, to: nil)
        #expect(throws: TestTables.Failure.self) {
            try store.performAll(.keepOrphans(WriterID(bits: 7), after: 0, through: 6))
        }
        #expect(try store.numbers(in: .orphan, of: 7) == [])
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `what the log no longer has is no missing orphan`(kind: TestTables.Kind) throws {
        var store = try TestStore(kind)
        try store.commit([turn(batch(7, 1, 2), batch(7, 3, 3), batch(7, 4, 6))])
        _ = try store.performAll(.writeCheckpoint(checkpoint(5, holding: [7: 3])))
        _ = try store.performAll(.truncate(VersionVector([7: 2])))
        let request = StoreRequest.keepOrphans(WriterID(bits: 7), after: 1, through: 6)
        _ = try store.performAll(request)
        #expect(try store.numbers(in: .orphan, of: 7) == [3, 4])
        _ = try store.performAll(.keepOrphans(WriterID(bits: 5), after: 2, through: 2))
        #expect(try store.numbers(in: .orphan, of: 5) == [])
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `no orphan is missing where the checkpoint ends inside a batch`(
        kind: TestTables.Kind
    ) throws {
        var store = try TestStore(kind)
        try store.commit([turn(batch(7, 1, 2), batch(7, 3, 6), batch(7, 7, 7))])
        _ = try store.performAll(.writeCheckpoint(checkpoint(5, holding: [7: 4])))
        _ = try store.performAll(.keepOrphans(WriterID(bits: 7), after: 0, through: 7))
        #expect(try store.numbers(in: .orphan, of: 7) == [1, 3, 7])
    }
}
