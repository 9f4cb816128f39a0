import Convergence
import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// Executes again, after each turn of one node, all operations that it has received, and compares.
///
/// It keeps the execution at every sixteenth operation, so that a late one repeats only its successors. It also keeps
/// the resulting value, and recomputes only the changed children of the root, or their children. The result equals the
/// naive execution: the effect of a write below one child depends on no other child.
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
    /// The result of the operations at the last turn, and the locations written since: children of the root and
    /// theirs; nil for everywhere.
    private(set) var expected = Value.null
    private var written: Set<Path>? = []
    private(set) var turnCount = 0
    /// The first difference.
    private(set) var failure: String?
    /// The first location at which it shows.
    private(set) var differingPath: Path?

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
        record(batches, showing: value, at: 0)
    }

    /// A turn added these batches, and the replica shows this.
    mutating func record(_ batches: [LogEntry], showing value: Value, at now: Microseconds) {
        guard isOn, failure == nil, !batches.isEmpty, add(batches) else { return }
        turnCount += 1
        if value != expected {
            let difference = TreeDifference(value, expected)
            differingPath = difference.path
            failure =
                "n\(node + 1) at \(now.description) shows something else than its "
                + "\(operations.count) operations give, at \(difference)"
        }
    }

    /// Adds and executes the operations of batches without a comparison; false if they cannot be read.
    @discardableResult
    mutating func add(_ batches: [LogEntry]) -> Bool {
        for entry in batches {
            do throws(FrameError) {
                for operation in try BatchCoding.decode(entry.bytes).operations
                where RulesRecord(operation) == nil {
                    insert(operation)
                }
            } catch {
                failure = "n\(node + 1) stored what is no batch: \(error)"
                return false
            }
        }
        execute()
        return true
    }

    /// The operations with stamps after a time.
    func operations(after time: HybridTime) -> ArraySlice<Operation> {
        operations[(operations.lastIndex { $0.stamp.time <= time } ?? -1) + 1..<operations.count]
    }

    /// The result of the operations together with these.
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
        for write in operation.writes { record(write.path) }
    }

    /// The locations whose priorities were written, by themselves or with values.
    var priorityOwners: [Path] {
        operations.flatMap(\.writes).compactMap { write in
            if write.path.last == .priority { return write.path.parent }
            return write.value.priority.isNull ? nil : write.path
        }
    }

    private mutating func record(_ path: Path) {
        if path.isRoot { written = nil } else { written?.insert(Path(Array(path.keys.prefix(2)))) }
    }

    private mutating func execute() {
        for operation in operations[executedCount...] {
            latest.execute(operation)
            executedCount += 1
            if executedCount.isMultiple(of: EveryTurnOracle.stride) { executions.append(latest) }
        }
        if let written, !expected.isPrimitive, !latest.isLeaf(at: .root) {
            for path in written { remake(path) }
        } else {
            expected = latest.value
        }
        written = []
    }

    /// Makes a part anew, or the one above if that has no parts.
    private mutating func remake(_ path: Path) {
        guard let above = path.parent else { return }
        if !above.isRoot, expected[above].isPrimitive || latest.isLeaf(at: above) {
            return remake(above)
        }
        if path.last != .priority { expected.set(latest.part(at: path), at: path) }
        restorePriority(of: above)
        restorePriority(of: .root)
    }

    /// A priority goes with the last child of its location, and comes back with the next one.
    private mutating func restorePriority(of path: Path) {
        if expected[path].isNull { return }
        expected.set(latest.priority(of: path), at: path.appending(.priority))
    }
}
