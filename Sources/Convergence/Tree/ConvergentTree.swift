public import DataTree
public import SyncProtocol

/// The tree that a replica shows: exactly the result of executing all operations that it has
/// received, one after the other in stamp order, whatever the order in which they arrived.
///
/// An operation is applied in one pass, which never sorts and never executes an operation again. The
/// visible value and the registers (`Registers`) are two trees side by side; a location without
/// registers costs nothing beside its value. Source: `convergence.md`, sections 2 to 5 and 7.
public struct ConvergentTree: Sendable {
    /// What readers see.
    public private(set) var value = Value.null

    package private(set) var registers = Registers()
    private var forgettable = StampQueue()

    public init() {}

    /// The tree that another one was.
    ///
    /// - Complexity: O(registers).
    package init(value: Value, registers: Registers) {
        self.value = value
        self.registers = registers
        forgettable = StampQueue { registers.forEachRemembered(at: .root, $0) }
    }

    /// Applies an operation that may arrive late or twice; returns exactly what it changed.
    ///
    /// The paths of the operation's writes are prefix-free and its timestamps are resolved.
    ///
    /// - Complexity: O(depth + size of the written values + registers freed or surviving below).
    public mutating func apply(_ operation: Operation) -> [Change] {
        var changes: [Change] = []
        for write in operation.writes {
            // Moved in and out, so that the pass alone holds them.
            var pass = WritePass(
                stamp: operation.stamp, write: write, changes: changes, forgettable: forgettable)
            changes = []
            forgettable = StampQueue()
            pass.run(on: &value, &registers)
            changes = pass.changes
            forgettable = pass.forgettable
        }
        return changes
    }

    /// Forgets the registers that only an operation with a stamp up to `stableStamp` could need.
    ///
    /// No such operation may arrive afterwards. What is visible does not change. At most
    /// `limit` places are visited, so that a caller can spread the work; the rest stays for later.
    ///
    /// Returns how many were visited.
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

    /// How many locations wait to be forgotten: about as many as have registers.
    ///
    /// - Complexity: O(1).
    package var forgettableCount: Int { forgettable.count }

    /// How many locations have registers.
    ///
    /// - Complexity: O(registers).
    public var registerCount: Int { registers.count }
}

extension Registers {
    /// Tells each location that remembers something, with the oldest stamp there.
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

    fileprivate var count: Int {
        children.reduce(isBare ? 0 : 1) { $0 + $1.value.count }
    }
}
