import Convergence
import DataTree
import ReplicaCore
import Store
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The trees that a replica would show if further operations arrived.
@Suite struct LateWritesTests {
    private static let origin = WriterID(bits: 7)

    private static func operation(_ number: UInt64, _ random: inout SplitMix64) -> Operation {
        let keys = ["a", "b"].map { Key(unchecked: $0) }
        let path = Path((0...random.index(below: 2)).map { _ in keys[random.index(below: 2)] })
        var object = Value.null
        object.set(.integer(1), at: Path([keys[0]]))
        let values: [Value] = [.null, .integer(2), .deferred(.increment(.integer(3))), object]
        return Operation(
            stamp: Stamp(time: HybridTime(milliseconds: 1_000 + number), writer: origin),
            writes: [Write(path: path, value: values[random.index(below: 4)])])
    }

    /// A state after some operations, its oracle, and the time up to which nothing can arrive.
    private func state(
        _ seed: UInt64, stable: UInt64
    ) throws -> (state: Checkpoint, oracle: EveryTurnOracle) {
        var random = SplitMix64(seed: seed)
        var tree = ConvergentTree()
        var oracle = EveryTurnOracle(isOn: true, node: 0)
        for number in 1...30 as ClosedRange<UInt64> {
            let operation = LateWritesTests.operation(number, &random)
            _ = tree.apply(operation)
            let entry = try LogEntry(
                BatchCoding.encode(
                    Batch(
                        origin: LateWritesTests.origin, first: number, wallMilliseconds: 0,
                        dependencies: VersionVector(), operations: [operation])))
            oracle.record([entry], showing: tree.value, at: 0)
        }
        let time = HybridTime(milliseconds: 1_000 + stable)
        tree.forget(through: Stamp(time: time, writer: WriterID(bits: .max)))
        let state = Checkpoint(
            value: tree.value, registers: tree.registers, vector: VersionVector(), stableTime: time,
            time: time, stamps: DeduplicationTable(ofClient: 1_024, total: 1 << 18))
        return (state, oracle)
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `a state that remembers what it needs is right, whatever arrives`(_ seed: UInt64) throws {
        let (state, oracle) = try state(seed, stable: 10)
        #expect(oracle.failure == nil)
        var late = LateWrites(node: "n1", random: SplitMix64(seed: seed))
        for _ in 0..<50 { late.arrive(at: state, beside: oracle, at: 0) }
        #expect(late.failure == nil)
        #expect(late.count >= 50)
    }

    @Test func `a state that remembers too little is found`() throws {
        let (state, oracle) = try state(1, stable: 10)
        let poor = Checkpoint(
            value: state.value, registers: Registers(), vector: state.vector,
            stableTime: state.stableTime, time: state.time, stamps: state.stamps)
        var late = LateWrites(node: "n1", random: SplitMix64(seed: 1))
        for _ in 0..<50 { late.arrive(at: poor, beside: oracle, at: 0) }
        #expect(late.failure?.contains("n1") == true)
    }

    @Test func `nothing arrives where all is stable`() throws {
        let (state, oracle) = try state(2, stable: 40)
        var late = LateWrites(node: "n1", random: SplitMix64(seed: 1))
        late.arrive(at: state, beside: oracle, at: 0)
        #expect(late.count == 0 && late.failure == nil)
    }
}
