package import DataTree
import Marks
import SyncProtocol

/// One write on its way into the tree: down its path past what may cover it, then into place.
struct WritePass {
    let stamp: Stamp
    /// Whether all operations in the tree are older, so that no register below the write's location survives it.
    let isNewest: Bool
    let path: Path
    let value: Value
    /// The changes of this operation so far.
    var changes: [Change]
    /// Locations with new registers that can be forgotten later.
    var forgettable: StampQueue
    /// Whether a later write of another writer has replaced this one before it arrived.
    private(set) var isOverwritten = false
    /// Large registers that the write has dropped.
    var dropped: [SortedMap<Registers>] = []
    /// Whether the write clears everything below its location, and all of that is older.
    var dropsAllBelow = false

    private let endsPrimitives: Bool

    init(
        stamp: Stamp, isNewest: Bool, write: Write, changes: [Change], forgettable: StampQueue
    ) {
        self.stamp = stamp
        self.isNewest = isNewest
        path = write.path
        value = write.value
        self.changes = changes
        self.forgettable = forgettable
        // A value below ends a primitive above; null does not, and a priority is not a child.
        endsPrimitives = write.path.last != .priority && !write.value.isNull
    }

    mutating func run(on visible: inout Value, _ registers: inout Registers) {
        descend(to: 0, &visible, &registers, Coverage())
    }

    /// Handles the location `depth` keys down the path, and the rest of the path below it.
    private mutating func descend(
        to depth: Int, _ visible: inout Value, _ registers: inout Registers, _ coverage: Coverage
    ) {
        guard depth < path.count else { return land(&visible, &registers, coverage) }
        let key = path.keys[depth]
        let below = coverage.below(registers, key)
        let isCovered = below.full > stamp
        if isCovered {
            sometimes(.writeIsCoveredFromAbove)
            recordLoss(to: below.full)
        }
        if key == .priority {
            if !isCovered { landPriority(&visible, &registers, below) }
            return
        }
        let before = Shown(visible)
        let mark = changes.count
        if endsPrimitives {
            if registers.isBare { remember(depth) }
            registers.descendantWrite = max(registers.descendantWrite, stamp)
            endPrimitive(&visible, &registers, coverage)
        }
        if !isCovered {
            registers.withChild(key) { childRegisters in
                visible.withChild(key) { childVisible in
                    descend(to: depth + 1, &childVisible, &childRegisters, below)
                }
            }
        }
        if before.changes(into: visible) {
            restorePriority(before.priority, &visible, &registers, coverage, at: depth)
            report(before, visible, at: depth, replacing: mark)
        }
    }

    /// The value of a location on the path before the write.
    private struct Shown {
        /// Null for an object: holding its children would prevent changing them in place.
        let primitive: Value
        let wasNull: Bool
        let priority: Value

        init(_ visible: Value) {
            primitive = visible.isPrimitive ? visible : .null
            wasNull = visible.isNull
            priority = visible.priority
        }

        /// Whether a value appeared, disappeared or changed its kind, and so everything below it.
        func changes(into visible: Value) -> Bool {
            primitive.isNull
                ? wasNull != visible.isNull : primitive.content != visible.content
        }
    }

    /// Ends a primitive at a strict ancestor of the path if it is older than this write.
    private func endPrimitive(
        _ visible: inout Value, _ registers: inout Registers, _ coverage: Coverage
    ) {
        guard visible.isPrimitive else { return }
        defer { if !registers.terms.isEmpty { sometimes(.writeBelowEndsASum) } }
        if !registers.terms.isEmpty {
            registers.terms.removeOlder(than: stamp)
            visible = registers.terms.sum.prioritized(visible.priority)
        } else if max(registers.write, coverage.exact) < stamp {
            visible = .null
        }
    }

    /// Restores the priority of a location whose value appeared, disappeared or changed its kind.
    private mutating func restorePriority(
        _ priority: Value, _ visible: inout Value, _ registers: inout Registers,
        _ coverage: Coverage, at depth: Int
    ) {
        if visible.isNull {
            if hide(priority, &registers, coverage.below(registers, .priority).exact) {
                forgettable.insert(stamp, at: (path.keys.prefix(depth) + [.priority])[...])
            }
        } else if let hidden = registers.children[.priority]?.terms.first {
            sometimes(.hiddenPriorityShowsAgain)
            if case .start(let priority) = hidden.step { visible = visible.prioritized(priority) }
            // A stable priority needs no register while its location shows it.
            if hidden.stamp == .none { registers.children.removeValue(forKey: .priority) }
        } else {
            visible = visible.prioritized(priority)
        }
    }

