import DataTree
import Store
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// Whether what an evicted node replays is written where nothing is.
@Suite struct ReplaysConflictWithNothingTests {
    private static let former = WriterID(bits: 7)
    private static let writer = WriterID(bits: 8)
    private static let place = Path([
        Key(unchecked: "list"), Key(unchecked: "-PBNM4JdRl8ZcCvV8H4M"),
    ])

    private static func stamp(_ number: UInt64, of writer: WriterID) -> Stamp {
        Stamp(time: HybridTime(milliseconds: number), writer: writer)
    }

    /// A run in which a node made an operation as one writer, rejoined as another one that shows a tree, and replayed writes as one
    /// operation each.
    private func finding(showing value: Value, replaying writes: [Write]) throws -> Finding {
        var recording = Recording(nodes: 1, isOn: true, keepsValues: true)
        func store(_ operations: [Operation], by writer: WriterID, at time: Microseconds) throws {
            let batch = Batch(
                origin: writer, first: 1, wallMilliseconds: 0, dependencies: VersionVector(),
                operations: operations)
            try recording.record(
                stored: [LogEntry(BatchCoding.encode(batch))], by: writer, node: 0, incarnation: 1,
                at: time)
        }
        let originals = writes.indices.map {
            ReplaysConflictWithNothingTests.stamp(1 + UInt64($0), of: Self.former)
        }
        try store(
            zip(originals, writes).map { Operation(stamp: $0, writes: [$1]) }, by: Self.former,
            at: 1)
        var view = Recording.ReplicaView(writer: Self.writer, vector: VersionVector(), value: value)
        recording.record(start: view, node: 0, incarnation: 1, at: 2)
        view.vector[Self.writer] = UInt64(writes.count)
        try store(
            zip(originals, writes).enumerated().map { index, replay in
                Operation(
                    stamp: Self.stamp(10 + UInt64(index), of: Self.writer), writes: [replay.1],
                    alias: replay.0)
            }, by: Self.writer, at: 3)
        recording.record(
            turnOf: view, node: 0, incarnation: 1, stableTime: .zero, at: 3)
        let evidence = Evidence(
            Scenario(name: "replays"), History(), recording, nodes: [], losses: [], crashes: [])
        return ReplaysConflictWithNothing.evaluate(evidence)
    }

    private func write(_ value: Value) -> Write { Write(path: Self.place, value: value) }

    @Test func `a replay where nothing is conflicts with nothing`() throws {
        #expect(try finding(showing: .null, replaying: [write(.integer(1))]).verdict == .valid)
    }

    @Test func `a replay over a value is found`() throws {
        var value = Value.null
        value.set(.integer(2), at: Self.place)
        #expect(try finding(showing: value, replaying: [write(.integer(1))]).verdict == .invalid)
    }

    @Test func `a replay over the one before it, in the same turn, is found`() throws {
        let writes = [write(.integer(1)), write(.integer(2))]
        #expect(try finding(showing: .null, replaying: writes).verdict == .invalid)
    }

    @Test func `increments conflict with nothing`() throws {
        var value = Value.null
        value.set(.integer(2), at: Self.place)
        let increment = write(.deferred(.increment(.integer(1))))
        #expect(try finding(showing: value, replaying: [increment, increment]).verdict == .valid)
    }
}
