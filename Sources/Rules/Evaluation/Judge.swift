internal import DataTree

/// Judges one operation: walks the levels of the document on the operation's path, and below it what is written.
struct Judge {
    /// A place of the tree, and the level of the document that its path leads to.
    struct Place {
        var level: Int
        var path = Path.root
        var site: Evaluator.Site
    }

    /// A rule at a place.
    private struct Visit: Hashable {
        let rule: Int
        let path: Path
    }

    private let ruleset: Ruleset
    private var evaluator: Evaluator
    /// What rules gave, if several paths may meet them again.
    private var known: [Visit: Bool]?
    /// All evaluations, if they are traced.
    private(set) var evaluations: [RuleTrace.Evaluation]?

    init(_ ruleset: Ruleset, _ situation: RuleSituation) {
        self.ruleset = ruleset
        evaluator = Evaluator(situation)
    }

    /// A judge that records what every part of each rule gives.
    static func tracing(_ ruleset: Ruleset, _ situation: RuleSituation) -> Judge {
        var judge = Judge(ruleset, situation)
        judge.evaluations = []
        return judge
    }

    /// The verdict; of several denials the first.
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
        if paths.count > 1 { known = [:] }
        // Grants first: they cost less, and their refusal says nothing of the data.
        for path in paths {
            if let denial = denial(of: .write, at: path) { return denial }
        }
        for path in paths {
            if let denial = invalidity(ofWriting: path) { return denial }
        }
        return nil
    }

    private var root: Place {
        let situation = evaluator.situation
        return Place(
            level: 0,
            site: Evaluator.Site(
                before: RuleSnapshot(root: situation.before),
                after: RuleSnapshot(root: situation.after)))
    }

    /// The places of a path that have rules, from the root.
    private func places(on path: Path) -> [Place] {
        var places = [root]
        for key in path.keys where key != .priority {
            guard let next = ruleset.place(below: places[places.count - 1], at: key) else { break }
            places.append(next)
        }
        return places
    }
}

// MARK: - Grants

extension Judge {
    private mutating func denial(of kind: RuleKind, at path: Path) -> Denial? {
        for place in places(on: path) {
            guard let rule = ruleset.nodes[place.level].rule(kind) else { continue }
            if holds(rule, at: place) { return nil }
        }
        return .notGranted(kind, at: path)
    }

    private mutating func holds(_ rule: Int, at place: Place) -> Bool {
        let visit = Visit(rule: rule, path: place.path)
        if let result = known?[visit] { return result }
        let result = evaluate(rule, at: place)
        known?[visit] = result
        return result
    }

    /// Whether a rule holds, however often it is evaluated.
    mutating func evaluate(_ rule: Int, at place: Place) -> Bool {
        let expression = ruleset.rules[rule].expression
        if evaluations != nil {
            evaluator.trace = Array(repeating: nil, count: expression.nodes.count)
        }
        let value = evaluator.evaluate(expression, at: place.site)
        if let values = evaluator.trace {
            evaluations?.append(
                RuleTrace.Evaluation(rule: rule, path: place.path, values: values))
        }
        if case .boolean(true) = value { return true }
        return false
    }
}

// MARK: - Validation

extension Judge {
    /// Why what a write leaves at its place, above it and below it is not valid.
    private mutating func invalidity(ofWriting path: Path) -> Denial? {
        let places = places(on: path)
        for place in places {
            if let denial = invalidity(at: place) { return denial }
        }
        // A path to a priority carries nothing below, and rules may end before the path does.
        guard let last = places.last, last.path.count == path.count else { return nil }
        return invalidity(below: last)
    }

    /// Why the `.validate` of one place refuses; one where nothing is left demands nothing.
    private mutating func invalidity(at place: Place) -> Denial? {
        guard let rule = ruleset.nodes[place.level].validate, !place.site.after.value.isNull,
            !holds(rule, at: place)
        else { return nil }
        return .invalid(rule: rule, at: place.path)
    }

    /// Walks what is written, as far as there are rules: all children below a wildcard, otherwise only those named.
    private mutating func invalidity(below place: Place) -> Denial? {
        let level = ruleset.nodes[place.level]
        guard level.validatesBelow else { return nil }
        let children = place.site.after.value.children
        if level.wildcard == nil {
            for (key, _) in level.literals where children[key] != nil {
                if let denial = invalidity(atAndBelow: key, of: place) { return denial }
            }
            return nil
        }
        for (key, _) in children {
            if let denial = invalidity(atAndBelow: key, of: place) { return denial }
        }
        return nil
    }

    private mutating func invalidity(atAndBelow key: Key, of place: Place) -> Denial? {
        guard evaluator.work.pay(RuleWork.step) else { return .exhausted }
        guard let child = ruleset.place(below: place, at: key) else { return nil }
        return invalidity(at: child) ?? invalidity(below: child)
    }
}

extension Ruleset {
    /// The place one key below, or nil if no rule is there.
    func place(below place: Judge.Place, at key: Key) -> Judge.Place? {
        let level = nodes[place.level]
        var below = place
        if let literal = level.literals[key] {
            below.level = literal
        } else if let wildcard = level.wildcard {
            below.level = wildcard
            below.site.bindings.append(key.text)
        } else {
            return nil
        }
        below.path.keys.append(key)
        below.site.before = place.site.before.child(key)
        below.site.after = place.site.after.child(key)
        return below
    }

    /// Whether an operation may be done. A denial names the place; `trace` says what decided.
    ///
    /// - Complexity: of a read and of a grant, the rules on the path; of validation, also the written nodes that have
    ///   a `.validate` or one below them.
    public func judge(_ operation: RuleOperation, in situation: RuleSituation) -> RuleVerdict {
        var judge = Judge(self, situation)
        return judge.judge(operation)
    }

    /// The verdict, with all that led to it.
    public func trace(_ operation: RuleOperation, in situation: RuleSituation) -> RuleTrace {
        var judge = Judge.tracing(self, situation)
        let verdict = judge.judge(operation)
        return RuleTrace(
            rules: rules, verdict: verdict, evaluations: judge.evaluations ?? [])
    }
}