    /// Remembers a priority whose location has no value, for when it has one again; returns false if there is nothing to remember,
    /// or it is remembered already.
    func hide(_ priority: Value, _ registers: inout Registers, _ stamp: Stamp) -> Bool {
        guard !priority.isNull, registers.children[.priority] == nil else { return false }
        sometimes(.priorityIsHidden)
        registers.withChild(.priority) {
            $0.terms = [Term(stamp: stamp, step: .start(priority))]
        }
        return true
    }

    /// Reports a change of a whole location instead of the changes reported below it.
    private mutating func report(
        _ before: Shown, _ new: Value, at depth: Int, replacing mark: Int
    ) {
        var old = before.primitive
        if old.isNull, !before.wasNull, let change = changes.last {
            // The object ended with its only child, whose change was reported last.
            old.set(change.old, at: Path([path.keys[depth]]))
            old = old.prioritized(before.priority)
        }
        changes.removeSubrange(mark...)
        if old != new {
            changes.append(Change(path: Path(Array(path.keys.prefix(depth))), old: old, new: new))
        }
    }

    /// Records that this write is lost if a write at or above its location has a later stamp.
    private mutating func recordLoss(to other: Stamp) {
        if other > stamp, other.writer != stamp.writer { isOverwritten = true }
    }

    private mutating func remember(_ depth: Int) {
        forgettable.insert(stamp, at: path.keys.prefix(depth))
    }

    /// Handles the write's own location, which nothing above covers entirely.
    private mutating func land(
        _ visible: inout Value, _ registers: inout Registers, _ coverage: Coverage
    ) {
        let old = visible.take()
        recordLoss(to: max(registers.write, coverage.exact))
        if case .deferred(.increment(let delta)) = value.content {
            if registers.isBare { remember(path.count) }
            visible = add(delta, priority: value.priority, to: old, &registers, coverage)
        } else if value.carriesIncrement {
            let clear = PartialClear(stamp: stamp, spared: value.incrementPaths)
            forgettable.insert(stamp, at: path.keys[...], isDeep: true)
            visible = replacePartly(old, &registers, value, coverage, clear: clear)
        } else {
            if registers.isBare { remember(path.count) }
            visible = replace(old, &registers, value, coverage)
        }
        if old.isNull || visible.isNull {
            if !(old.isNull && visible.isNull) {
                changes.append(Change(path: path, old: old, new: visible))
            }
        } else {
            Change.append(from: old, to: visible, at: path, into: &changes)
        }
    }

    /// Handles the write of a priority at its location's reserved child.
    private mutating func landPriority(
        _ visible: inout Value, _ registers: inout Registers, _ coverage: Coverage
    ) {
        let old = visible.priority
        let new = registers.withChild(.priority) { registers in
            // A location that is hidden and stable is in no queue.
            if registers.oldest(after: .none) == nil { remember(path.count) }
            recordLoss(to: max(registers.write, coverage.exact))
            return replacePriority(old, &registers, value, coverage)
        }
        guard !visible.isNull, old != new else { return }
        visible = visible.prioritized(new)
        changes.append(Change(path: path, old: old, new: new))
    }
}

extension Value {
    /// Changes a child in place; null removes it. A primitive gives way to a child with a value.
    package mutating func withChild(_ key: Key, _ body: (inout Value) -> Void) {
        if children.isEmpty {
            var child = Value.null
            body(&child)
            if !child.isNull { setChild(key, child) }
        } else {
            mutateChildren { children in
                children.mutate(key) { slot in
                    var child = slot.take() ?? .null
                    body(&child)
                    slot = child.isNull ? nil : child
                }
            }
        }
    }

    /// Stores a child that is not null.
    mutating func setChild(_ key: Key, _ child: Value) {
        mutateChildren { $0.updateValue(child, forKey: key) }
    }

    /// Whether a written value contains an increment.
    var carriesIncrement: Bool {
        switch content {
        case .deferred: true
        case .object(let children):
            !children.isPacked && children.contains { $0.value.carriesIncrement }
        default: false
        }
    }

    /// The locations of increments in a written value.
    var incrementPaths: [Path] {
        switch content {
        case .deferred: [.root]
        case .object(let children):
            children.flatMap { key, child in
                child.incrementPaths.map { Path([key]).appending($0) }
            }
        default: []
        }
    }
}
