import DataTree
import Store
import SyncProtocol
import Testing

/// The durable state survives a power failure at the worst moment.
@Suite struct DurabilityTests {
    private typealias Disk = DurableStore<MemoryTables>

    /// A new process, once the power was gone.
    private func afterPowerFailure(_ store: Disk) throws -> (store: Disk, found: Recovered) {
        var next = Disk(store.tables, limits: .small)
        next.tables.losePower(keeping: 0)
        let found = try next.recover { state in
            Recovered(
                value: state.checkpoint?.value ?? .null, orphans: state.orphans,
                clockBound: state.properties.first { $0.name == .clockBound }?.number)
        } replay: { recovered, batch in
            recovered.replayed.append(batch.head.first)
        }
        return (next, found)
    }

    private func perform(_ request: StoreRequest, at store: inout Disk) throws -> StoreReply? {
        var next = request
        while true {
            switch try store.execute(next) {
            case .done: return nil
            case .replied(let reply): return reply
            case .unfinished(let rest): next = rest
            }
        }
    }

    private func store(syncsEachTransaction: Bool = true) -> Disk {
        Disk(MemoryTables(syncsEachTransaction: syncsEachTransaction), limits: .small)
    }

    @Test func `a turn is durable once it is committed, or synchronized`() throws {
        for syncsEach in [true, false] {
            var store = store(syncsEachTransaction: syncsEach)
            let turn = Turn(
                number: 1, batches: [batch(1, 1, 2)], properties: [Property(.clockBound, 7)])
            try store.commit([turn])
            #expect(try afterPowerFailure(store).found.replayed == (syncsEach ? [1] : []))
            try store.synchronize()
            let found = try afterPowerFailure(store).found
            #expect(found.replayed == [1] && found.clockBound == 7)
        }
    }

    @Test func `what a process has found is durable before anything rests on it`() throws {
        var store = store(syncsEachTransaction: false)
        try store.commit([turn(batch(1, 1, 2))])
        store = Disk(store.tables, limits: .small)
        _ = try store.recover(begin: { _ in }, replay: { _, _ in })
        #expect(try afterPowerFailure(store).found.replayed == [])
        store.rewrite()
        #expect(try afterPowerFailure(store).found.replayed == [1])
    }

    @Test(arguments: [true, false])
    func `a checkpoint is durable before the log goes that it covers`(syncsEach: Bool) throws {
        var store = store(syncsEachTransaction: syncsEach)
        try store.commit([turn(batch(1, 1, 2))])
        let written = checkpoint(20, holding: [1: 2])
        _ = try perform(.writeCheckpoint(written), at: &store)
        #expect(try afterPowerFailure(store).found.value == written.value)
        _ = try perform(.truncate(VersionVector([1: 2])), at: &store)
        let (next, found) = try afterPowerFailure(store)
        #expect(found.value == written.value && next.vector == VersionVector([1: 2]))
    }

    @Test(arguments: [true, false])
    func `a checkpoint of a peer is durable before the replica rests on it`(
        syncsEach: Bool
    ) throws {
        var peer = store()
        let written = checkpoint(20, holding: [1: 2])
        _ = try perform(.writeCheckpoint(written), at: &peer)
        let read = RowRead(member: "n1", checkpoint: 0, after: 0, byteLimit: .max)
        guard case .rows(let chunk, _)? = try perform(.readRows(read), at: &peer) else {
            Issue.record("there is no checkpoint")
            return
        }
        var store = store(syncsEachTransaction: syncsEach)
        try store.commit([turn(batch(1, 1, 2), batch(1, 3, 3), batch(2, 1, 1))])
        _ = try perform(.receive(chunk.rows, areFirst: true), at: &store)
        let request = StoreRequest.install(
            head: chunk.head, keepsLog: true, holding: VersionVector([1: 3, 2: 1]))
        _ = try perform(request, at: &store)
        let (next, found) = try afterPowerFailure(store)
        #expect(found.value == written.value && found.replayed.sorted() == [1, 3])
        #expect(next.vector == VersionVector([1: 3, 2: 1]))
    }

    @Test func `nothing is written after a failure, whatever it was`() throws {
        let requests: [StoreRequest] = [
            .writeCheckpoint(checkpoint(5, holding: [:])), .truncate(VersionVector([1: 2])),
            .keepOrphans(WriterID(bits: 1), after: 0, through: 2), .receive([], areFirst: true),
        ]
        for request in requests {
            var store = store()
            try store.commit([turn(batch(1, 1, 2))])
            store.tables.fault = .fails
            #expect(throws: MemoryTables.Failure.notWritten) { try store.execute(request) }
            #expect(throws: MemoryTables.Failure.notWritten) {
                try store.commit([turn(batch(1, 3, 3))])
            }
            #expect(try afterPowerFailure(store).found.replayed == [1])
        }
    }
}
