internal import DataTree

/// Judges one operation: goes through the levels of the document on the way to what is read or written, and below that
/// through what is written.
struct Judge: ~Copyable {
    private let ruleset: Ruleset
    private var evaluator: Evaluator
    /// What the rules at the places of the way gave that grant, and what `.validate` gave.
    private var grants = KnownVerdicts()
    private var validity = KnownVerdicts()
    /// All evaluations, if they are traced.
    private(set) var evaluations: [RuleTrace.Evaluation]?

    /// A judge at the root.
    init(_ ruleset: Ruleset, _ situation: consuming RuleSituation) {
        self.ruleset = ruleset
        evaluator = Evaluator(situation, ruleset.levels)
    }

    /// A judge that records what every part of each rule gives.
    static func tracing(_ ruleset: Ruleset, _ situation: consuming RuleSituation) -> Judge {
        var judge = Judge(ruleset, situation)
        judge.evaluations = []
        return judge
    }

    /// The verdict; of several denials that of the first path.
    mutating func judge(_ operation: RuleOperation) -> RuleVerdict {
        let denial: Denial? =
            switch operation {
            case .read(let path): denial(ofReading: path)
            case .write(let path): denial(ofWriting: path)
            case .update(let paths): denial(ofUpdating: paths)
            }
        if evaluator.work.isExhausted { return .denied(.exhausted) }
        return denial.map(RuleVerdict.denied) ?? .allowed
    }

    private mutating func denial(ofWriting path: Path) -> Denial? {
        go(to: path)
        // The grant first: it costs less, and its refusal says nothing of the data.
        return denial(of: .write, towards: path) ?? invalidity(towards: path)
    }

    private mutating func denial(ofUpdating paths: [Path]) -> Denial? {
        // In their order, so that the places above several of them are judged once.
        let paths = paths.sorted()
        for path in paths {
            go(to: path)
            if let denial = denial(of: .write, towards: path) { return denial }
        }
        for path in paths {
            go(to: path)
            if let denial = invalidity(towards: path) { return denial }
        }
        return nil
    }
}

// MARK: - The way

extension Judge {
    /// The level of the document that leads to the end of the way.
    var level: Int { evaluator.route.level }

    /// What the operation leaves at the end of the way.
    var value: Value {
        mutating get { evaluator.value(at: .way(.after, depth: evaluator.route.depth)) }
    }

    /// The path of the way.
    var path: Path { evaluator.route.path(at: evaluator.route.depth) }

    /// Goes one key down, to what the operation leaves there; returns whether there are rules.
    mutating func descend(by key: Key, finding value: Value) -> Bool {
        guard let next = ruleset.level(below: level, at: key) else { return false }
        evaluator.route.descend(by: key, finding: value, to: next)
        return true
    }

    /// Goes one key up.
    mutating func ascend() { ascend(to: evaluator.route.depth - 1) }

    private mutating func ascend(to depth: Int) {
        evaluator.route.ascend(to: depth)
        grants.forget(below: depth)
        validity.forget(below: depth)
    }

    /// Goes to a path, as far as there are rules; what is known of the places on the way there stays known.
    private mutating func go(to path: Path) {
        evaluator.route.turn(to: path)
        ascend(to: evaluator.route.depth)
        let (level, depth) = ruleset.end(of: path, from: level, evaluator.route.depth)
        evaluator.route.advance(to: level, depth: depth)
        if depth == path.count, let written = evaluator.situation.written(at: path) {
            evaluator.route.find(written)
        }
    }
}

extension Ruleset {
    /// The level for a key below another level; nil without rules there.
    fileprivate func level(below level: Int, at key: Key) -> Int? {
        levels[level].literals[key] ?? levels[level].wildcard
    }

    /// The level and the place to which a path leads, from those of a place on its way, as far as there are rules.
    fileprivate func end(
        of path: Path, from level: Int, _ depth: Int
    ) -> (level: Int, depth: Int) {
        let limit = path.isOfPriority ? path.count - 1 : path.count
        var (level, depth) = (level, depth)
        while depth < limit, let next = self.level(below: level, at: path.keys[depth]) {
            (level, depth) = (next, depth + 1)
        }
        return (level, depth)
    }
}

/// What rules of one kind gave at the places of a way.
private struct KnownVerdicts {
    private var known: UInt64 = 0
    private var positive: UInt64 = 0

    subscript(depth: Int) -> Bool? {
        get { known >> UInt64(depth) & 1 == 0 ? nil : positive >> UInt64(depth) & 1 == 1 }
        set {
            let bit: UInt64 = 1 << UInt64(depth)
            known = newValue == nil ? known & ~bit : known | bit
            positive = newValue == true ? positive | bit : positive & ~bit
        }
    }

    /// Forgets those of places with more keys.
    mutating func forget(below depth: Int) { known &= (2 << UInt64(depth)) - 1 }
}

