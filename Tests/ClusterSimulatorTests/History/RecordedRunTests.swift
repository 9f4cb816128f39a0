import Convergence
import DataTree
import ReplicaCore
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// Records of three nodes and one client, as real ones make them, and with one thing wrong in each.
@Suite struct `A recorded run` {
    private let honest = RecordedStory()

    private func failures(_ change: (inout RecordedStory) -> Void) throws -> [Check] {
        var story = honest
        change(&story)
        return try story.results().filter { $0.verdict == .invalid }.map(\.check)
    }

    @Test func `of honest nodes passes every check`() throws {
        let results = try honest.results()
        #expect(results.map(\.check) == RecordedRun.checks)
        for result in results { #expect(result.verdict == .valid, "\(result)") }
    }

    @Test func `shows a node that ends without an acknowledged write`() throws {
        let failures = try failures { $0.forgetLast(at: 2) }
        #expect(failures.contains(.replicasEqual))
        #expect(failures.contains(.acknowledgedWritesSurvive))
    }

    @Test func `shows a tree that is not what the operations give`() throws {
        let failures = try failures { $0.shown[1] = .null }
        #expect(failures.contains(.replicasEqual))
        #expect(failures.contains(.acknowledgedPushes))
        #expect(failures.contains(.incrementsAddUp))
    }

    @Test func `shows a read without what its client has written`() throws {
        let failures = try failures { story in
            story.change(at: 1) { event in
                guard case .served(let session, let frame, _, _) = event,
                    case .message(let message)? = try? FrameReader<ClientMessage>
                        .messages(in: frame).first,
                    case .get = message.request
                else { return }
                event = .served(
                    session: session, frame: frame, before: VersionVector(), after: VersionVector())
            }
        }
        #expect(failures.contains(.readYourWrites))
        #expect(failures.contains(.updatesAreAtomic))
    }

    @Test func `shows a node that holds a write without what it depends on`() throws {
        let failures = try failures { story in
            story.change(at: 2) { event in
                guard case .turned(let writer, var vector, let stableTime, let wall) = event,
                    vector[RecordedStory.writers[1]] == 1
                else { return }
                vector = VersionVector()
                vector[RecordedStory.writers[1]] = 1
                event = .turned(
                    writer: writer, holds: vector, stableTime: stableTime, wallMilliseconds: wall)
            }
        }
        #expect(failures.contains(.causalOrder))
        #expect(failures.contains(.monotonicWrites))
    }

    @Test func `shows an answer that came before most disks had the write`() throws {
        let failures = try failures { story in
            for node in [1, 2] {
                story.remove(at: node) { if case .durable = $0 { true } else { false } }
            }
        }
        #expect(failures == [.writeConcernsHold])
    }

    @Test func `shows a node that comes back without what it had announced`() throws {
        let failures = try failures { $0.lastStart = VersionVector() }
        #expect(failures.contains(.restartIdentity))
    }

    @Test func `shows a node that serves before it has its data again`() throws {
        let failures = try failures { $0.addRecovery(of: 2, holding: VersionVector()) }
        #expect(failures.contains(.nodesCatchUpBeforeService))
        let others = try self.failures { $0.addRecovery(of: 2) }
        #expect(!others.contains(.nodesCatchUpBeforeService))
    }

    @Test func `shows what arrives although it had counted as stableTime`() throws {
        let failures = try failures { story in
            story.change(at: 0) { event in
                guard case .turned(let writer, let vector, _, let wall) = event else { return }
                event = .turned(
                    writer: writer, holds: vector, stableTime: .latest, wallMilliseconds: wall)
            }
        }
        #expect(failures == [.stableIsFinal])
    }

    @Test func `shows a stamp that is ahead of every clock`() throws {
        let failures = try failures { story in
            for node in 0..<3 {
                story.change(at: node) { event in
                    guard case .turned(let writer, let vector, let stableTime, let wall) = event
                    else { return }
                    event = .turned(
                        writer: writer, holds: vector, stableTime: stableTime,
                        wallMilliseconds: wall - 60_000)
                }
            }
        }
        #expect(failures == [.stampsAscend])
    }

    @Test func `leaves out what went with the only disk that had it`() throws {
        var story = honest
        // No other node ever had the last operations, and their node lost them.
        story.forgetLast(at: 0)
        story.forgetLast(at: 1)
        story.forgetLast(at: 2)
        story.losses = [(node: 1, time: story.end + 1)]
        let results = try story.results()
        let survival = try #require(
            results.first { $0.check == .acknowledgedWritesSurvive })
        #expect(survival.verdict == .valid, "\(survival)")
        #expect(survival.details.contains("1 acknowledged"))
    }
}

