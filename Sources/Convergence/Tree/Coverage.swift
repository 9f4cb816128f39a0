import DataTree
import SyncProtocol

/// The resets that come from above a location, collected on the way down to it.
struct Coverage {
    /// The newest write above that cleared this location and everything below it.
    var full = Stamp.none
    /// Clears from above that spare this location or a place below it.
    var partial: [PartialClear] = []

    /// What covers the child `key` of a location with these registers.
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

    /// The newest reset from above of this very location.
    var exact: Stamp {
        partial.reduce(full) { newest, clear in
            clear.spared.contains(.root) ? newest : max(newest, clear.stamp)
        }
    }
}

extension Value {
    /// What is left of this value, written at the location of the clears, under clears newer than it:
    /// the primitives at places that every one of them spares.
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
