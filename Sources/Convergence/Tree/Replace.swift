import DataTree
import Marks
import SyncProtocol

// A whole write: it clears everything older at and below its location, and plants its value where
// nothing newer stands. `old` is the visible value before, the result the one after.

extension WritePass {
    /// Replaces a location that nothing above covers entirely.
    mutating func replace(
        _ old: Value, _ registers: inout Registers, _ planted: Value, _ coverage: Coverage
    ) -> Value {
        if registers.write > stamp { return old }
        registers.write = stamp
        dropsAllBelow = isNewest
        let newer = coverage.partial.lazy.filter { [stamp] in $0.stamp > stamp }
        return renew(old, &registers, newer.isEmpty ? planted : planted.spared(by: newer))
    }

    /// Replaces a priority; its register holds the value, because the location may have none.
    mutating func replacePriority(
        _ old: Value, _ registers: inout Registers, _ planted: Value, _ coverage: Coverage
    ) -> Value {
        if coverage.exact > stamp || registers.write > stamp { return old }
        // The write is repeated: its value shows already, unless something newer has replaced it.
        registers.write = stamp
        registers.terms =
            planted.isNull ? [] : [Term(stamp: stamp, step: .start(planted))]
        return planted
    }

    /// Handles a location strictly below a clear with this stamp.
    mutating func reconcile(
        _ old: Value, _ registers: inout Registers, _ planted: Value
    ) -> Value {
        if registers.write > stamp {
            sometimes(.newerWriteStandsBelow)
            return old
        }
        registers.write = .none
        return renew(old, &registers, planted)
    }

    /// Drops what is older at and below this location, and shows `planted` where nothing newer
    /// stands.
    private mutating func renew(
        _ old: Value, _ registers: inout Registers, _ planted: Value
    ) -> Value {
        if registers.descendantWrite < stamp { registers.descendantWrite = .none }
        if !registers.clears.isEmpty { registers.clears.removeAll { [stamp] in $0.stamp < stamp } }
        if !registers.terms.isEmpty { registers.terms.removeOlder(than: stamp) }

        let planted = registers.clears.isEmpty ? planted : planted.spared(by: registers.clears)
        var content = planted.content
        if registers.descendantWrite > stamp, content.isPrimitive { content = .null }
        if !registers.terms.isEmpty {
            if content.isPrimitive, registers.terms[0].stamp != stamp {
                registers.terms.begin(with: Term(stamp: stamp, step: .start(content)))
            }
            content = registers.terms.sum
        }
        return renewBelow(old, &registers, content, priority: planted.priority)
    }

    /// Drops what is older strictly below; `content` and `priority` are planted here.
    mutating func renewBelow(
        _ old: Value, _ registers: inout Registers, _ content: Value, priority: Value
    ) -> Value {
        var content = content
        var priority = priority
        if registers.increment > stamp {
            sometimes(.incrementSurvivesOlderWrite)
            if !content.isPrimitive { content = .null }
            priority = .null
        } else if registers.increment < stamp {
            registers.increment = .none
        }
        if !registers.children.isEmpty {
            if dropsAllBelow {
                dropAll(below: &registers)
            } else {
                sometimes(.valueSurvivesOlderWrite)
                let survivors = survivors(old, &registers, content)
                content = content.isPrimitive ? content : survivors
            }
            priority = survivingPriority(&registers) ?? priority
        }
        if content.isNull, hide(priority, &registers, stamp) {
            // Somewhere at or below the place of the write.
            forgettable.insert(stamp, at: path.keys[...], isDeep: true)
        }
        return content.prioritized(priority)
    }

    /// Drops the registers below a location that this write clears, all of which are older; a priority stays for
    /// `survivingPriority`.
    ///
    /// - Complexity: O(1), as the caller frees large registers.
    private mutating func dropAll(below registers: inout Registers) {
        let priority = registers.children[.priority]
        if registers.children.count > DroppedParts.smallCount { dropped.append(registers.children) }
        registers.children = SortedMap()
        if let priority { registers.children.updateValue(priority, forKey: .priority) }
    }

    /// Merges values newer than this write, strictly below, into the children that it planted.
    private mutating func survivors(
        _ old: Value, _ registers: inout Registers, _ planted: Value
    ) -> Value {
        var result = planted.isPrimitive ? Value.null : planted
        var kept = SortedMap<Registers>()
        for (key, child) in registers.children {
            if key == .priority {
                kept.updateValue(child, forKey: key)
                continue
            }
            var child = child
            let before = result[key]
            let reconciled = reconcile(old[key], &child, before)
            if !child.isEmpty { kept.updateValue(child, forKey: key) }
            if reconciled.isNull {
                if !before.isNull { result.removeChild(key) }
            } else {
                result.setChild(key, reconciled)
            }
        }
        registers.children = kept
        return result
    }

    /// The priority, possibly null, that a newer write gave to this location; nil if none did.
    func survivingPriority(_ registers: inout Registers) -> Value? {
        guard let child = registers.children[.priority] else { return nil }
        let newest = child.terms.first.map { max($0.stamp, child.write) } ?? child.write
        guard newest > stamp else {
            registers.children.removeValue(forKey: .priority)
            return nil
        }
        return child.terms.sum
    }
}

extension Value {
    /// Removes a child; its siblings and the priority stay.
    mutating func removeChild(_ key: Key) {
        mutateChildren { $0.removeValue(forKey: key) }
    }
}
