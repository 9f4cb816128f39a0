import Convergence
import DataTree
import SyncProtocol

/// Lets operations arrive at a tree one by one and compares it with the oracle after each.
struct ArrivalCheck {
    /// Returns what was wrong first, or nil.
    static func firstFailure(
        _ arrivals: [Operation], stableTimes: Generator? = nil
    ) -> String? {
        var tree = ConvergentTree()
        var received: [Stamp: Operation] = [:]
        var before = Value.null
        var stableTime = Stamp.none
        var stableTimes = stableTimes
        let stamps = Set(arrivals.map(\.stamp)).sorted()
        for (index, operation) in arrivals.enumerated() {
            if operation.stamp <= stableTime {
                // The stable time drops duplicates; anything else behind it was lost.
                if received[operation.stamp] == nil { return "arrival \(index) was lost" }
                continue
            }
            let changes = tree.apply(operation)
            received[operation.stamp] = operation
            let want = SequentialExecution.value(after: received.values)
            if tree.value != want { return "arrival \(index): \(tree.value), want \(want)" }
            if let failure = failure(in: changes, from: before, to: want) {
                return "arrival \(index): \(failure)"
            }
            if tree.digest != TreeDigest(of: want) {
                return "arrival \(index): the digest is not that of \(want)"
            }
            before = want

            guard stableTimes != nil, stableTimes!.chance(0.5) else { continue }
            for stamp in stamps {
                if received[stamp] != nil {
                    stableTime = max(stableTime, stamp)
                } else {
                    break
                }
            }
            tree.forget(through: stableTime)
            if tree.value != want { return "forgetting changed \(want) into \(tree.value)" }
            if !hasPriority(arrivals), let count = superfluousCount(in: tree, stableTime) {
                return "\(count) registers left that were stable"
            }
        }
        guard stableTimes != nil, received.count == stamps.count else { return nil }
        tree.forget(through: stamps.last!)
        let left =
            hasPriority(arrivals)
            ? superfluousCount(in: tree, stamps.last!) ?? 0 : tree.registerCount
        return left == 0 ? nil : "\(left) registers left when all is stable"
    }

    /// How many registers another tree forgets that visits all locations, where this one visits those that wait; nil if none.
    private static func superfluousCount(in tree: ConvergentTree, _ stableTime: Stamp) -> Int? {
        var again = ConvergentTree(value: tree.value, registers: tree.registers)
        again.forget(through: stableTime)
        let count = tree.registerCount - again.registerCount
        return count == 0 ? nil : count
    }

    /// Hidden priorities outlive stability, and those that are not stable wait for the removal that has hidden them.
    private static func hasPriority(_ operations: [Operation]) -> Bool {
        operations.contains { operation in
            operation.writes.contains { write in
                write.path.last == .priority
                    || SequentialExecution.leaves(of: write.value).contains {
                        $0.0.last == .priority
                    }
            }
        }
    }

    /// Checks that changes name exactly the leaves that differ, with their old and new values.
    static func failure(in changes: [Change], from before: Value, to after: Value) -> String? {
        if lead(changes, from: before, to: after) { return nil }
        var reported: [Path: (old: Value, new: Value)] = [:]
        for change in changes {
            let old = leafMap(change.old, at: change.path)
            let new = leafMap(change.new, at: change.path)
            for path in Set(old.keys).union(new.keys) {
                let first = reported[path]?.old ?? old[path] ?? .null
                reported[path] = (first, new[path] ?? .null)
            }
        }
        reported = reported.filter { $0.value.old != $0.value.new }

        let old = leafMap(before, at: .root)
        let new = leafMap(after, at: .root)
        for path in Set(old.keys).union(new.keys).union(reported.keys) {
            let from = old[path] ?? .null
            let to = new[path] ?? .null
            let told = reported[path] ?? (from, from)
            if told.old != from || told.new != to {
                return "at \(path) \(from) became \(to), reported \(reported[path] as Any)"
            }
        }
        return nil
    }

    /// Whether the changes lead from one value to the other, and back: then they name all leaves that differ, since a write
    /// ends others without a change of their own (a primitive above it, a priority), which do not come back.
    private static func lead(_ changes: [Change], from before: Value, to after: Value) -> Bool {
        var value = before
        for change in changes {
            guard value[change.path] == change.old else { return false }
            value.set(change.new, at: change.path)
        }
        guard value == after else { return false }
        for change in changes.reversed() { value.set(change.old, at: change.path) }
        return value == before
    }

    private static func leafMap(_ value: Value, at path: Path) -> [Path: Value] {
        let location = path.last == .priority ? path : path
        return Dictionary(
            SequentialExecution.leaves(of: value, at: location).map { ($0.path, $0.value) },
            uniquingKeysWith: { a, _ in a })
    }

    /// The shortest arrivals, made by leaving out, that still fail.
    static func shrink(_ arrivals: [Operation], _ fails: ([Operation]) -> Bool) -> [Operation] {
        var arrivals = arrivals
        var index = 0
        while index < arrivals.count {
            var fewer = arrivals
            fewer.remove(at: index)
            if !fewer.isEmpty, fails(fewer) {
                arrivals = fewer
                index = 0
            } else {
                index += 1
            }
        }
        return arrivals
    }
}
