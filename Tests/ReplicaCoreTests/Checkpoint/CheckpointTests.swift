import Convergence
import DataTree
import Store
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Checkpoints as a disk keeps them, over random operations.
@Suite struct CheckpointTests {
    /// Rows by ID, and the head.
    private struct Rows {
        var rows: [UInt64: [UInt8]] = [:]
        var head: [UInt8] = []
        var written = 0

        mutating func write(_ checkpoint: Checkpoint, with writer: inout CheckpointWriter) {
            writer.begin(checkpoint)
            while case let slice = writer.nextRows(), !slice.isEmpty {
                for row in slice {
                    #expect(rows.updateValue(row.bytes, forKey: row.id) == nil)
                    written += 1
                }
            }
            let end = writer.finish()
            for id in end.removed { #expect(rows.removeValue(forKey: id) != nil) }
            head = end.head
        }

        func read() throws -> RestoredCheckpoint {
            var reader = CheckpointReader(try CheckpointHead(head))
            for id in rows.keys.sorted() {
                reader.add(try DecodedRow(CheckpointRow(id: id, bytes: rows[id]!)))
            }
            return try reader.finish()
        }
    }

    private static let configuration = ReplicaConfiguration(
        cluster: "test", member: "n1", peers: ["n1", "n2"], durability: .commit, seed: 1)

    private static func batch(_ operation: Operation, _ sequence: UInt64) -> [UInt8] {
        BatchCoding.encode(
            Batch(
                origin: WriterID(bits: 7), first: sequence, wallMilliseconds: 1,
                dependencies: VersionVector(), operations: [operation]))
    }

    private static func apply(
        _ operation: Operation, _ sequence: UInt64, to replica: inout Replica
    ) throws {
        let bytes = batch(operation, sequence)
        replica.replay(try DecodedBatch(bytes, coveredBy: replica.vector))
    }

    @Test(arguments: 1...60)
    func `a replica that starts from any checkpoint ends where another does`(seed: Int) throws {
        var random = Generator(seed: UInt64(seed))
        let mix = Mix.draw(&random, priorities: true)
        let count = 60
        // Operations of one writer in arbitrary order: late ones need registers.
        let stamps = Array(1...count).shuffled(using: &random)
        let operations = stamps.map { mix.operation(&random, stamp: $0, depth: 4) }
        var rows = Rows()
        var writer = CheckpointWriter(limits: .init(row: 60, slice: 100))
        var replica = Replica(Self.configuration, properties: [])
        for (index, operation) in operations.enumerated() {
            try Self.apply(operation, UInt64(index) + 1, to: &replica)
            guard random.chance(0.3) else { continue }
            rows.write(replica.checkpoint, with: &writer)
            var restored = Replica(
                Self.configuration, properties: [], checkpoint: try rows.read())
            #expect(restored.value == replica.value)
            #expect(restored.vector == replica.vector)
            for later in index + 1..<min(index + 8, count) {
                try Self.apply(operations[later], UInt64(later) + 1, to: &restored)
                let held = Array(operations[...later])
                let expected = SequentialExecution.value(after: held)
                guard restored.value == expected else {
                    Issue.record("\(restored.value) after \(held), which give \(expected)")
                    return
                }
            }
            if random.chance(0.3) {
                writer = CheckpointWriter(
                    after: try rows.read(), limits: .init(row: 60, slice: 100))
            }
        }
    }

    @Test func `a row stored under another key is detected`() throws {
        let operation = Operation(stamp: Universe.stamp(1), writes: [])
        let (writer, bytes) = (WriterID(bits: 7), Self.batch(operation, 5))
        let right = LogEntry(origin: writer, first: 5, last: 5, bytes: bytes)
        #expect(right.isIntact)
        _ = try DecodedBatch(right, coveredBy: VersionVector())
        let wrong = [
            LogEntry(origin: writer, first: 9, last: 9, bytes: bytes),
            LogEntry(origin: writer, first: 5, last: 6, bytes: bytes),
            LogEntry(origin: WriterID(bits: 8), first: 5, last: 5, bytes: bytes),
        ]
        for entry in wrong {
            #expect(!entry.isIntact)
            #expect(throws: FrameError.self) { try DecodedBatch(entry, coveredBy: VersionVector()) }
        }
        var checkpoint = CheckpointWriter()
        checkpoint.begin(try Self.list(of: 10).checkpoint)
        let row = try #require(checkpoint.nextRows().first)
        _ = try DecodedRow(row)
        let other = CheckpointRow(id: row.id + 1, bytes: row.bytes)
        #expect(throws: FrameError.self) { try DecodedRow(other) }
    }

