import Convergence
import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// Executes again, after each turn of one node, all operations that it has received, and compares.
///
/// It keeps the execution at every sixteenth operation, so that a late one costs only what comes after it; and what the
/// operations give, of which it makes anew the children of the root in which one has written. The result is that of the naive
/// execution from the beginning: what a write below one child of the root does depends on nothing below another.
struct EveryTurnOracle {
    private static let stride = 16

    let isOn: Bool
    private let node: Int
    private var operations: [Operation] = []
    /// After 0, 16, 32, … operations.
    private var executions = [SequentialExecution()]
    /// After the first operations, so many.
    private var latest = SequentialExecution()
    private var executedCount = 0
    /// What the operations gave at the last turn, and the children of the root that have been written since; nil for all.
    private var expected = Value.null
    private var written: Set<Key>? = []
    private(set) var turnCount = 0
    /// The first difference.
    private(set) var failure: String?

    init(isOn: Bool, node: Int) {
        self.isOn = isOn
        self.node = node
    }

    /// A new process holds what is on the disk.
    mutating func restart(on batches: [LogEntry], showing value: Value) {
        guard isOn else { return }
        operations.removeAll()
        executions = [SequentialExecution()]
        (latest, executedCount) = (SequentialExecution(), 0)
        written = nil
        take(batches, showing: value, at: 0)
    }

    /// A turn added these batches, and the replica shows this.
    mutating func take(_ batches: [LogEntry], showing value: Value, at now: Microseconds) {
        guard isOn, failure == nil, !batches.isEmpty else { return }
        for entry in batches {
            do throws(FrameError) {
                for operation in try BatchCoding.decode(entry.bytes).operations
                where RulesRecord(operation) == nil {
                    insert(operation)
                }
            } catch {
                failure = "n\(node + 1) stored what is no batch: \(error)"
                return
            }
        }
        turnCount += 1
        execute()
        if value != expected {
            failure =
                "n\(node + 1) at \(now.description) shows something else than its "
                + "\(operations.count) operations give, at \(TreeDifference(value, expected))"
        }
    }

    /// The operations with stamps after a time.
    func operations(after time: HybridTime) -> ArraySlice<Operation> {
        operations[(operations.lastIndex { $0.stamp.time <= time } ?? -1) + 1..<operations.count]
    }

    /// What the operations would give together with these.
    func value(with late: [Operation]) -> Value {
        var oracle = self
        for operation in late { oracle.insert(operation) }
        oracle.execute()
        return oracle.expected
    }

    private mutating func insert(_ operation: Operation) {
        var index = operations.count
        while index > 0, operation.stamp < operations[index - 1].stamp { index -= 1 }
        if index > 0, let union = operations[index - 1].union(with: operation) {
            if union == operations[index - 1] { return }
            index -= 1
            operations[index] = union
        } else {
            operations.insert(operation, at: index)
        }
        let valid = index / EveryTurnOracle.stride + 1
        if executions.count > valid { executions.removeLast(executions.count - valid) }
        if executedCount > index {
            latest = executions[executions.count - 1]
            executedCount = (executions.count - 1) * EveryTurnOracle.stride
        }
        for write in operation.writes { note(write.path) }
    }

    /// The locations whose priorities were written, by themselves or with values.
    var priorityOwners: [Path] {
        operations.flatMap(\.writes).compactMap { write in
            if write.path.last == .priority { return write.path.parent }
            return write.value.priority.isNull ? nil : write.path
        }
    }

    private mutating func note(_ path: Path) {
        if let key = path.keys.first, key != .priority {
            written?.insert(key)
        } else {
            written = nil
        }
    }

    private mutating func execute() {
        for operation in operations[executedCount...] {
            latest.execute(operation)
            executedCount += 1
            if executedCount.isMultiple(of: EveryTurnOracle.stride) { executions.append(latest) }
        }
        if let written, !latest.hasLeafOfRoot, !expected.isPrimitive {
            for key in written { expected.set(latest.child(key), at: Path([key])) }
        } else {
            expected = latest.value
        }
        written = []
    }
}
