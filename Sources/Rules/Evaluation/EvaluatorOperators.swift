// Operators: none converts, and what none of them can do with its operands fails.

internal import DataTree

extension Evaluator {
    /// `!`.
    func negation(of value: RuleValue) -> RuleValue {
        if case .boolean(let value) = value { .boolean(!value) } else { value }
    }

    /// Unary `-`.
    func negative(of value: RuleValue) -> RuleValue {
        switch value {
        case .number(let number): .number(-number)
        case .failure: value
        default: .failure(.noNumber)
        }
    }

    /// A comparison of two values, the first of which is no failure.
    mutating func compare(
        _ left: RuleValue, _ comparison: Comparison, _ right: RuleValue
    ) -> RuleValue {
        if right.failure != nil { return right }
        if case .snapshot = left { return .failure(.noValue) }
        if case .snapshot = right { return .failure(.noValue) }
        guard pay(for: left, right) else { return .failure(.exhausted) }
        switch comparison {
        case .equal: return .boolean(RuleValue.areEqual(left, right))
        case .unequal: return .boolean(!RuleValue.areEqual(left, right))
        default: return order(left, comparison, right)
        }
    }

    private func order(
        _ left: RuleValue, _ comparison: Comparison, _ right: RuleValue
    ) -> RuleValue {
        switch (left, right) {
        case (.number(let a), .number(let b)): return .boolean(comparison.holds(a, b))
        case (.string(let a), .string(let b)):
            // By UTF-16 units, as JavaScript orders strings.
            switch a.utf16Order(to: b) {
            case .before: return .boolean(comparison.holds(-1, 0))
            case .same: return .boolean(comparison.holds(0, 0))
            case .after: return .boolean(comparison.holds(1, 0))
            }
        default: return .failure(.notOrdered)
        }
    }

    /// A sum, difference, product, quotient or remainder; the first operand is no failure.
    mutating func compute(
        _ left: RuleValue, _ operation: Arithmetic, _ right: RuleValue
    ) -> RuleValue {
        if right.failure != nil { return right }
        if case .number(let a) = left, case .number(let b) = right {
            return .number(operation.result(a, b))
        }
        guard operation == .add else { return .failure(.noNumber) }
        guard let a = addend(left), let b = addend(right) else { return .failure(.notAdded) }
        return joined([a, b])
    }

    /// The text of a string or a number that is added to a string.
    private func addend(_ value: RuleValue) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): RuleValue.text(of: number)
        default: nil
        }
    }

    /// Strings one behind the other.
    mutating func joined(_ texts: [String]) -> RuleValue {
        let count = texts.reduce(0) { $0 + $1.utf8.count }
        if count > RuleLimits.stringBytes { return .failure(.tooLong) }
        guard work.pay(count) else { return .failure(.exhausted) }
        return .string(texts.joined())
    }

    private mutating func pay(for left: RuleValue, _ right: RuleValue) -> Bool {
        guard let left = left.text, let right = right.text else { return true }
        return work.pay(min(left.utf8.count, right.utf8.count))
    }
}

extension Comparison {
    fileprivate func holds(_ a: Double, _ b: Double) -> Bool {
        switch self {
        case .equal: a == b
        case .unequal: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }
}

extension Arithmetic {
    fileprivate func result(_ a: Double, _ b: Double) -> Double {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        case .remainder: a.truncatingRemainder(dividingBy: b)
        }
    }
}
