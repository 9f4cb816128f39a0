import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Replication by itself, without clients: operations in and out, and what a turn leaves behind.
@Suite struct ReplicationTests {
    private func receive(
        _ batch: Batch, by replication: inout Replication, isReceiving: Bool = true
    ) -> [Int64] {
        var writer = BatchWriter(origin: batch.origin)
        for operation in batch.operations { writer.append(operation) }
        let bytes = writer.finish(
            first: batch.first, wallMilliseconds: batch.wallMilliseconds,
            dependencies: batch.dependencies)
        replication.receive(batch: bytes, repaired: false, isReceiving: isReceiving)
        var applied: [Int64] = []
        while let next = replication.applyNext() {
            if case .integer(let number) = next.operation.writes[0].value { applied.append(number) }
        }
        return applied
    }

    private func receive(_ heartbeat: Heartbeat, by replication: inout Replication) {
        #expect(replication.receive(heartbeat) != .ignored)
    }

    @Test func `operations that it makes become one batch of the turn`() {
        var replication = Replication.ofThree()
        let writer = replication.writer
        for number in 1...3 {
            let applied = replication.accept([Write(path: "a", value: .integer(Int64(number)))])
            #expect(applied.changes.count == 1)
            #expect(applied.origin == writer)
        }
        replication.closeBatch()
        replication.closeBatch()
        #expect(replication.turn.entries.map(\.first) == [1])
        #expect(replication.turn.entries.map(\.last) == [3])
        #expect(replication.turn.published.count == 1)
        #expect(replication.vector == [writer: 3])
        #expect(replication.view.tree == Universe.object(["a": 3]))
    }

    @Test func `a batch ends with the operation that makes it larger than its limit`() {
        var limits = ReplicaLimits()
        limits.batchBytes = 300
        var replication = Replication.ofThree(within: limits)
        let value = Value.string(String(repeating: "x", count: 160))
        for _ in 1...5 { _ = replication.accept([Write(path: "a", value: value)]) }
        replication.closeBatch()
        #expect(replication.turn.entries.map(\.first) == [1, 3, 5])
        #expect(replication.turn.entries.map(\.last) == [2, 4, 5])
        #expect(replication.turn.published.count == 3)
    }

    @Test func `a batch names the operations of others since the previous one`() throws {
        var replication = Replication.ofThree()
        receive(.of("n2", 2), by: &replication)
        _ = receive(.of(2), by: &replication)
        var dependencies: [VersionVector] = []
        for _ in 1...2 {
            _ = replication.accept([Write(path: "b", value: 1)])
            replication.closeBatch()
            let entry = try #require(replication.turn.entries.last)
            dependencies.append(try BatchCoding.decode(entry.bytes).dependencies)
        }
        #expect(dependencies.map { $0[2] } == [1, 0])
    }

    @Test func `batches apply in order, each operation once`() {
        var replication = Replication.ofThree()
        receive(.of("n2", 2), by: &replication)
        #expect(receive(.of(2, first: 3), by: &replication) == [])
        #expect(receive(.of(2, first: 1, count: 2), by: &replication) == [1, 2, 3])
        #expect(receive(.of(2, first: 1, count: 2), by: &replication) == [])
        #expect(replication.counters.duplicates == 2)
        #expect(replication.counters.received == 3)
        #expect(replication.turn.entries.map(\.last) == [2, 3])
    }

    @Test func `a refused process ends, unless it is another one or a peer knows it`() {
        var replication = Replication.ofThree()
        #expect(replication.isRefused(replication.writer))
        #expect(!replication.isRefused(99))
        replication.peers.greet("n2", version: 1)
        #expect(!replication.isRefused(replication.writer))
        #expect(!replication.isRefused(99))
    }

    @Test func `no peer continues a node's own log, and distant stamps are refused`() {
        var replication = Replication.ofThree()
        receive(.of("n2", 2), by: &replication)
        #expect(receive(.of(replication.writer), by: &replication) == [])
        #expect(receive(.of(2, at: 1 << 45), by: &replication) == [])
        #expect(replication.counters.unknownPeers == 2)
        #expect(receive(.of(2), by: &replication, isReceiving: false) == [])
        #expect(receive(.of(8), by: &replication) == [], "of a writer that no member shows")
        #expect(replication.counters.dropped == 2)
    }

    @Test func `its stamps exceed all that it has taken`() {
        var replication = Replication.ofThree(clockBound: 2_000)
        receive(.of("n2", 2, at: 7_000), by: &replication)
        #expect(replication.nextStamp().time > 7_000)
        _ = receive(.of(2, at: 9_000), by: &replication)
        #expect(replication.nextStamp().time > 9_000)
    }

    @Test func `a removed member is out in all incarnations`() {
        let before = MemberList(
            of: .init(
                cluster: "test", member: "n1", peers: ["n2", "n3", "n4"], durability: .commit,
                seed: 1))
        var replication = Replication.ofThree(members: before)
        #expect(replication.peers.evictions.all.map(\.member) == ["n4"])
        replication.storeEvictions()
        replication.storeMembers()
        #expect(replication.turn.properties.map(\.name) == [.evictions, .members])
        let bytes = replication.turn.properties[1].bytes
        #expect(MemberList(bytes) == MemberList(of: replication.configuration))
        // The list is known now.
        var next = Replication.ofThree(members: MemberList(bytes))
        next.storeMembers()
        #expect(next.turn.properties == [])
    }

    // MARK: Stamps of clients

    @Test
    func `a stamp is admitted once, between the closed timestamp and the clock's limit`() {
        var replication = Replication.ofThree(at: 20_000)
        receive(.of("n2", 2, at: 20_000), by: &replication)
        _ = replication.passTime(isHeartbeatDue: true, closingUpTo: .latest)
        let done = Stamp(time: 19_000, writer: 70)
        _ = replication.accept([Write(path: "a", value: 1)], stamp: done)
        let table: [(Stamp, String)] = [
            (done, "done"), (Stamp(time: 19_001, writer: 70), "admitted"),
            (Stamp(time: 15_000, writer: 70), "refused"),
            (Stamp(time: 15_001, writer: 70), "admitted"),
            (Stamp(time: 30_000, writer: 70), "admitted"),
            (Stamp(time: 30_001, writer: 70), "refused"),
            (Stamp(time: 20_001, writer: 2), "notOfClient"),
            (Stamp(time: 20_001, writer: replication.writer), "notOfClient"),
        ]
        for (stamp, expected) in table {
            let found = "\(replication.admission(of: stamp))".prefix { $0 != "(" }
            #expect(found == expected, "\(stamp)")
        }
    }

    @Test func `absence of an operation is certain up to the stable time`() {
        var replication = Replication.ofThree()
        replication.stableTime = 900
        let stamp = Stamp(time: 900, writer: 70)
        #expect(replication.isDecided(stamp))
        #expect(!replication.isDecided(Stamp(time: 901, writer: 70)))
        _ = replication.peers.evictions.raise(Eviction(member: "n3", writer: 3), to: .back)
        #expect(!replication.isDecided(stamp), "n3 may still replay it")
        _ = replication.peers.evictions.raise(Eviction(member: "n3", writer: 3), to: .over)
        #expect(replication.isDecided(stamp))
    }
}
