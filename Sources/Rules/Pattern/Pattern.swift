/// A regular expression as an automaton: every text is searched in time linear in its length, whatever the expression.
///
/// The states are Thompson's; a search keeps the set of states that the text so far leads to, as Pike's machine does
/// without captures. A repetition of a repetition costs states, never time that grows faster than states by units.
struct Pattern: Sendable {
    enum State: Sendable {
        /// Goes on to the next state with a unit of the set of this number.
        case unit(Int)
        /// Goes on to both without a unit.
        case fork(Int, Int)
        case jump(Int)
        case match
    }

    private(set) var states: [State] = []
    private(set) var sets: [UnitSet] = []
    let isAnchoredAtStart: Bool
    let isAnchoredAtEnd: Bool
    /// Whether it has alternatives at its top and an anchor, which readers may think to belong to one of them.
    let hasAmbiguousAnchors: Bool

    /// Compiles the text between the slashes.
    init(_ text: String, ignoringCase: Bool) throws(PatternParser.Failure) {
        var parser = PatternParser(text, ignoringCase: ignoringCase)
        let tree = try parser.parse()
        isAnchoredAtStart = parser.isAnchoredAtStart
        isAnchoredAtEnd = parser.isAnchoredAtEnd
        hasAmbiguousAnchors =
            parser.hasAlternatives && (isAnchoredAtStart || isAnchoredAtEnd)
        try emit(tree)
        try append(.match)
    }
}

// MARK: - From tree to states

extension Pattern {
    private mutating func append(_ state: State) throws(PatternParser.Failure) {
        if states.count == RuleLimits.patternStates {
            throw PatternParser.Failure(
                position: 0, problem: "it has more than \(RuleLimits.patternStates) states")
        }
        states.append(state)
    }

    private mutating func emit(
        _ tree: PatternTree
    ) throws(PatternParser.Failure) {
        switch tree {
        case .unit(let set):
            if sets.last != set { sets.append(set) }
            try append(.unit(sets.count - 1))
        case .sequence(let items):
            for item in items { try emit(item) }
        case .alternatives(let trees):
            try emit(alternatives: trees)
        case .repetition(let item, let minimum, let maximum):
            try emit(item, times: minimum)
            if let maximum {
                try emit(item, atMost: maximum - minimum)
            } else {
                try emit(anyNumberOf: item)
            }
        }
    }

    private mutating func emit(
        _ item: PatternTree, times count: Int
    ) throws(PatternParser.Failure) {
        for _ in 0..<count {
            let start = states.count
            try emit(item)
            // `a{0}` has no states, and a thousand times nothing within each other would take for ever.
            if states.count == start { return }
        }
    }

    private mutating func emit(
        alternatives trees: [PatternTree]
    ) throws(PatternParser.Failure) {
        var jumps: [Int] = []
        for tree in trees.dropLast() {
            let fork = states.count
            try append(.match)
            try emit(tree)
            jumps.append(states.count)
            try append(.match)
            states[fork] = .fork(fork + 1, states.count)
        }
        try emit(trees[trees.count - 1])
        for jump in jumps { states[jump] = .jump(states.count) }
    }

    private mutating func emit(
        _ item: PatternTree, atMost count: Int
    ) throws(PatternParser.Failure) {
        var forks: [Int] = []
        for _ in 0..<count {
            forks.append(states.count)
            try append(.match)
            try emit(item)
        }
        for fork in forks { states[fork] = .fork(fork + 1, states.count) }
    }

    private mutating func emit(
        anyNumberOf item: PatternTree
    ) throws(PatternParser.Failure) {
        let fork = states.count
        try append(.match)
        try emit(item)
        try append(.jump(fork))
        states[fork] = .fork(fork + 1, states.count)
    }
}
