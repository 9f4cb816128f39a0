// Operators: none converts, and what none of them can do with its operands fails.

internal import DataTree

extension Evaluator {
    /// Unary `-`.
    func negative(of value: RuleValue) throws(RuleFailure) -> RuleValue {
        guard case .number(let number) = value else { throw .noNumber }
        return .number(-number)
    }

    /// Whether a comparison of two values holds.
    mutating func compare(
        _ left: RuleValue, _ comparison: Comparison, _ right: RuleValue
    ) throws(RuleFailure) -> Bool {
        if case .snapshot = left { throw .noValue }
        if case .snapshot = right { throw .noValue }
        if case .string(let a) = left, case .string(let b) = right {
            try work.pay(min(a.utf8.count, b.utf8.count))
        }
        switch comparison {
        case .equal: return RuleValue.areEqual(left, right)
        case .unequal: return !RuleValue.areEqual(left, right)
        default: return try order(left, comparison, right)
        }
    }

    /// Whether a part is the key that a wildcard stands for; the key's text is made for traces alone.
    mutating func equals(
        _ part: Int, _ binding: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> Bool {
        guard trace == nil, case .binding(let number) = program.instructions[binding] else {
            let value = try value(of: part, program, depth)
            return try compare(value, .equal, self.value(of: binding, program, depth))
        }
        let key = route.key(at: number + 1)
        try work.pay(RuleWork.step + key.utf8Count)
        // Most often a part of `auth` that is looked up once, and copied nowhere.
        if case .claim(let object, let name) = program.instructions[part],
            case .auth = program.instructions[object]
        {
            try work.pay(2 * RuleWork.step)
            return situation.auth.isNamed(key, by: program.constants[name].text)
        }
        switch try value(of: part, program, depth) {
        case .string(let text): return key.isNamed(text)
        case .snapshot: throw .noValue
        default: return false
        }
    }

    private func order(
        _ left: RuleValue, _ comparison: Comparison, _ right: RuleValue
    ) throws(RuleFailure) -> Bool {
        switch (left, right) {
        case (.number(let a), .number(let b)): return comparison.holds(a, b)
        case (.string(let a), .string(let b)):
            // By UTF-16 units, as JavaScript orders strings.
            switch a.utf16Order(to: b) {
            case .before: return comparison.holds(-1, 0)
            case .same: return comparison.holds(0, 0)
            case .after: return comparison.holds(1, 0)
            }
        default: throw .notOrdered
        }
    }

    /// A sum, difference, product, quotient or remainder.
    mutating func compute(
        _ left: RuleValue, _ operation: Arithmetic, _ right: RuleValue
    ) throws(RuleFailure) -> RuleValue {
        if case .number(let a) = left, case .number(let b) = right {
            return .number(operation.result(a, b))
        }
        guard operation == .add else { throw .noNumber }
        guard let a = addend(left), let b = addend(right) else { throw .notAdded }
        return try .string(joined([a, b]))
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
    mutating func joined(_ texts: [String]) throws(RuleFailure) -> String {
        let count = texts.reduce(0) { $0 + $1.utf8.count }
        if count > RuleLimits.stringBytes { throw .tooLong }
        try work.pay(count)
        return texts.joined()
    }
}

extension Comparison {
    func holds(_ a: Double, _ b: Double) -> Bool {
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
    /// The result for two numbers. Division by zero gives NaN, never infinity, as in Firebase: a comparison with it is false.
    fileprivate func result(_ a: Double, _ b: Double) -> Double {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: b == 0 ? .nan : a / b
        case .remainder: a.truncatingRemainder(dividingBy: b)
        }
    }
}
