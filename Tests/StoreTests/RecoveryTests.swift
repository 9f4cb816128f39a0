import DataTree
import Store
import SyncProtocol
import Testing

/// A new process recovers the state of its disk, or refuses it.
@Suite struct RecoveryTests {
    /// A checkpoint of 20 records that holds 4 operations of origin 1, a log from 3 on, and more.
    private func store(_ kind: TestTables.Kind) throws -> TestStore {
        var store = try TestStore(kind)
        try store.commit([turn(batch(1, 1, 2, at: 10), batch(1, 3, 4, at: 20))])
        _ = try store.performAll(.writeCheckpoint(checkpoint(20, holding: [1: 4])))
        _ = try store.performAll(.truncate(VersionVector([1: 2])))
        try store.commit([
            Turn(
                number: 2,
                batches: [
                    batch(2, 1, 1, at: 30), batch(1, 5, 7, at: 50),
                    batch(2, 2, 5, at: 40, on: [1: 4]),
                    batch(2, 6, 6, at: 60, on: [1: 7]),
                ],
                properties: [Property(.clockBound, 9)])
        ])
        return store
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `the checkpoint, the log in the order of its times, and properties are recovered`(
        kind: TestTables.Kind
    ) throws {
        var store = try store(kind)
        let (vector, byteCount) = (store.vector, store.logByteCount)
        #expect(vector == VersionVector([1: 7, 2: 6]))
        let recovered = try store.restart()
        #expect(recovered.value == checkpoint(20, holding: [:]).value)
        #expect(recovered.replayed == [3, 1, 2, 5, 6])
        #expect(recovered.clockBound == 9)
        #expect(store.vector == vector && store.logByteCount == byteCount)
        let inventory = try store.inventory()
        #expect(inventory.vector == vector && inventory.orphans == 0)
        try store.commit([turn(batch(1, 8, 8), batch(2, 7, 7))])
        #expect(try store.restart().replayed == [3, 1, 2, 5, 8, 6, 7])
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `of nothing there is nothing`(kind: TestTables.Kind) throws {
        var store = try TestStore(kind)
        #expect(try store.restart() == Recovered())
        #expect(try store.inventory().vector == VersionVector())
        #expect(store.logByteCount == 0)
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `a batch is missing even between batches that the checkpoint covers`(
        kind: TestTables.Kind
    ) throws {
        var store = try TestStore(kind)
        try store.commit([turn(batch(1, 1, 2), batch(1, 3, 3), batch(1, 4, 4), batch(2, 1, 1))])
        _ = try store.performAll(.writeCheckpoint(checkpoint(5, holding: [1: 4, 2: 1])))
        #expect(try store.restart().replayed.sorted() == [1, 1, 3, 4])
        try store.damage(.batch, 1, 3, to: nil)
        #expect(throws: TestTables.Failure.self) { try store.restart() }
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `what is damaged or missing is found`(kind: TestTables.Kind) throws {
        let other = batch(3, 1, 1)
        let rows = try store(kind).rowNumbers
        let damages: [(String, (inout TestStore) throws -> Void)] = [
            ("a bit of a batch that the checkpoint covers", { try $0.turnBit(.batch, 1, 3) }),
            ("a bit of a later batch", { try $0.turnBit(.batch, 1, 5) }),
            ("another batch in its place", { try $0.damage(.batch, 1, 5, to: other.bytes) }),
            ("a batch after the checkpoint", { try $0.damage(.batch, 2, 1, to: nil) }),
            ("a batch between others", { try $0.damage(.batch, 2, 2, to: nil) }),
            ("the last batch, on which others rest", { try $0.damage(.batch, 1, 5, to: nil) }),
            ("a bit of a row", { try $0.turnBit(.row, 0, rows[1]) }),
            ("a row", { try $0.damage(.row, 0, rows[1], to: nil) }),
            ("the last row", { try $0.damage(.row, 0, rows.last!, to: nil) }),
            (
                "a row in another one's place",
                { store in
                    let bytes = try store.tables.rows(
                        in: .row, of: 0, rows[0]...rows[0], byteLimit: 0)[0].bytes
                    try store.damage(.row, 0, rows[1], to: bytes)
                }
            ),
            ("a bit of the head", { try $0.changeHead { $0[$0.count / 2] ^= 1 } }),
            ("the head", { try $0.changeHead { $0 = [] } }),
            (
                "a batch that begins within the checkpoint",
                { store in
                    try store.damage(.batch, 1, 3, to: nil)
                    try store.file(batch(1, 3, 5), damaging: 5)
                }
            ),
        ]
        for (what, damage) in damages {
            var damaged = try store(kind)
            try damage(&damaged)
            do throws(TestTables.Failure) {
                _ = try damaged.restart()
                Issue.record("\(what): nothing is found")
            } catch {
                guard case .finding(.damage) = error else { throw error }
                let later = #expect(throws: TestTables.Failure.self) {
                    try damaged.commit([turn(batch(9, 1, 1))])
                }
                #expect(later == error)
            }
        }
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `the last batch of an origin may be missing where nothing rests on it`(
        kind: TestTables.Kind
    ) throws {
        var store = try store(kind)
        try store.damage(.batch, 2, 6, to: nil)
        #expect(try store.restart().replayed == [3, 1, 2, 5])
        #expect(store.vector == VersionVector([1: 7, 2: 5]))
        try store.damage(.batch, 1, 3, to: nil)
        #expect(try store.restart().replayed == [1, 2, 5], "the checkpoint has it")
    }

    @Test func `recovery decodes in pieces, whatever decodes them`() throws {
        var store = try store(.memory)
        var pieces: [Int] = []
        let count = try store.inventory().vector.total
        let decoding = Decoding(
            rows: { rows in
                rows.map { row in Result { () throws(FrameError) in try DecodedRow(row) } }
            },
            batches: { batches, vector in
                #expect(vector == VersionVector([1: 4]))
                return batches.map { batch in
                    Result { () throws(FrameError) in try DecodedBatch(batch, coveredBy: vector) }
                }
            })
        var next = TestStore(store.tables, limits: .small)
        let replica = try next.recover(decoding: decoding) { _ in
            VersionVector()
        } replay: {
            vector, batch in
            pieces.append(batch.byteCount)
            vector[batch.head.origin] = batch.head.last
        }
        #expect(replica.total == count && pieces.count == 5)
    }
}

extension DurableStore where Rows == TestTables {
    fileprivate var rowNumbers: [UInt64] {
        get throws {
            var copy = self
            return try copy.numbers(in: .row)
        }
    }

    fileprivate mutating func changeHead(_ change: (inout [UInt8]) -> Void) throws {
        var head = try #require(try tables.property("checkpoint"))
        change(&head)
        let changed = head
        try tables.transaction(.now) { tables throws(TestTables.Failure) in
            try tables.setProperty("checkpoint", changed)
        }
    }

    /// Files a batch, and removes the one that begins at a sequence.
    fileprivate mutating func file(_ batch: LogEntry, damaging first: UInt64) throws {
        try damage(.batch, batch.origin.bits, first, to: nil)
        try tables.transaction(.now) { tables throws(TestTables.Failure) in
            try tables.insert(StoredRow(batch), into: .batch)
        }
    }
}
