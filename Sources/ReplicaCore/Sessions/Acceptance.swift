import Convergence
import DataTree
import SyncProtocol

/// The decisions of the accepting node before a write becomes an operation. Peers do not repeat them.
enum Acceptance {
    /// Checks the writes of a client and resolves what depends on this moment: timestamps become the
    /// wall time, and priorities follow Firebase's rules for this replica's tree.
    ///
    /// Source: `convergence.md`, section 7.9, and `firebase-semantics.md`, sections 6 and 7.
    static func resolveServerValues(
        _ writes: [Write], seeing replica: ReplicationView
    ) throws(DataError) -> [Write] {
        for write in writes { try write.value.validate(at: write.path) }
        let (tree, wallMilliseconds) = (replica.tree, replica.now.wallMilliseconds)
        var resolved = writes
        for index in resolved.indices where resolved[index].value.containsDeferred {
            let write = resolved[index]
            resolved[index].value =
                write.path.last == .priority
                ? write.value.resolved(at: wallMilliseconds, against: tree[write.path])
                : write.value.resolvingTimestamps(at: wallMilliseconds)
                    .resolvingPriorities(at: wallMilliseconds, against: tree[write.path])
        }
        return resolvePriorities(resolved, in: tree, replica.registers)
    }

    /// Checks that every node would make the same operation of the writes: two operations with one
    /// stamp are one.
    ///
    /// A node may drop or add priorities that another one does not; the tree applies the union of
    /// both.
    static func check(stamped writes: [Write]) throws(DataError) {
        if let write = writes.first(where: \.value.containsTimestamp) {
            throw DataError(
                problem:
                    "the write of \(write.path) has a stamp and a server timestamp without a time",
                fix: "send the time as the option \"now\", or omit the stamp")
        }
        if let write = writes.first(where: \.incrementsPriority) {
            throw DataError(
                problem: "the write of \(write.path) has a stamp, and increments a priority",
                fix: "write the priority itself, or omit the stamp")
        }
    }

    /// Writes what becomes of priorities, as Firebase has it: what a location shows as its priority goes with its value.
    ///
    /// A location without a value has a priority nevertheless if the operation that emptied it is older, or came from a node
    /// that did not know the priority. It would show with the next value.
    private static func resolvePriorities(
        _ writes: [Write], in tree: Value, _ registers: Registers
    ) -> [Write] {
        let resolved = resolveShownPriorities(writes, in: tree)
        let hidden = writes.flatMap { write in
            write.putsValue ? registers.hiddenPriorities(above: write.path, in: tree) : []
        }
        return hidden.isEmpty ? resolved : removing(priorities: Set(hidden).sorted(), by: resolved)
    }

    /// Drops a priority for a location without a value, and removes that of a location that the writes leave empty.
    private static func resolveShownPriorities(_ writes: [Write], in tree: Value) -> [Write] {
        // Only these do either: most writes are neither.
        guard !writes.allSatisfy(\.putsValue) else { return writes }
        let priorityWrites = writes.filter { $0.path.last == .priority }
        // Each location once: removing a list's children one by one names the list as often.
        let emptied = Set(writes.flatMap { prioritizedAncestors(of: $0, in: tree) }).sorted()
        if priorityWrites.isEmpty, emptied.isEmpty { return writes }

        var after = tree
        for write in writes where write.path.last != .priority {
            after.set(write.value, at: write.path)
        }
        let resolved = writes.filter { write in
            write.path.last != .priority || write.value.isNull
                || !after[write.path.parent ?? .root].isNull
        }
        return removing(priorities: emptied.filter { after[$0].isNull }, by: resolved)
    }

    /// The writes, and those that remove the priorities of some locations, unless they write them already.
    private static func removing(priorities locations: [Path], by writes: [Write]) -> [Write] {
        writes
            + locations.map { Write(path: $0.appending(.priority), value: .null) }
            .filter { added in !writes.contains { $0.path.contains(added.path) } }
    }

    /// The locations above a removed one that have a priority, and lose it if they end up empty.
    private static func prioritizedAncestors(of write: Write, in tree: Value) -> [Path] {
        guard write.value.isNull, write.path.last != .priority else { return [] }
        var locations: [Path] = []
        var value = tree
        for (depth, key) in write.path.keys.enumerated() {
            if !value.priority.isNull {
                locations.append(Path(Array(write.path.keys.prefix(depth))))
            }
            value = value[key]
            if value.isNull { break }
        }
        return locations
    }
}

extension Write {
    /// Whether its location has a value afterwards, and so all above it.
    fileprivate var putsValue: Bool { !value.isNull && path.last != .priority }
}

extension Value {
    /// Resolves server values that stand as priorities, which are replicated as constants.
    fileprivate func resolvingPriorities(
        at milliseconds: UInt64, against old: Value
    ) -> Value {
        var content = content
        if case .object(let children) = content {
            var resolved = children
            for (key, child) in children where child.containsDeferred {
                resolved[key] = child.resolvingPriorities(at: milliseconds, against: old[key])
            }
            content = Value(resolved)
        }
        return content.prioritized(
            priority.resolved(at: milliseconds, against: old.priority))
    }
}
