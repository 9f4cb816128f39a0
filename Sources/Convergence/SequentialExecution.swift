public import DataTree
public import SyncProtocol

/// Defines what a replica shows: all operations that it has received, executed one after the other in
/// stamp order on an empty tree. Slow, short, and the oracle of every check.
///
/// The tree is kept as its leaves, primitives with their paths; a priority is a leaf at the reserved child
/// `.priority`. Source: `convergence.md`, sections 1 and 7.9.
public struct SequentialExecution: Sendable {
    /// Ascending by path, so that those at and below a location are neighbours.
    private var leaves: [(path: Path, value: Value)] = []

    /// An execution that has an empty tree, and has executed nothing.
    public init() {}

    /// The value after executing `operations`, given in any order and possibly repeated; operations that
    /// two nodes have made of one client's write count as one.
    public static func value(after operations: some Sequence<Operation>) -> Value {
        var execution = SequentialExecution()
        var last: Operation?
        for operation in operations.sorted(by: { $0.stamp < $1.stamp }) {
            if let union = last?.union(with: operation) {
                last = union
                continue
            }
            if let last { execution.execute(last) }
            last = operation
        }
        if let last { execution.execute(last) }
        return execution.value
    }

    /// Executes the next operation in stamp order.
    public mutating func execute(_ operation: Operation) {
        for write in operation.writes { execute(write) }
    }

    private mutating func execute(_ write: Write) {
        let replaced = range(below: write.path)
        var written = SequentialExecution.leaves(of: write.value, at: write.path)
        for index in written.indices {
            guard case .deferred(.increment(let delta)) = written[index].value else { continue }
            let old = leaves[replaced].first { $0.path == written[index].path }?.value.number
            written[index].value = (old.map { $0 + delta } ?? delta).value
        }
        leaves.replaceSubrange(replaced, with: written.sorted { $0.path < $1.path })
        // A priority stands beside the value of its location, and any other value takes the place of those above.
        if write.path.last == .priority || write.value.isNull { return }
        for count in 0..<write.path.count {
            removeLeaf(at: Path(Array(write.path.keys.prefix(count))))
        }
    }

    private mutating func removeLeaf(at path: Path) {
        let index = lowerBound(of: path)
        if index < leaves.count, leaves[index].path == path { leaves.remove(at: index) }
    }

    /// The tree that the leaves form; a priority shows if its location has a value.
    public var value: Value { SequentialExecution.value(of: leaves[...]) }

    /// A part of the tree: what `value` has at a path, made of its leaves alone.
    public func part(at path: Path) -> Value {
        SequentialExecution.value(of: leaves[range(below: path)])[path]
    }

    /// Whether a location is a leaf, whatever its priority.
    public func isLeaf(at path: Path) -> Bool {
        let index = lowerBound(of: path)
        return index < leaves.count && leaves[index].path == path
    }

    /// The priority of a location, which shows if the location has a value.
    public func priority(of path: Path) -> Value {
        leaves[range(below: path.appending(.priority))].first?.value ?? .null
    }

    private static func value(of leaves: ArraySlice<(path: Path, value: Value)>) -> Value {
        var value = Value.null
        for (path, leaf) in leaves where path.last != .priority { value.set(leaf, at: path) }
        for (path, priority) in leaves where path.last == .priority {
            guard let location = path.parent, !value[location].isNull else { continue }
            value.set(priority, at: path)
        }
        return value
    }

    /// The leaves at and below a location.
    private func range(below path: Path) -> Range<Int> {
        let first = lowerBound(of: path)
        let end = leaves[first...].firstIndex { !path.contains($0.path) }
        return first..<(end ?? leaves.count)
    }

    /// The first leaf that is not before a path.
    private func lowerBound(of path: Path) -> Int {
        var (low, high) = (0, leaves.count)
        while low < high {
            let middle = (low + high) / 2
            if leaves[middle].path < path { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The leaves of a value with their paths, including priorities.
    public static func leaves(
        of value: Value, at path: Path = .root
    ) -> [(path: Path, value: Value)] {
        var result: [(path: Path, value: Value)] = []
        if value.isPrimitive { result.append((path, value.content)) }
        for (key, child) in value.children {
            result += leaves(of: child, at: path.appending(key))
        }
        if !value.priority.isNull { result.append((path.appending(.priority), value.priority)) }
        return result
    }
}

extension Operation {
    /// Merges two operations with the same stamp into one; returns nil if their stamps differ.
    ///
    /// Both have the same writes, except for priorities that one of the nodes has dropped or added.
    public func union(with other: Operation) -> Operation? {
        guard stamp == other.stamp else { return nil }
        let added = other.writes.filter { write in !writes.contains { $0.path == write.path } }
        return Operation(stamp: stamp, writes: writes + added)
    }
}