// MARK: - Grants

extension Judge {
    private mutating func denial(ofReading path: Path) -> Denial? {
        go(to: path)
        return denial(of: .read, towards: path)
    }

    /// Why no rule of the way grants what is asked of the path that it leads to.
    private mutating func denial(of kind: RuleKind, towards path: Path) -> Denial? {
        for depth in 0...evaluator.route.depth where isGranted(kind, at: depth) { return nil }
        return .notGranted(kind, at: path)
    }

    private mutating func isGranted(_ kind: RuleKind, at depth: Int) -> Bool {
        guard let rule = ruleset.levels[evaluator.route.level(at: depth)].rule(kind) else {
            return false
        }
        if let known = grants[depth] { return known }
        let result = holds(rule, at: depth)
        grants[depth] = result
        return result
    }

    /// Whether a rule holds at a place of the way.
    private mutating func holds(_ rule: Int, at depth: Int) -> Bool {
        let program = ruleset.rules[rule].program
        if evaluations != nil {
            evaluator.trace = Array(repeating: nil, count: program.instructions.count)
        }
        let holds = evaluator.holds(program, at: depth)
        if let values = evaluator.trace {
            let path = evaluator.route.path(at: depth)
            evaluations?.append(RuleTrace.Evaluation(rule: rule, path: path, values: values))
        }
        return holds
    }
}

// MARK: - Validation

extension Judge {
    /// Why what a write of the path that the way leads to leaves there, above and below is not valid.
    private mutating func invalidity(towards path: Path) -> Denial? {
        for depth in 0...evaluator.route.depth {
            if let denial = invalidity(at: depth) { return denial }
        }
        // A path to a priority carries nothing below, and rules may end before the path does.
        return evaluator.route.depth == path.count ? invalidityBelow() : nil
    }

    /// Why the `.validate` of one place refuses; one where nothing is left demands nothing.
    private mutating func invalidity(at depth: Int) -> Denial? {
        guard let rule = ruleset.levels[evaluator.route.level(at: depth)].validate else {
            return nil
        }
        let isValid = validity[depth] ?? isValid(by: rule, at: depth)
        validity[depth] = isValid
        return isValid ? nil : .invalid(rule: rule, at: evaluator.route.path(at: depth))
    }

    private mutating func isValid(by rule: Int, at depth: Int) -> Bool {
        evaluator.look(at: .way(.after, depth: depth), \.isNull) || holds(rule, at: depth)
    }

    /// Walks what is written below the end of the way, as far as there are rules: all children below a wildcard,
    /// otherwise only those named.
    private mutating func invalidityBelow() -> Denial? {
        let level = level
        guard ruleset.levels[level].validatesBelow else { return nil }
        let children = value.children
        if ruleset.levels[level].wildcard == nil {
            for next in ruleset.levels[level].validated {
                guard let key = ruleset.levels[next].key, let child = children[key] else {
                    continue
                }
                evaluator.route.descend(by: key, finding: child, to: next)
                if let denial = invalidityOfWritten() { return denial }
            }
            return nil
        }
        for (key, child) in children where descend(by: key, finding: child) {
            if let denial = invalidityOfWritten() { return denial }
        }
        return nil
    }

    /// Why what is written at the end of the way is not valid; goes back to the place above.
    private mutating func invalidityOfWritten() -> Denial? {
        defer { ascend() }
        guard (try? evaluator.work.pay(RuleWork.step)) != nil else { return .exhausted }
        return invalidity(at: evaluator.route.depth) ?? invalidityBelow()
    }

    /// What a `.validate` gives at the end of the way, with work of its own; nil if it holds.
    mutating func violation(of rule: Int) -> RuleTrace? {
        evaluator.work = RuleWork()
        evaluations = []
        if holds(rule, at: evaluator.route.depth) { return nil }
        return RuleTrace(
            rules: ruleset.rules, verdict: .denied(.invalid(rule: rule, at: path)),
            evaluations: evaluations ?? [])
    }
}

extension Ruleset {
    /// Whether an operation may be done. A denial names the place; `trace` says what decided.
    ///
    /// - Complexity: of a read and of a grant, the rules on the path; of validation, also the written nodes that have
    ///   a `.validate` or one below them.
    public func judge(
        _ operation: RuleOperation, in situation: consuming RuleSituation
    ) -> RuleVerdict {
        var judge = Judge(self, situation)
        return judge.judge(operation)
    }

    /// The verdict, with all that led to it.
    public func trace(
        _ operation: RuleOperation, in situation: consuming RuleSituation
    ) -> RuleTrace {
        var judge = Judge.tracing(self, situation)
        let verdict = judge.judge(operation)
        return RuleTrace(
            rules: rules, verdict: verdict, evaluations: judge.evaluations ?? [])
    }
}
