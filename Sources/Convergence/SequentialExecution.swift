public import DataTree
public import SyncProtocol

/// Defines what a replica shows: all operations that it has received, executed one after the other in
/// stamp order on an empty tree. Slow, short, and the oracle of every check.
///
/// The tree is kept as its leaves, from path to primitive; a priority is a leaf at the reserved child
/// `.priority`. Source: `convergence.md`, sections 1 and 7.9.
public struct SequentialExecution: Sendable {
    private var leaves: [Path: Value] = [:]

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
        if write.path.last == .priority {
            leaves[write.path] = write.value.isNull ? nil : write.value
            return
        }
        let replaced = leaves.filter { write.path.contains($0.key) }
        for path in replaced.keys { leaves[path] = nil }
        if !write.value.isNull {
            for count in 0..<write.path.count {
                leaves[Path(Array(write.path.keys.prefix(count)))] = nil
            }
        }
        for (path, leaf) in SequentialExecution.leaves(of: write.value, at: write.path) {
            if case .deferred(.increment(let delta)) = leaf {
                leaves[path] = ((replaced[path]?.number.map { $0 + delta }) ?? delta).value
            } else {
                leaves[path] = leaf
            }
        }
    }

    /// The tree that the leaves form; a priority shows if its location has a value.
    public var value: Value { value { _ in true } }

    /// A child of the tree: what `value` has under a key, made of its leaves alone.
    public func child(_ key: Key) -> Value {
        value { $0.keys.first == key }[Path([key])]
    }

    /// Whether the root itself has a leaf: its only one, or its priority.
    public var hasLeafOfRoot: Bool {
        leaves[.root] != nil || leaves[Path([.priority])] != nil
    }

    private func value(of isIncluded: (Path) -> Bool) -> Value {
        var value = Value.null
        for (path, leaf) in leaves where path.last != .priority && isIncluded(path) {
            value.set(leaf, at: path)
        }
        for (path, priority) in leaves where path.last == .priority && isIncluded(path) {
            guard let location = path.parent, !value[location].isNull else { continue }
            value.set(priority, at: path)
        }
        return value
    }

    /// The leaves of a value with their paths, including priorities.
    public static func leaves(of value: Value, at path: Path = .root) -> [(Path, Value)] {
        var result: [(Path, Value)] = []
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
