/// Evaluates the expressions of rules for one operation.
///
/// A failure is a value, not an error thrown: it makes every part that needs it fail, up to the whole rule. Only parts
/// that are not evaluated escape: the right side of `true || …`, and the branch that `?` does not choose.
struct Evaluator {
    /// Where a rule stands for the operation.
    struct Site: Sendable {
        /// What is at the rule's place before the operation.
        var before: RuleSnapshot
        /// What is there afterwards; the same for a read.
        var after: RuleSnapshot
        /// The keys that the wildcards on the path stand for, from the root.
        var bindings: [String] = []
    }

    let situation: RuleSituation
    var work = RuleWork()
    /// What each part of the current expression gave, if it is traced.
    var trace: [RuleValue?]?
    private let rootBefore: RuleSnapshot

    init(_ situation: RuleSituation) {
        self.situation = situation
        rootBefore = RuleSnapshot(root: situation.before)
    }

    /// What the whole expression gives: a boolean or a failure.
    mutating func evaluate(_ expression: Expression, at site: Site) -> RuleValue {
        evaluate(expression.root, expression, site)
    }

    /// What one part of an expression gives.
    mutating func evaluate(
        _ index: Int, _ expression: Expression, _ site: Site
    ) -> RuleValue {
        guard work.pay(RuleWork.step) else { return .failure(.exhausted) }
        let value = value(of: expression.nodes[index].kind, expression, site)
        trace?[index] = value
        return value
    }

    private mutating func value(
        of kind: Expression.Kind, _ expression: Expression, _ site: Site
    ) -> RuleValue {
        switch kind {
        case .null: return .null
        case .boolean(let value): return .boolean(value)
        case .number(let value): return .number(value)
        case .string(let value): return .string(value)
        case .variable(let variable): return value(of: variable, site)
        case .not(let operand): return negation(of: evaluate(operand, expression, site))
        case .negative(let operand): return negative(of: evaluate(operand, expression, site))
        case .all(let parts): return evaluate(parts, endingAt: false, expression, site)
        case .any(let parts): return evaluate(parts, endingAt: true, expression, site)
        case .comparison(let comparison, let left, let right):
            let left = evaluate(left, expression, site)
            if left.failure != nil { return left }
            return compare(left, comparison, evaluate(right, expression, site))
        case .arithmetic(let operation, let left, let right):
            let left = evaluate(left, expression, site)
            if left.failure != nil { return left }
            return compute(left, operation, evaluate(right, expression, site))
        case .conditional(let condition, let then, let otherwise):
            switch evaluate(condition, expression, site) {
            case .boolean(let isTrue): return evaluate(isTrue ? then : otherwise, expression, site)
            case let failure: return failure
            }
        default: return member(kind, expression, site)
        }
    }

    private func value(of variable: Variable, _ site: Site) -> RuleValue {
        switch variable {
        case .auth: RuleValue(situation.auth)
        case .now: .number(situation.now)
        case .root: .snapshot(rootBefore)
        case .data: .snapshot(site.before)
        case .newData: .snapshot(site.after)
        case .binding(let place): .string(site.bindings[place])
        // Only its members have values; the type checker lets nothing else through.
        case .query: .null
        case .unknown(let name): preconditionFailure("the unknown \(name) passed the type checker")
        }
    }

    /// The parts up to the first that is `end` or fails.
    private mutating func evaluate(
        _ parts: [Int], endingAt end: Bool, _ expression: Expression, _ site: Site
    ) -> RuleValue {
        for part in parts {
            switch evaluate(part, expression, site) {
            case .boolean(let value):
                if value == end { return .boolean(end) }
            case let failure: return failure
            }
        }
        return .boolean(!end)
    }
}
