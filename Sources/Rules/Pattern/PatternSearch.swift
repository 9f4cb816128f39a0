/// One search of a text: the states that the units so far lead to.
struct PatternSearch {
    private let pattern: Pattern
    /// States that wait for a unit.
    private var active: [Int] = []
    /// For each state, the unit before which it was last entered.
    private var entered: [Int]
    private var open: [Int] = []
    private var hasMatched = false
    private var work = 0

    private init(_ pattern: Pattern) {
        self.pattern = pattern
        entered = Array(repeating: -1, count: pattern.states.count)
    }

    /// Whether the expression matches a part of the text, or all of it as the anchors demand.
    ///
    /// - Parameter work: Pays a unit for each state that is visited.
    /// - Complexity: O(text × states).
    static func finds(
        _ pattern: Pattern, in text: String, work: inout RuleWork
    ) throws(RuleFailure) -> Bool {
        try work.pay(pattern.states.count)
        var search = PatternSearch(pattern)
        search.enter(0, at: 0)
        var position = 0
        for unit in text.utf16 {
            if search.hasMatched, !pattern.isAnchoredAtEnd { return true }
            if search.active.isEmpty, pattern.isAnchoredAtStart { return false }
            position += 1
            search.advance(by: unit, to: position)
            try work.pay(search.work)
            search.work = 0
        }
        return search.hasMatched
    }

    private mutating func advance(by unit: UInt16, to position: Int) {
        hasMatched = false
        work += 1
        let previous = active
        active.removeAll(keepingCapacity: true)
        for state in previous {
            guard case .unit(let set) = pattern.states[state] else { continue }
            if pattern.sets[set].contains(unit) { enter(state + 1, at: position) }
        }
        if !pattern.isAnchoredAtStart { enter(0, at: position) }
    }

    /// Adds a state and all that it leads to without a unit.
    private mutating func enter(_ state: Int, at position: Int) {
        open.append(state)
        while let state = open.popLast() {
            if entered[state] == position { continue }
            entered[state] = position
            work += 1
            switch pattern.states[state] {
            case .unit: active.append(state)
            case .jump(let target): open.append(target)
            case .fork(let first, let second):
                open.append(second)
                open.append(first)
            case .match: hasMatched = true
            }
        }
    }
}
