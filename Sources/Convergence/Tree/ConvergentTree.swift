public import DataTree
public import SyncProtocol

/// The tree that a replica shows: exactly the result of executing all operations that it has
/// received, one after the other in stamp order, in whatever order they arrived.
///
/// An operation is applied in one pass, which never sorts and never executes an operation again. The
/// visible value and the registers (`Registers`) are two parallel trees; a location without
/// registers costs nothing besides its value. Source: `convergence.md`, sections 2 to 5 and 7.
public struct ConvergentTree: Sendable {
    /// The tree as readers see it.
    public private(set) var value = Value.null

    package private(set) var registers = Registers()
    private var forgettable = StampQueue()
    /// No operation in the tree has a later stamp.
    private var newest = Stamp.none
    private var digestSum = DigestSum()
    /// Large registers that the last operation has dropped, until `takeDropped`.
    private var dropped: [SortedMap<Registers>] = []

    /// The number of writes that lost on arrival: a later write of another writer, which had not seen them, was at or above
    /// their location already.
    ///
    /// It depends on the order of arrival, so it is no part of the replica's state.
    package private(set) var overwrittenWrites: UInt64 = 0

    /// An empty tree.
    public init() {}

    /// Restores a tree from its value and its registers.
    ///
    /// - Complexity: O(registers).
    package init(value: Value, registers: Registers) {
        self.value = value
        self.registers = registers
        newest = registers.newest
        forgettable = StampQueue { registers.forEachRemembered(at: .root, $0) }
        digestSum = .unknown
    }

    /// Applies an operation, which may arrive late or twice; returns exactly what it changed.
    ///
    /// The paths of the operation's writes are prefix-free and its timestamps are resolved.
    ///
    /// - Complexity: O(depth + size of the written values), and of an operation that is not the newest also O(registers
    ///   below).
    public mutating func apply(_ operation: Operation) -> [Change] {
        var changes: [Change] = []
        let isNewest = operation.stamp > newest
        if isNewest { newest = operation.stamp }
        if !dropped.isEmpty { dropped = [] }
        for write in operation.writes {
            // Moved out and back in, so that the pass holds the only reference and changes them in
            // place.
            var pass = WritePass(
                stamp: operation.stamp, isNewest: isNewest, write: write, changes: changes,
                forgettable: forgettable)
            changes = []
            forgettable = StampQueue()
            pass.run(on: &value, &registers)
            changes = pass.changes
            forgettable = pass.forgettable
            if pass.isOverwritten { overwrittenWrites += 1 }
            if !pass.dropped.isEmpty { dropped += pass.dropped }
        }
        digestSum.record(changes)
        return changes
    }

    /// The digest of the visible tree; nil while it is being counted (`countDigest`).
    ///
    /// - Complexity: O(1).
    package var digest: TreeDigest? { digestSum.digest }

    /// Counts further locations for the digest: of a restored tree, and of large values that operations have written or removed.
    ///
    /// - Parameter limit: The number of locations.
    /// - Returns: Large removed parts that the digest no longer needs.
    package mutating func countDigest(
        limit: Int = DigestSum.countedPerTurn
    ) -> DroppedParts {
        if digestSum.isComplete { return DroppedParts() }
        return DroppedParts(values: digestSum.advance(in: value, limit: limit))
    }

    /// A copy that shares the memory of this tree, for operations that arrive soon. It forgets no registers.
    ///
    /// - Complexity: O(1).
    package var shadow: ConvergentTree {
        var copy = self
        // Nothing is forgotten, so the queue would only be copied at the next operation.
        (copy.forgettable, copy.dropped) = (StampQueue(), [])
        return copy
    }

    /// Removes and returns the large parts that the last operation took out of the tree.
    ///
    /// - Parameter changes: The result of the operation's `apply`.
    public mutating func takeDropped(_ changes: [Change]) -> DroppedParts {
        defer { if !dropped.isEmpty { dropped = [] } }
        return DroppedParts(values: changes.lazy.map(\.old), registers: dropped)
    }

    /// All large parts of the tree, for one that another tree replaces.
    package var parts: DroppedParts {
        DroppedParts(values: CollectionOfOne(value), registers: [registers.children])
    }

    /// Forgets registers that only operations with a stamp up to `stableStamp` could still need.
    ///
    /// All operations with such stamps must have arrived. The visible value does not change. At most
    /// `limit` locations are visited, so that the caller can spread the work over turns.
    ///
    /// Returns the number of locations visited.
    ///
    /// - Complexity: amortised O(depth) for each operation ever applied.
    @discardableResult
    public mutating func forget(through stableStamp: Stamp, limit: Int = .max) -> Int {
        var visits = 0
        while visits < limit, let entry = forgettable.popFirst(through: stableStamp) {
            visits += 1
            let oldest = registers.forget(
                through: stableStamp, at: entry.parent.keys[...], entry.key, deep: entry.isDeep
            ) { entry.key == .priority ? value[entry.parent] : value[entry.path] }
            if let oldest {
                var later = entry
                later.stamp = oldest
                forgettable.insert(later)
            }
        }
        return visits
    }

    /// The number of locations that wait to be forgotten: about as many as have registers.
    ///
    /// - Complexity: O(1).
    package var forgettableCount: Int { forgettable.count }

    /// The number of locations that have registers.
    ///
    /// - Complexity: O(registers).
    public var registerCount: Int { registers.count }
}

extension Registers {
    /// Passes each location that has registers to `body`, with its oldest stamp.
    fileprivate func forEachRemembered(at path: Path, _ body: (StampQueue.Entry) -> Void) {
        if let oldest = oldest(after: .none) {
            body(.init(stamp: oldest, parent: path, key: nil, isDeep: false))
        }
        for (key, child) in children {
            guard child.children.isEmpty else {
                child.forEachRemembered(at: path.appending(key), body)
                continue
            }
            if let oldest = child.oldest(after: .none) {
                body(.init(stamp: oldest, parent: path, key: key, isDeep: false))
            }
        }
    }

    /// The latest of all stamps here and below.
    fileprivate var newest: Stamp {
        var newest = max(write, increment, descendantWrite)
        for clear in clears { newest = max(newest, clear.stamp) }
        for term in terms { newest = max(newest, term.stamp) }
        for (_, child) in children { newest = max(newest, child.newest) }
        return newest
    }

    fileprivate var count: Int {
        children.reduce(isBare ? 0 : 1) { $0 + $1.value.count }
    }
}
