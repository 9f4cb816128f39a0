internal import DataTree

/// Judges one operation: goes through the levels of the document on the way to what is read or written, and below that
/// through what is written.
struct Judge: ~Copyable {
    private let ruleset: Ruleset
    private var evaluator: Evaluator
    /// All evaluations, if they are traced.
    private(set) var evaluations: [RuleTrace.Evaluation]?

    /// A judge at the root, for a way of so many keys.
    init(_ ruleset: Ruleset, _ situation: consuming RuleSituation, reserving depth: Int) {
        self.ruleset = ruleset
        evaluator = Evaluator(situation, reserving: depth)
    }

    /// A judge that records what every part of each rule gives.
    static func tracing(
        _ ruleset: Ruleset, _ situation: consuming RuleSituation, reserving depth: Int
    ) -> Judge {
        var judge = Judge(ruleset, situation, reserving: depth)
        judge.evaluations = []
        return judge
    }

    /// The verdict; of several denials that of the first path.
    mutating func judge(_ operation: RuleOperation) -> RuleVerdict {
        let denial: Denial? =
            switch operation {
            case .read(let path): denial(of: .read, at: path)
            case .write(let paths): denial(ofWriting: paths)
            }
        if evaluator.work.isExhausted { return .denied(.exhausted) }
        return denial.map(RuleVerdict.denied) ?? .allowed
    }

    private mutating func denial(ofWriting paths: [Path]) -> Denial? {
        // In their order, so that the places above several of them are judged once.
        let paths = paths.count > 1 ? paths.sorted() : paths
        // Grants first: they cost less, and their refusal says nothing of the data.
        for path in paths {
            if let denial = denial(of: .write, at: path) { return denial }
        }
        for path in paths {
            if let denial = invalidity(ofWriting: path) { return denial }
        }
        return nil
    }
}

// MARK: - The way

extension Judge {
    /// The level of the document that leads to the end of the way.
    var level: Int { evaluator.route.places[evaluator.route.depth].level }

    /// What the operation leaves at the end of the way.
    var value: Value {
        mutating get { evaluator.after(at: evaluator.route.depth) }
    }

    /// The path of the way.
    var path: Path { evaluator.route.path(at: evaluator.route.depth) }

    /// Goes one key down, to what the operation leaves there if that is known; returns whether there are rules.
    mutating func descend(by key: Key, finding after: Value?) -> Bool {
        let level = level
        let literal = ruleset.nodes[level].literals[key]
        guard let next = literal ?? ruleset.nodes[level].wildcard else { return false }
        evaluator.route.descend(by: key, to: next, binding: literal == nil, finding: after)
        return true
    }

    /// Goes one key up.
    mutating func ascend() { evaluator.route.ascend(to: evaluator.route.depth - 1) }

    /// Goes to a path, as far as there are rules; what is known of the places on the way there stays known.
    private mutating func go(to path: Path) {
        evaluator.route.ascend(to: evaluator.route.sharedDepth(with: path))
        let end = path.last == .priority ? path.count - 1 : path.count
        for index in evaluator.route.depth..<end {
            let isEnd = index + 1 == path.count
            let written = isEnd ? evaluator.situation.written(at: path) : nil
            guard descend(by: path.keys[index], finding: written) else { return }
        }
    }
}

// MARK: - Grants

extension Judge {
    private mutating func denial(of kind: RuleKind, at path: Path) -> Denial? {
        go(to: path)
        for depth in 0...evaluator.route.depth where isGranted(kind, at: depth) { return nil }
        return .notGranted(kind, at: path)
    }

    private mutating func isGranted(_ kind: RuleKind, at depth: Int) -> Bool {
        if let known = evaluator.route.places[depth].isGranted { return known }
        guard let rule = ruleset.nodes[evaluator.route.places[depth].level].rule(kind) else {
            return false
        }
        let result = holds(rule, at: depth)
        evaluator.route.places[depth].isGranted = result
        return result
    }

    /// Whether a rule holds at a place of the way.
    private mutating func holds(_ rule: Int, at depth: Int) -> Bool {
        let program = ruleset.rules[rule].program
        if evaluations != nil {
            evaluator.trace = Array(repeating: nil, count: program.instructions.count)
        }
        let value = evaluator.evaluate(program, at: depth)
        if let values = evaluator.trace {
            let path = evaluator.route.path(at: depth)
            evaluations?.append(RuleTrace.Evaluation(rule: rule, path: path, values: values))
        }
        if case .boolean(true) = value { return true }
        return false
    }
}

// MARK: - Validation

extension Judge {
    /// Why what a write leaves at its place, above it and below it is not valid.
    private mutating func invalidity(ofWriting path: Path) -> Denial? {
        go(to: path)
        for depth in 0...evaluator.route.depth {
            if let denial = invalidity(at: depth) { return denial }
        }
        // A path to a priority carries nothing below, and rules may end before the path does.
        return evaluator.route.depth == path.count ? invalidityBelow() : nil
    }

    /// Why the `.validate` of one place refuses; one where nothing is left demands nothing.
    private mutating func invalidity(at depth: Int) -> Denial? {
        guard let rule = ruleset.nodes[evaluator.route.places[depth].level].validate else {
            return nil
        }
        if evaluator.route.places[depth].isValid == nil {
            evaluator.route.places[depth].isValid =
                evaluator.after(at: depth).isNull || holds(rule, at: depth)
        }
        if evaluator.route.places[depth].isValid == true { return nil }
        return .invalid(rule: rule, at: evaluator.route.path(at: depth))
    }

    /// Walks what is written below the end of the way, as far as there are rules: all children below a wildcard,
    /// otherwise only those named.
    private mutating func invalidityBelow() -> Denial? {
        let level = level
        guard ruleset.nodes[level].validatesBelow else { return nil }
        let children = value.children
        if ruleset.nodes[level].wildcard == nil {
            for (key, next) in ruleset.nodes[level].validated {
                guard let child = children[key] else { continue }
                evaluator.route.descend(by: key, to: next, binding: false, finding: child)
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
        guard evaluator.work.pay(RuleWork.step) else { return .exhausted }
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
        var judge = Judge(self, situation, reserving: operation.depth)
        return judge.judge(operation)
    }

    /// The verdict, with all that led to it.
    public func trace(
        _ operation: RuleOperation, in situation: consuming RuleSituation
    ) -> RuleTrace {
        var judge = Judge.tracing(self, situation, reserving: operation.depth)
        let verdict = judge.judge(operation)
        return RuleTrace(
            rules: rules, verdict: verdict, evaluations: judge.evaluations ?? [])
    }
}

extension RuleOperation {
    /// How many keys the way of the operation has, with a level of what is written.
    fileprivate var depth: Int {
        switch self {
        case .read(let path): path.count
        case .write(let paths): (paths.first?.count ?? 0) + 1
        }
    }
}