/// The records of three nodes, and of a client that moves from the first to the second.
struct RecordedStory {
    static let writers = (1...3).map { WriterID(bits: UInt64($0)) }
    private static let client = WriterID(bits: 9)
    private static let wall: UInt64 = 1_800_000_000_000
    private static let list = Path([Key(unchecked: "list")])
    private static let pair = Path([Key(unchecked: "pair")])
    private static let counter = Path([Key(unchecked: "counter")])

    private var incarnations: [[NodeRecord]] = []
    private var operations: [RecordedOperation] = []
    private var made: [Operation] = []
    private var held = VersionVector()
    private var time: UInt64 = 1_000
    /// The operations of the second node when it starts again.
    var lastStart: VersionVector?
    var shown: [Value] = []
    var losses: [(node: Int, time: UInt64)] = []
    var end: UInt64 { time }

    init() {
        incarnations = RecordedStory.writers.map { writer in
            [
                NodeRecord(microseconds: 1, .started(writer: writer, holds: VersionVector())),
                NodeRecord(microseconds: 2, .serving),
            ]
        }
        // Made by the generator, for 2027.
        let key = PushID(Key(unchecked: "-OhGqNTl0000000000AB"))?.key ?? .priority
        let child = Value.string("first")
        write(
            at: 0, .push(list: Self.list, key: key, value: child), concern: .majority,
            [Write(path: Self.list.appending(key), value: child)])
        let sides = ["a", "b"].map { Write(path: Path([Key(unchecked: $0)]), value: .integer(1)) }
        write(
            at: 1, .write(Self.pair, sides),
            sides.map { Write(path: Self.pair.appending($0.path), value: $0.value) })
        read(at: 1)
        write(
            at: 1, .increment(counter: Self.counter, by: 3),
            [Write(path: Self.counter, value: .deferred(.increment(.integer(3))))])
        read(at: 1)
        let value = SequentialExecution.value(after: made)
        shown = [value, value, value]
    }

    // MARK: What happens

    private mutating func note(_ node: Int, _ event: NodeRecord.Event) {
        time += 100
        incarnations[node].append(NodeRecord(microseconds: time, event))
    }

    private mutating func write(
        at node: Int, _ work: RecordedOperation.Work, concern: WriteConcern? = nil,
        _ writes: [Write]
    ) {
        time += 10_000
        let number = UInt64(operations.count + 1)
        let milliseconds = Self.wall + time / 1_000
        let stamp = Stamp(time: HybridTime(milliseconds: milliseconds), writer: Self.client)
        let origin = Self.writers[node]
        let operation = Operation(stamp: stamp, writes: writes)
        let batch = Batch(
            origin: origin, first: held[origin] + 1, wallMilliseconds: milliseconds,
            dependencies: held, operations: [operation])
        var asked = RecordedOperation(client: 0, work, invoked: time)
        asked.requests = [(connection: node, number: number)]
        let before = held
        held[origin] += 1
        let frame = ClientMessage.merge(
            id: number, path: .root, writes: writes, concern: concern, stamp: stamp
        ).frame
        note(node, .served(session: 1, frame: frame, before: before, after: held))
        made.append(operation)
        let bytes = BatchCoding.encode(batch)
        for holder in [node] + (0..<3).filter({ $0 != node }) {
            take(holder, bytes, milliseconds)
            if holder == node { note(node, .published(PeerMessage.batch(bytes).frame)) }
        }
        asked.completed = time + 50
        asked.outcome = .acknowledged(nil, acknowledgedAt: concern)
        operations.append(asked)
    }