    /// A list of as many records.
    private static func list(of count: Int) throws -> Replica {
        var replica = Replica(Self.configuration, properties: [])
        for number in 0..<count {
            let key = Key(unchecked: "k\(100_000 + number)")
            let path = Path([Key(unchecked: "list"), key])
            let write = Write(path: path, value: .string("record \(number)"))
            let operation = Operation(stamp: Universe.stamp(number + 1), writes: [write])
            try apply(operation, UInt64(number) + 1, to: &replica)
        }
        return replica
    }

    @Test func `a small change of a large tree writes a few rows`() throws {
        var replica = try Self.list(of: 20_000)
        var rows = Rows()
        var writer = CheckpointWriter(limits: .init(row: 4_096))
        rows.write(replica.checkpoint, with: &writer)
        let all = rows.written
        #expect(all > 100)
        let write = Write(path: Universe.path("list/k110000"), value: .null)
        let operation = Operation(stamp: Universe.stamp(30_000), writes: [write])
        try Self.apply(operation, 20_001, to: &replica)
        rows.write(replica.checkpoint, with: &writer)
        #expect(rows.written - all <= 4)
        let restored = Replica(Self.configuration, properties: [], checkpoint: try rows.read())
        #expect(restored.value == replica.value)
        rows.write(replica.checkpoint, with: &writer)
        #expect(rows.written - all <= 4)
    }

    @Test
    func `an idle replica writes a checkpoint, and then one without forgotten registers`() {
        var configuration = Self.configuration
        configuration.peers = []
        configuration.durability = .memory
        configuration.checkpointBytes = 64 << 10
        var replica = Replica(configuration, properties: [])
        var milliseconds: UInt64 = 0
        func turns(for duration: UInt64, _ inputs: [Input] = []) -> [Checkpoint] {
            var checkpoints: [Checkpoint] = []
            for end in stride(from: milliseconds + 50, through: milliseconds + duration, by: 50) {
                milliseconds = end
                let now = Moment(
                    wallMilliseconds: 1_700_000_000_000 + end, elapsedMilliseconds: end)
                for input in [.turnBegan(now)] + inputs + [.turnEnded] {
                    for case .perform(.writeCheckpoint(let checkpoint)) in replica.step(input) {
                        checkpoints.append(checkpoint)
                    }
                }
            }
            for _ in checkpoints { _ = replica.step(.storeReplied(.checkpointed)) }
            return checkpoints
        }
        let push = ClientMessage.push(
            id: 1, path: Path([Key(unchecked: "list")]), value: .string("some text"))
        let session = SessionID(number: 1)
        let pushes = [Input](repeating: .requested(push.frame, by: session), count: 600)

        #expect(turns(for: 1_000).isEmpty, "there is nothing")
        #expect(turns(for: 50, pushes).isEmpty, "there is less than the interval")
        let quiet = turns(for: 2_200)
        #expect(quiet.count == 1)
        #expect(quiet.first?.registers.isEmpty == false)
        let later = turns(for: 12_000)
        #expect(later.count == 1)
        #expect(later.first?.registers.isEmpty == true)
        #expect(turns(for: 20_000).isEmpty, "nothing changes any more")
    }

    @Test func `damage is found: a bit, a missing row, a row of another checkpoint`() throws {
        let replica = try Self.list(of: 2_000)
        var rows = Rows()
        var writer = CheckpointWriter(limits: .init(row: 1_000))
        rows.write(replica.checkpoint, with: &writer)
        let ids = rows.rows.keys.sorted()

        var flipped = rows
        flipped.rows[ids[3]]![40] ^= 4
        #expect(throws: FrameError.self) { try flipped.read() }

        var short = rows
        short.rows[ids[3]] = nil
        #expect(throws: FrameError.self) { try short.read() }

        var doubled = rows
        doubled.rows[1_000_000] = rows.rows[ids[3]]
        #expect(throws: FrameError.self) { try doubled.read() }

        // The rows of a list, and none of what is above it.
        let first = try #require(rows.rows[ids[0]])
        var head = try CheckpointHead(rows.head)
        head.rowCount -= 1
        head.fingerprint &-= UInt64(first.withUnsafeBytes { Checksum.stored(in: $0) })
        var rootless = rows
        rootless.rows[ids[0]] = nil
        rootless.head = head.bytes
        #expect(throws: FrameError.self) { try rootless.read() }

        var headless = rows
        headless.head[3] ^= 1
        #expect(throws: FrameError.self) { try headless.read() }
    }
}
