import DataTree
import Marks
import SyncProtocol

extension Registers {
    /// Forgets what is stable at a location and, if `deep`, below it. The location is `keys` down, and then
    /// down to its child `last`, if there is one.
    ///
    /// Returns the oldest stamp that must stay there, or nil if none must. `visible` returns the visible
    /// value of the location: a priority that no value shows must stay.
    mutating func forget(
        through stableStamp: Stamp, at keys: ArraySlice<Key>, _ last: Key?, deep: Bool,
        visible: () -> Value
    ) -> Stamp? {
        guard let key = keys.first ?? last else {
            forgetHere(through: stableStamp)
            return deep ? forgetBelow(through: stableStamp, visible()) : oldest(after: stableStamp)
        }
        if key == .priority {
            guard children[key] != nil else { return nil }
            return withChild(key) { $0.forgetPriority(through: stableStamp, visible()) }
        }
        return withChild(key) { child in
            child.forget(
                through: stableStamp, at: keys.dropFirst(), keys.isEmpty ? nil : last, deep: deep,
                visible: visible)
        }
    }

    private mutating func forgetBelow(through stableStamp: Stamp, _ visible: Value) -> Stamp? {
        var oldest = oldest(after: stableStamp)
        var kept = SortedMap<Registers>()
        for (key, child) in children {
            var child = child
            let below: Stamp?
            if key == .priority {
                below = child.forgetPriority(through: stableStamp, visible)
            } else {
                child.forgetHere(through: stableStamp)
                below = child.forgetBelow(through: stableStamp, visible[key])
            }
            if let below { oldest = min(oldest ?? below, below) }
            if !child.isEmpty { kept.updateValue(child, forKey: key) }
        }
        children = kept
        return oldest
    }

    private mutating func forgetHere(through stableStamp: Stamp) {
        if write <= stableStamp { write = .none }
        if increment <= stableStamp { increment = .none }
        if descendantWrite <= stableStamp { descendantWrite = .none }
        if !clears.isEmpty { clears.removeAll { $0.stamp <= stableStamp } }
        if !terms.isEmpty { foldTerms(through: stableStamp) }
    }

    /// Folds the stable beginning of a sum into one constant, which by itself needs no register.
    private mutating func foldTerms(through stableStamp: Stamp) {
        let stable = terms.prefix { $0.stamp <= stableStamp }
        guard let last = stable.last else { return }
        if stable.count < terms.count { sometimes(.sumIsStableInPart) }
        let folded = Term(stamp: .none, step: .start(last.sum))
        terms = terms.count == stable.count ? [] : [folded] + terms.dropFirst(stable.count)
    }

    private mutating func forgetPriority(through stableStamp: Stamp, _ owner: Value) -> Stamp? {
        if write <= stableStamp { write = .none }
        if let term = terms.first, term.stamp <= stableStamp {
            terms = owner.isNull ? [Term(stamp: .none, step: term.step)] : []
        }
        return oldest(after: stableStamp)
    }

    /// The oldest stamp here that comes after `stableStamp`.
    func oldest(after stableStamp: Stamp) -> Stamp? {
        var oldest: Stamp?
        func consider(_ stamp: Stamp) {
            if stamp > stableStamp { oldest = min(oldest ?? stamp, stamp) }
        }
        consider(write)
        consider(increment)
        consider(descendantWrite)
        for clear in clears { consider(clear.stamp) }
        for term in terms { consider(term.stamp) }
        return oldest
    }
}
