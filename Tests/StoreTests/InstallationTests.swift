import DataTree
import Store
import SyncProtocol
import Testing

/// How the checkpoint of a peer becomes this node's own.
@Suite struct InstallationTests {
    /// The rows of a peer's checkpoint, and its head.
    private func peer(
        _ count: Int, holding vector: [UInt64: UInt64]
    ) throws -> (rows: [CheckpointRow], head: [UInt8]) {
        var store = try TestStore(.memory)
        _ = try store.performAll(.writeCheckpoint(checkpoint(count, holding: vector)))
        let read = RowRead(member: "n1", checkpoint: 0, after: 0, byteLimit: .max)
        guard case .rows(let chunk, _)? = try store.performAll(.readRows(read)).reply
        else { throw TestTables.Failure.other("no rows") }
        return (chunk.rows, chunk.head)
    }

    /// A checkpoint of 5 records, a log of origins 1 and 2, and what the peer's has.
    private func store(_ kind: TestTables.Kind) throws -> TestStore {
        var store = try TestStore(kind)
        _ = try store.performAll(.writeCheckpoint(checkpoint(5, holding: [:])))
        try store.commit([
            turn(
                batch(1, 1, 2, at: 10), batch(1, 3, 4, at: 30), batch(1, 5, 5, at: 50),
                batch(2, 1, 3, at: 20), batch(2, 4, 4, at: 40))
        ])
        return store
    }

    private func receive(_ rows: [CheckpointRow], at store: inout TestStore) throws {
        for (index, row) in rows.enumerated() {
            guard
                case .received? = try store.performAll(.receive([row], areFirst: index == 0)).reply
            else { throw TestTables.Failure.other("not received") }
        }
    }

    private func install(
        _ head: [UInt8], keepsLog: Bool = true, holding held: [UInt64: UInt64] = [:],
        at store: inout TestStore
    ) throws -> (value: Value, log: [UInt64])? {
        let request = StoreRequest.install(
            head: head, keepsLog: keepsLog, holding: VersionVector(held))
        guard case .installed(let installed)? = try store.performAll(request).reply else {
            throw TestTables.Failure.other("not installed")
        }
        return try installed.map { checkpoint, log in
            (checkpoint.value, try log.map { try BatchCoding.decodeHead($0).first })
        }
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `the log goes on from the checkpoint of the peer, where it does`(
        kind: TestTables.Kind
    ) throws {
        let cases:
            [(
                peer: [UInt64: UInt64], keepsLog: Bool, log: [UInt64], vector: [UInt64: UInt64]
            )] = [
                ([1: 2, 2: 3], true, [3, 4, 5], [1: 5, 2: 4]),
                ([1: 4], true, [1, 4, 5], [1: 5, 2: 4]),
                ([1: 5, 2: 9], true, [], [1: 5, 2: 9]),
                ([3: 7], true, [1, 1, 3, 4, 5], [1: 5, 2: 4, 3: 7]),
                // Peers have the batches that begin within the checkpoint or after it.
                ([1: 3, 2: 4], true, [], [1: 3, 2: 4]),
                ([1: 2, 2: 3], false, [], [1: 2, 2: 3]),
            ]
        let other = try peer(30, holding: [9: 9])
        for (holding, keepsLog, log, vector) in cases {
            var store = try store(kind)
            try receive(other.rows, at: &store)
            let (rows, head) = try peer(20, holding: holding)
            try receive(rows, at: &store)
            let held = keepsLog ? vector : [:]
            let installed = try install(head, keepsLog: keepsLog, holding: held, at: &store)
            #expect(installed?.value == checkpoint(20, holding: [:]).value)
            #expect(installed?.log == log, "\(holding)")
            #expect(store.vector == VersionVector(vector))
            let byteCount = store.logByteCount
            let recovered = try store.restart()
            #expect(recovered.value == installed?.value && recovered.replayed == log)
            #expect(store.vector == VersionVector(vector) && store.logByteCount == byteCount)
            #expect(try store.numbers(in: .received) == [])
            let next = (vector[1] ?? 0) + 1
            try store.commit([turn(batch(1, next, next))])
            _ = try store.performAll(
                .writeCheckpoint(checkpoint(21, holding: vector.merging([1: next]) { $1 })))
            #expect(try store.restart().value == checkpoint(21, holding: [:]).value)
        }
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `rows that are not whole are dropped, and all stays as it was`(
        kind: TestTables.Kind
    ) throws {
        let (rows, head) = try peer(20, holding: [1: 4])
        var (turned, otherHead) = (rows, head)
        var bytes = rows[2].bytes
        bytes[bytes.count / 2] ^= 1
        turned[2] = CheckpointRow(id: rows[2].id, bytes: bytes)
        otherHead[otherHead.count / 2] ^= 1
        let cases: [(rows: [CheckpointRow], head: [UInt8])] = [
            (Array(rows.dropFirst()), head), (Array(rows.dropLast()), head), (turned, head),
            (rows, otherHead), (rows, head.withProperties(6)), (rows, head.withProperties(9)),
            ([], head),
        ]
        for (rows, badHead) in cases {
            var store = try store(kind)
            let before = try store.restart()
            try receive(rows, at: &store)
            #expect(try install(badHead, at: &store) == nil)
            #expect(try store.numbers(in: .received) == [])
            #expect(try store.restart() == before)
            try receive(try peer(20, holding: [1: 4]).rows, at: &store)
            #expect(try install(head, at: &store)?.log == [1, 4, 5])
        }
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `nothing is installed that holds less than the node, or goes on from what is damaged`(
        kind: TestTables.Kind
    ) throws {
        let (rows, head) = try peer(20, holding: [1: 2])
        let cases: [(held: [UInt64: UInt64], damage: (inout TestStore) throws -> Void)] = [
            ([1: 6], { _ in }), ([3: 1], { _ in }),
            ([1: 5, 2: 4], { try $0.damage(.batch, 2, 4, to: nil) }),
            ([1: 5, 2: 4], { try $0.turnBit(.batch, 2, 4) }),
            ([:], { try $0.turnBit(.batch, 1, 3) }),
        ]
        for (held, damage) in cases {
            var store = try store(kind)
            try receive(rows, at: &store)
            try damage(&store)
            do throws(TestTables.Failure) {
                _ = try store.execute(
                    .install(head: head, keepsLog: true, holding: VersionVector(held)))
                Issue.record("\(held) is held")
            } catch {
                guard case .finding(.damage) = error else { throw error }
            }
        }
        var store = try store(kind)
        try receive(rows, at: &store)
        try store.turnBit(.batch, 1, 1)
        #expect(try install(head, holding: [1: 5, 2: 4], at: &store)?.log == [1, 3, 4, 5])
    }
}

extension [UInt8] {
    /// The head of a checkpoint, with the right checksum, that says it has so many properties.
    fileprivate func withProperties(_ count: Int) -> [UInt8] {
        var writer = MessagePackWriter()
        writer.appendArrayHead(count)
        self[1..<(self.count - 4)].withUnsafeBytes { writer.append(encoded: $0) }
        writer.appendChecksum()
        return writer.bytes
    }
}
