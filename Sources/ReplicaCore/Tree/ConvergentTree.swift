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
    /// A mistake planted for a test.
    public var defect: Defect?

    var registers = Registers()
    private var forgettable = StampQueue()

    public init() {}

    /// The tree that another one was.
    ///
    /// - Complexity: O(registers · log registers).
    init(value: Value, registers: Registers) {
        self.value = value
        self.registers = registers
        var entries: [StampQueue.Entry] = []
        registers.note(at: .root, in: &entries)
        for entry in entries.sorted(by: { $0.stamp < $1.stamp }) { forgettable.insert(entry) }
    }

    /// Applies an operation that may arrive late or twice; returns exactly what it changed.
    ///
    /// The paths of the operation's writes are prefix-free and its timestamps are resolved.
    ///
    /// - Complexity: O(depth + size of the written values + registers freed or surviving below).
    public mutating func apply(_ operation: Operation) -> [Change] {
        var changes: [Change] = []
        for write in operation.writes {
            var pass = WritePass(
                stamp: operation.stamp, write: write, defect: defect, changes: changes)
            changes = []
            pass.run(on: &value, &registers)
            changes = pass.changes
            for entry in pass.remembered { forgettable.insert(entry) }
        }
        return changes
    }

    /// Forgets what only operations with a stamp up to `frontier` could still make matter.
    ///
    /// Nothing with such a stamp may arrive afterwards. What is visible does not change. At most
    /// `limit` places are visited, so that a caller can spread the work; the rest stays for later.
    ///
    /// - Complexity: amortised O(depth) for each operation ever applied.
    public mutating func forget(through frontier: Stamp, limit: Int = .max) {
        var visits = 0
        while visits < limit, let entry = forgettable.popFirst(through: frontier) {
            visits += 1
            let location = entry.path.last == .priority ? entry.path.parent! : entry.path
            let oldest = registers.forget(
                through: frontier, at: entry.path.keys[...], deep: entry.isDeep
            ) { value[location] }
            if let oldest {
                forgettable.insert(.init(stamp: oldest, path: entry.path, isDeep: entry.isDeep))
            }
        }
    }

    /// How many locations have registers.
    public var registerCount: Int { registers.count }
}

extension Registers {
    /// Notes each location that remembers something, with the oldest stamp there.
    fileprivate func note(at path: Path, in entries: inout [StampQueue.Entry]) {
        if let oldest = oldest(after: .none) {
            entries.append(.init(stamp: oldest, path: path, isDeep: false))
        }
        for (key, child) in children { child.note(at: path.appending(key), in: &entries) }
    }

    fileprivate var count: Int {
        children.reduce(isBare ? 0 : 1) { $0 + $1.value.count }
    }
}
