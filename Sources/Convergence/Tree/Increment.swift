import DataTree
import Marks
import SyncProtocol

// Increments: alone, or inside a set, which then clears everything except the increments'
// locations.

extension WritePass {
    /// Adds to the number here, and clears everything strictly below.
    mutating func add(
        _ delta: Number, priority: Value, to old: Value, _ registers: inout Registers,
        _ coverage: Coverage
    ) -> Value {
        guard registers.write < stamp else { return old }
        let cleared = registers.clears.map(\.stamp).max() ?? .none
        if stamp > max(coverage.exact, registers.descendantWrite, cleared) {
            if registers.terms.isEmpty, old.isPrimitive {
                let written = max(registers.write, coverage.exact)
                registers.terms = [Term(stamp: written, step: .start(old.content))]
            }
            let term = Term(stamp: stamp, step: .add(delta))
            registers.terms.insert(term)
        }
        let sum = registers.terms.isEmpty ? old.content : registers.terms.sum
        if registers.increment >= stamp { return sum.prioritized(old.priority) }
        registers.increment = stamp
        let shown = sum.isPrimitive ? sum : .null
        let result = renewBelow(old, &registers, shown, priority: .null)
        guard !priority.isNull else { return result }
        // Its register is below a place that is at or below that of the write.
        forgettable.insert(stamp, at: path.keys[...], isDeep: true)
        return plant(priority, on: result, &registers, coverage)
    }

    /// Replaces a location by an object that contains increments: everything except their locations
    /// is cleared, and each part without an increment is a whole write of its own.
    ///
    /// `clear` is what the write's own location remembers; nil at the objects below it.
    mutating func replacePartly(
        _ old: Value, _ registers: inout Registers, _ planted: Value, _ coverage: Coverage,
        clear: PartialClear?
    ) -> Value {
        guard registers.write < stamp else { return old }
        if !registers.terms.isEmpty { registers.terms.removeOlder(than: stamp) }
        registers.descendantWrite = max(registers.descendantWrite, stamp)
        defer { if let clear { registers.insert(clear) } }
        if registers.increment > stamp {
            sometimes(.incrementCoversMixedWrite)
            // Newer increments cover everything that was planted, and start their sums anew.
            return registers.terms.isEmpty
                ? old : registers.terms.sum.prioritized(old.priority)
        }
        // An older increment stays: it had cleared the spared locations too.
        let content = replaceChildren(old, &registers, planted, coverage)
        let shown = content.prioritized(survivingPriority(&registers) ?? .null)
        if planted.priority.isNull { return shown }
        return plant(planted.priority, on: shown, &registers, coverage)
    }

    private mutating func replaceChildren(
        _ old: Value, _ registers: inout Registers, _ planted: Value, _ coverage: Coverage
    ) -> Value {
        var keys = Set(planted.children.keys)
        keys.formUnion(registers.children.keys.filter { $0 != .priority })
        var result = Value.null
        for key in keys.sorted() {
            let below = coverage.below(registers, key)
            let child = registers.withChild(key) { registers in
                replaceChild(old[key], &registers, planted[key], below)
            }
            if !child.isNull { result.setChild(key, child) }
        }
        return result
    }

    private mutating func replaceChild(
        _ old: Value, _ registers: inout Registers, _ planted: Value, _ coverage: Coverage
    ) -> Value {
        if coverage.full > stamp { return old }
        if planted.isNull { return reconcile(old, &registers, .null) }
        if case .deferred(.increment(let delta)) = planted.content {
            return add(delta, priority: planted.priority, to: old, &registers, coverage)
        }
        if planted.carriesIncrement {
            return replacePartly(old, &registers, planted, coverage, clear: nil)
        }
        return replace(old, &registers, planted, coverage)
    }

    /// Writes a priority that came with a value into its own register.
    private mutating func plant(
        _ priority: Value, on value: Value, _ registers: inout Registers, _ coverage: Coverage
    ) -> Value {
        let below = coverage.below(registers, .priority)
        let new = registers.withChild(.priority) {
            replacePriority(value.priority, &$0, priority, below)
        }
        return value.prioritized(new)
    }
}

extension Registers {
    /// Records a clear once, and removes those that a whole write here has covered.
    fileprivate mutating func insert(_ clear: PartialClear) {
        guard !clears.contains(where: { $0.stamp == clear.stamp }) else { return }
        clears.append(clear)
    }
}
