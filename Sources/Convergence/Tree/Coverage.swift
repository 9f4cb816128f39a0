import DataTree
import SyncProtocol

/// The clears from above a location, collected on the way down to it.
struct Coverage {
    /// The newest write above that cleared this location and everything below it.
    var full = Stamp.none
    /// Clears from above that spare this location or one below it.
    var partial: [PartialClear] = []

    /// The coverage of the child `key` of a location with these registers.
    func below(_ registers: Registers, _ key: Key) -> Coverage {
        var full = max(full, registers.write, registers.increment)
        if partial.isEmpty, registers.clears.isEmpty { return Coverage(full: full) }

        var spared: [PartialClear] = []
        for clear in (partial + registers.clears).map({ $0.below(key) }) {
            if clear.spared.isEmpty {
                full = max(full, clear.stamp)
            } else {
                spared.append(clear)
            }
        }
        return Coverage(full: full, partial: spared)
    }

    /// The newest clear from above of this location itself.
    var exact: Stamp {
        partial.reduce(full) { newest, clear in
            clear.spared.contains(.root) ? newest : max(newest, clear.stamp)
        }
    }
}

extension Value {
    /// The part of this value, written at the location of the clears, that newer clears leave: the
    /// primitives at locations that every clear spares.
    func spared(by clears: some Sequence<PartialClear>) -> Value {
        var value = self
        for clear in clears {
            var rest = Value.null
            for path in clear.spared {
                let leaf = value[path].content
                if leaf.isPrimitive { rest.set(leaf, at: path) }
            }
            value = rest
        }
        return value
    }
}
