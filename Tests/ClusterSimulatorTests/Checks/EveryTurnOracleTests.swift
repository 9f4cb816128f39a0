import Convergence
import DataTree
import ReplicaCore
import Store
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The comparison of a replica, after each turn, with the execution of what it has received.
@Suite struct EveryTurnOracleTests {
    private static let origin = WriterID(bits: 7)

    /// A place of any depth, the root and its priority among them.
    private static func path(_ random: inout SplitMix64) -> Path {
        let keys = ["a", "b", "c"].map { Key(unchecked: $0) }
        var path = Path(
            (0..<random.index(below: 4)).map { _ in keys[random.index(below: keys.count)] })
        if random.index(below: 5) == 0 { path = path.appending(.priority) }
        return path
    }

    private static func value(_ random: inout SplitMix64) -> Value {
        switch random.index(below: 5) {
        case 0: .null
        case 1: .deferred(.increment(.integer(3)))
        case 2: .string("x")
        default: .integer(Int64(random.number(below: 9)))
        }
    }

    private static func operation(_ number: UInt64, _ random: inout SplitMix64) -> Operation {
        var path = path(&random)
        // Mostly below the root, where writes leave each other alone.
        if path.count < 2, random.index(below: 8) != 0 {
            path = Path([Key(unchecked: "d"), Key(unchecked: "e")])
        }
        var value = value(&random)
        if path.last == .priority, case .deferred = value.content { value = .integer(1) }
        return Operation(
            stamp: Stamp(time: HybridTime(milliseconds: 1_000 + number), writer: origin),
            writes: [Write(path: path, value: value)])
    }

    private static func entry(_ number: UInt64, _ operation: Operation) throws -> LogEntry {
        try LogEntry(
            BatchCoding.encode(
                Batch(
                    origin: origin, first: number, wallMilliseconds: 0,
                    dependencies: VersionVector(), operations: [operation])))
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a replica that shows the naive execution is right, whatever order things come in`(
        _ seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        var operations = (1...120 as ClosedRange<UInt64>).map {
            EveryTurnOracleTests.operation($0, &random)
        }
        // A quarter of them comes late.
        for index in operations.indices where random.index(below: 4) == 0 {
            operations.swapAt(index, min(operations.count - 1, index + random.index(below: 20)))
        }
        var oracle = EveryTurnOracle(isOn: true, node: 0)
        var received: [Operation] = []
        for (index, operation) in operations.enumerated() {
            received.append(operation)
            let entry = try EveryTurnOracleTests.entry(UInt64(index) + 1, operation)
            oracle.record([entry], showing: SequentialExecution.value(after: received), at: 0)
            #expect(oracle.failure == nil)
        }
        #expect(oracle.turnCount == operations.count)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a replica that has left out an operation is found`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var oracle = EveryTurnOracle(isOn: true, node: 0)
        var shown: [Operation] = []
        for number in 1...60 as ClosedRange<UInt64> {
            let operation = EveryTurnOracleTests.operation(number, &random)
            let right = SequentialExecution.value(after: shown + [operation])
            let wrong = SequentialExecution.value(after: shown)
            shown.append(operation)
            let isLeftOut = number > 30 && right != wrong
            oracle.record(
                [try EveryTurnOracleTests.entry(number, operation)],
                showing: isLeftOut ? wrong : right, at: 0)
            #expect((oracle.failure != nil) == isLeftOut)
            if isLeftOut { return }
        }
    }
}
