import DataTree
import SyncProtocol

extension Registers {
    /// Forgets what is stable at a location and, if `deep`, below it.
    ///
    /// Returns the oldest stamp that has to stay there, or nil when nothing has to. `visible` is what
    /// shows here: a priority without a value to show it cannot be forgotten.
    mutating func forget(
        through frontier: Stamp, at keys: ArraySlice<Key>, deep: Bool, showing visible: Value
    ) -> Stamp? {
        guard let key = keys.first else {
            forgetHere(through: frontier)
            return deep ? forgetBelow(through: frontier, visible) : oldest(after: frontier)
        }
        guard children[key] != nil else { return nil }
        return withChild(key) { child in
            if key == .priority { return child.forgetPriority(through: frontier, visible) }
            return child.forget(
                through: frontier, at: keys.dropFirst(), deep: deep, showing: visible[key])
        }
    }

    private mutating func forgetBelow(through frontier: Stamp, _ visible: Value) -> Stamp? {
        var oldest = oldest(after: frontier)
        var kept = SortedMap<Registers>()
        for (key, child) in children {
            var child = child
            let below: Stamp?
            if key == .priority {
                below = child.forgetPriority(through: frontier, visible)
            } else {
                child.forgetHere(through: frontier)
                below = child.forgetBelow(through: frontier, visible[key])
            }
            if let below { oldest = min(oldest ?? below, below) }
            if !child.isEmpty { kept.updateValue(child, forKey: key) }
        }
        children = kept
        return oldest
    }

    private mutating func forgetHere(through frontier: Stamp) {
        if write <= frontier { write = .none }
        if increment <= frontier { increment = .none }
        if kill <= frontier { kill = .none }
        if !clears.isEmpty { clears.removeAll { $0.stamp <= frontier } }
        if !terms.isEmpty { foldTerms(through: frontier) }
    }

    /// Folds the stable beginning of a sum into one constant, which needs no register by itself.
    private mutating func foldTerms(through frontier: Stamp) {
        let stable = terms.prefix { $0.stamp <= frontier }
        guard !stable.isEmpty else { return }
        let folded = Term(stamp: .none, step: .start(Array(stable).sum))
        terms = terms.count == stable.count ? [] : [folded] + terms.dropFirst(stable.count)
    }

    private mutating func forgetPriority(through frontier: Stamp, _ owner: Value) -> Stamp? {
        if write <= frontier { write = .none }
        if let term = terms.first, term.stamp <= frontier {
            terms = owner.isNull ? [Term(stamp: .none, step: term.step)] : []
        }
        return oldest(after: frontier)
    }

    private func oldest(after frontier: Stamp) -> Stamp? {
        var stamps = [write, increment, kill] + clears.map(\.stamp) + terms.map(\.stamp)
        stamps.removeAll { $0 <= frontier }
        return stamps.min()
    }
}
