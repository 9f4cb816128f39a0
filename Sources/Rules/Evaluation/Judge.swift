internal import DataTree

/// Judges one operation: goes through the levels of the document on the way to what is read or written, and below that
/// through what is written.
struct Judge: ~Copyable {
    let ruleset: Ruleset
    var evaluator: Evaluator
    /// The verdicts of granting rules at the places of the way, and those of `.validate`.
    private var grants = KnownVerdicts()
    var validity = KnownVerdicts()
    /// All evaluations, if they are traced.
    var evaluations: [RuleTrace.Evaluation]?
    /// The results of the parts of rules so far, if they are counted.
    var coverage: RuleCoverage?
    /// Whether it is recorded what each part gives, so that each has to be evaluated.
    var isRecording: Bool { evaluations != nil || coverage != nil }

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
    mutating func evaluate(_ operation: RuleOperation) -> RuleVerdict {
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

    /// The verdict on a write by a user of whose grants something is known, and more may be known afterwards.
    mutating func evaluate(writing path: Path, knowing granted: inout GrantedWay?) -> RuleVerdict {
        var denial: Denial?
        if let way = granted, way.leads(to: path) {
            evaluator.route.begin(path, at: way.level, way.depth)
            advance()
            if (try? evaluator.work.pay(way.work)) == nil { denial = .exhausted }
        } else {
            go(to: path)
            let budget = evaluator.work.remaining
            denial = self.denial(of: .write, towards: path)
            if denial == nil, let way = grantedWay(for: budget - evaluator.work.remaining) {
                granted = way
            }
        }
        denial = denial ?? invalidity(towards: path)
        if evaluator.work.isExhausted { return .denied(.exhausted) }
        return denial.map(RuleVerdict.denied) ?? .allowed
    }

    /// The way to the place above what is written, if no rule that led to the grant asks for more than the way.
    private func grantedWay(for work: Int) -> GrantedWay? {
        let (route, path) = (evaluator.route, evaluator.route.path)
        for depth in 0...route.depth {
            guard let isGranted = grants[depth],
                let rule = ruleset.levels[route.level(at: depth)].write
            else { continue }
            if !ruleset.rules[rule].program.isOfWayAlone { return nil }
            guard isGranted else { continue }
            let end = max(depth, min(route.depth, path.count - 1))
            return GrantedWay(path.keys.prefix(end), to: route.level(at: end), for: work)
        }
        return nil
    }

    private mutating func denial(ofUpdating paths: [Path]) -> Denial? {
        // In their order, so that the places above several of them are judged once.
        let paths = paths.sorted()
        for path in paths {
            evaluator.work.grant(forPlaceWith: 0)
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

    /// The value at the end of the way after the operation.
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

    /// Moves to a path, as far as there are rules. Known verdicts on the common part of the way
    /// stay known.
    private mutating func go(to path: Path) {
        evaluator.route.turn(to: path)
        ascend(to: evaluator.route.depth)
        advance()
    }

    /// Continues along the path of the way, as far as there are rules.
    private mutating func advance() {
        let path = evaluator.route.path
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

    /// Returns the level and the place at the end of a path, as far as there are rules, starting at
    /// a place on its way.
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

/// The verdicts of the rules of one kind at the places of a way.
struct KnownVerdicts {
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
    mutating func holds(_ rule: Int, at depth: Int) -> Bool {
        let program = ruleset.rules[rule].program
        if isRecording {
            evaluator.trace = Array(repeating: nil, count: program.instructions.count)
        }
        let holds = evaluator.holds(program, at: depth, within: evaluationUnits(at: depth))
        if let values = evaluator.trace {
            coverage?.add(values, of: rule)
            if evaluations != nil {
                let path = evaluator.route.path(at: depth)
                evaluations?.append(RuleTrace.Evaluation(rule: rule, path: path, values: values))
            }
        }
        return holds
    }
}

extension Judge {
    /// The limit of one evaluation of a rule at a location of the path.
    private mutating func evaluationUnits(at depth: Int) -> Int {
        RuleLimits.evaluationUnits + RuleLimits.textByteUnits * textBytes(at: depth)
    }

    /// The bytes of the string that the operation leaves at a place of the way; zero if that is none.
    mutating func textBytes(at depth: Int) -> Int {
        evaluator.look(at: .way(.after, depth: depth), \.textBytes)
    }
}

extension Ruleset {
    /// Whether an operation may be done. A denial names the place; `trace` says what decided.
    ///
    /// - Complexity: of a read and of a grant, the rules on the path; of validation, also the written nodes that have
    ///   a `.validate` or one below them.
    public func evaluate(
        _ operation: RuleOperation, in situation: consuming RuleSituation
    ) -> RuleVerdict {
        var units = 0
        return evaluate(operation, in: situation, spending: &units)
    }

    /// Whether an operation may be done; adds the units of work that this took.
    public func evaluate(
        _ operation: RuleOperation, in situation: consuming RuleSituation,
        spending units: inout Int
    ) -> RuleVerdict {
        var judge = Judge(self, situation)
        defer { units += judge.evaluator.work.spent }
        return judge.evaluate(operation)
    }

    /// Whether a user may do an operation; `granted` is what is known of the grants of this user by these rules.
    public func evaluate(
        _ operation: RuleOperation, in situation: consuming RuleSituation,
        knowing granted: inout GrantedWay?, spending units: inout Int
    ) -> RuleVerdict {
        var judge = Judge(self, situation)
        defer { units += judge.evaluator.work.spent }
        guard case .write(let path) = operation else { return judge.evaluate(operation) }
        return judge.evaluate(writing: path, knowing: &granted)
    }

    /// Returns whether an operation is permitted, and counts the result of each part of the rules.
    public func evaluate(
        _ operation: RuleOperation, in situation: consuming RuleSituation,
        counting coverage: inout RuleCoverage, spending units: inout Int
    ) -> RuleVerdict {
        var judge = Judge(self, situation)
        // Handed over and back, so that counting copies nothing.
        judge.coverage = coverage
        coverage = RuleCoverage(of: nil)
        let verdict = judge.evaluate(operation)
        units += judge.evaluator.work.spent
        coverage = judge.coverage ?? coverage
        return verdict
    }

    /// The verdict, with all that led to it.
    public func trace(
        _ operation: RuleOperation, in situation: consuming RuleSituation
    ) -> RuleTrace {
        var judge = Judge.tracing(self, situation)
        let verdict = judge.evaluate(operation)
        return RuleTrace(
            rules: rules, verdict: verdict, evaluations: judge.evaluations ?? [],
            units: judge.evaluator.work.spent)
    }
}

extension Value {
    /// The bytes of a string; zero for other values.
    fileprivate var textBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .prioritized(let value): value.content.textBytes
        default: 0
        }
    }
}
