import Convergence
import DataTree
import Store
import SyncProtocol

typealias TestStore = DurableStore<TestTables>

/// An encoded batch of an origin.
func batch(
    _ origin: UInt64, _ first: UInt64, _ last: UInt64, at milliseconds: UInt64 = 1,
    on dependencies: [UInt64: UInt64] = [:]
) -> LogEntry {
    let origin = WriterID(bits: origin)
    let operations = (first...last).map { sequence in
        Operation(
            stamp: Stamp(time: HybridTime(milliseconds: sequence), writer: origin),
            writes: [
                Write(
                    path: Path([Key(unchecked: "k\(sequence)")]), value: .integer(Int64(sequence)))
            ])
    }
    return LogEntry(
        origin: origin, first: first, last: last,
        bytes: BatchCoding.encode(
            Batch(
                origin: origin, first: first, wallMilliseconds: milliseconds,
                dependencies: VersionVector(dependencies), operations: operations)))
}

func turn(_ batches: LogEntry..., clearsOrphans: Bool = false) -> Turn {
    Turn(number: 1, batches: batches, properties: [], clearsOrphans: clearsOrphans)
}

extension VersionVector {
    init(_ sequences: [UInt64: UInt64]) {
        self.init()
        for (origin, sequence) in sequences { self[WriterID(bits: origin)] = sequence }
    }
}

/// A checkpoint of a list of records, which takes some rows.
func checkpoint(_ count: Int, holding vector: [UInt64: UInt64]) -> Checkpoint {
    var children = Children()
    for number in 0..<count {
        children[Key(unchecked: "k\(100 + number)")] = .string("the record \(number)")
    }
    return checkpoint(of: children, holding: vector)
}

/// A checkpoint of these children, without registers.
func checkpoint(of children: Children, holding vector: [UInt64: UInt64]) -> Checkpoint {
    Checkpoint(
        value: Value(children), registers: Registers(), vector: VersionVector(vector),
        stableTime: .zero, time: .zero, stamps: DeduplicationTable(ofClient: 1_024, total: 1 << 18))
}

/// The result of a recovery.
struct Recovered: Equatable {
    var value = Value.null
    var orphans: [[UInt8]] = []
    var clockBound: UInt64?
    /// The first sequences of the batches of the log, as they are replayed.
    var replayed: [UInt64] = []
}

extension DurableStore where Rows == TestTables {
    /// An empty store that does little at a time.
    init(_ kind: TestTables.Kind) throws { self.init(try TestTables(kind), limits: .small) }

    /// The state that a new process recovers.
    mutating func restart() throws(Failure) -> Recovered {
        self = DurableStore(tables, limits: .small)
        return try recover { state in
            Recovered(
                value: state.checkpoint?.value ?? .null, orphans: state.orphans,
                clockBound: state.properties.first { $0.name == .clockBound }?.number)
        } replay: { recovered, batch in
            recovered.replayed.append(batch.head.first)
        }
    }

    /// Performs a request to its end; returns the reply, and in how many steps it came.
    mutating func performAll(
        _ request: StoreRequest
    ) throws(Failure) -> (reply: StoreReply?, steps: Int) {
        var (next, steps) = (request, 0)
        while true {
            steps += 1
            switch try execute(next) {
            case .done: return (nil, steps)
            case .replied(let reply): return (reply, steps)
            case .unfinished(let rest): next = rest
            }
        }
    }

    /// Something else is stored than was written.
    mutating func damage(
        _ table: Table, _ owner: UInt64, _ number: UInt64, to bytes: [UInt8]?
    ) throws(Failure) {
        let row = try tables.rows(in: table, of: owner, number...number, byteLimit: 0)[0]
        try tables.transaction(.now) { tables throws(TestTables.Failure) in
            _ = try tables.remove(from: table, of: owner, number...number, limit: 1)
            guard let bytes else { return }
            try tables.insert(
                StoredRow(owner: owner, number: number, last: row.last, bytes: bytes), into: table)
        }
    }

    /// Turns a bit of a row.
    mutating func turnBit(
        _ table: Table, _ owner: UInt64, _ number: UInt64
    ) throws(Failure) {
        var bytes = try tables.rows(in: table, of: owner, number...number, byteLimit: 0)[0].bytes
        bytes[bytes.count / 2] ^= 4
        try damage(table, owner, number, to: bytes)
    }

    mutating func numbers(in table: Table, of owner: UInt64 = 0) throws(Failure) -> [UInt64] {
        try tables.rows(in: table, of: owner, 0...(.max), byteLimit: .max).map(\.number)
    }
}

extension StoreLimits {
    static let small: StoreLimits = {
        var limits = StoreLimits()
        limits.checkpoint = CheckpointWriter.Limits(row: 60, slice: 100)
        limits.truncatedBatches = 3
        limits.logBytes = 60
        limits.decodedBytes = 100
        return limits
    }()
}