    private mutating func take(_ node: Int, _ batch: [UInt8], _ milliseconds: UInt64) {
        note(
            node,
            .turned(
                writer: Self.writers[node], holds: held,
                stableTime: HybridTime(milliseconds: Self.wall + 1),
                wallMilliseconds: milliseconds + 1
            ))
        note(node, .stored([batch]))
        note(node, .durable(held))
    }

    private mutating func read(at node: Int) {
        time += 10_000
        let number = UInt64(operations.count + 1)
        var asked = RecordedOperation(client: 0, .get(Self.pair), invoked: time)
        asked.requests = [(connection: node, number: number)]
        let frame = ClientMessage.get(id: number, path: Self.pair).frame
        note(node, .served(session: 1, frame: frame, before: held, after: held))
        asked.completed = time + 50
        asked.outcome = .acknowledged(
            SequentialExecution.value(after: made)[Self.pair], acknowledgedAt: nil)
        operations.append(asked)
    }

    // MARK: What goes wrong

    mutating func change(at node: Int, _ body: (inout NodeRecord.Event) -> Void) {
        incarnations[node] = incarnations[node].map { record in
            var event = record.event
            body(&event)
            return NodeRecord(microseconds: record.microseconds, event)
        }
    }

    mutating func remove(at node: Int, where isGone: (NodeRecord.Event) -> Bool) {
        incarnations[node].removeAll { isGone($0.event) }
    }

    /// A node ends without the last operation, and as if it had never heard of it.
    mutating func forgetLast(at node: Int) {
        let all = held
        var less = held
        less[Self.writers[1]] -= 1
        if node != 1 {
            remove(at: node) { event in
                switch event {
                case .turned(_, all, _, _), .durable(all): true
                default: false
                }
            }
        }
        incarnations[node].append(
            NodeRecord(
                microseconds: time + 2 + UInt64(node),
                .started(writer: WriterID(bits: UInt64(20 + node)), holds: less)))
        if node == 1 { lastStart = less }
    }

    /// A node starts on an empty disk, and serves with this, or with all.
    mutating func addRecovery(of node: Int, holding vector: VersionVector? = nil) {
        let writer = WriterID(bits: 30)
        note(node, .started(writer: writer, holds: VersionVector()))
        note(
            node,
            .turned(
                writer: writer, holds: vector ?? held,
                stableTime: HybridTime(milliseconds: Self.wall + 1), wallMilliseconds: Self.wall))
        note(node, .serving)
    }

    // MARK: Judging

    func results() throws -> [CheckResult] { try run().evaluate(trees: shown) }

    func run() throws -> RecordedRun {
        var run = RecordedRun(nodes: ["n1", "n2", "n3"], clients: 1, durability: .commit)
        run.record(writer: Self.client, of: 0)
        for operation in operations { run.add(operation) }
        for (node, records) in incarnations.enumerated() {
            try run.add(incarnation: bytes(records), of: node)
        }
        let again = NodeRecord(
            microseconds: time + 10,
            .started(writer: WriterID(bits: 4), holds: lastStart ?? held))
        try run.add(incarnation: bytes([again]), of: 1)
        for (node, time) in losses { run.noteLoss(of: node, at: time) }
        return run
    }

    private func bytes(_ records: [NodeRecord]) -> [UInt8] {
        var writer = NodeRecordWriter()
        for record in records { writer.append(record) }
        return writer.takeBytes()
    }
}
