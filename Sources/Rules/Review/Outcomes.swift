/// The possible outcomes of a part of an expression, for any data.
struct Outcomes: OptionSet, Sendable {
    let rawValue: Int

    static let isTrue = Outcomes(rawValue: 1)
    static let isFalse = Outcomes(rawValue: 2)
    static let fails = Outcomes(rawValue: 4)
    static let unknown: Outcomes = [.isTrue, .isFalse, .fails]
}

extension Expression {
    /// The possible outcomes of the whole, as exactly as constants and types tell.
    var outcomes: Outcomes { outcomes(of: root) }

    /// Returns the possible outcomes of a part.
    func outcomes(of index: Int) -> Outcomes {
        switch nodes[index].kind {
        case .boolean(let value): return value ? .isTrue : .isFalse
        case .not(let operand): return outcomes(of: operand).inverted
        case .all(let parts): return outcomes(of: parts, endingAt: .isFalse)
        case .any(let parts): return outcomes(of: parts, endingAt: .isTrue)
        case .comparison(let comparison, let left, let right):
            return outcomes(of: comparison, left, right)
        case .conditional(let condition, let then, let otherwise):
            let condition = outcomes(of: condition)
            var result = condition.intersection(.fails)
            if condition.contains(.isTrue) { result.formUnion(outcomes(of: then)) }
            if condition.contains(.isFalse) { result.formUnion(outcomes(of: otherwise)) }
            return result
        default: return .unknown
        }
    }

    /// Returns the outcomes of parts that are evaluated until one has the outcome `end`.
    private func outcomes(of parts: [Int], endingAt end: Outcomes) -> Outcomes {
        var result: Outcomes = []
        for part in parts {
            let outcomes = outcomes(of: part)
            result.formUnion(outcomes.intersection([end, .fails]))
            if !outcomes.contains(end.inverted) { return result }
        }
        return result.union(end.inverted)
    }

    private func outcomes(
        of comparison: Comparison, _ left: Int, _ right: Int
    ) -> Outcomes {
        if let left = constant(left), let right = constant(right) {
            var evaluator = Evaluator.ofConstants
            do throws(RuleFailure) {
                return try evaluator.compare(left, comparison, right) ? .isTrue : .isFalse
            } catch {
                return .fails
            }
        }
        let types = (nodes[left].type, nodes[right].type)
        guard types.0.isDefinite, types.1.isDefinite, types.0 != types.1 else { return .unknown }
        switch comparison {
        case .equal: return [.isFalse, .fails]
        case .unequal: return [.isTrue, .fails]
        default: return .fails
        }
    }

    /// The value of a part that the text spells out.
    private func constant(_ index: Int) -> RuleValue? {
        switch nodes[index].kind {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .number(let value): .number(value)
        case .string(let value): .string(value)
        default: nil
        }
    }

    /// Whether its result is the same at every place: it does not use the data at its own place.
    var isIndependentOfPlace: Bool {
        !nodes.contains { node in
            if case .variable(let variable) = node.kind {
                return variable == .data || variable == .newData
            }
            return false
        }
    }
}

extension Outcomes {
    /// The possible outcomes of the negation.
    var inverted: Outcomes {
        var result = intersection(.fails)
        if contains(.isTrue) { result.insert(.isFalse) }
        if contains(.isFalse) { result.insert(.isTrue) }
        return result
    }
}

extension StaticType {
    /// Whether all its values are of one type.
    fileprivate var isDefinite: Bool {
        switch self {
        case .boolean, .number, .string, .null: true
        default: false
        }
    }
}

extension Evaluator {
    /// For expressions that ask for nothing.
    fileprivate static var ofConstants: Evaluator {
        Evaluator(RuleSituation(auth: .null, now: 0, data: .null))
    }
}
