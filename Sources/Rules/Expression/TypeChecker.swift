/// Checks an expression's types as Firebase does when rules are uploaded, and says what its members mean.
///
/// An accepted expression never gives anything but a boolean where one is needed; it may still fail.
struct TypeChecker {
    var expression: Expression
    private let kind: RuleKind

    private init(_ expression: Expression, _ kind: RuleKind) {
        self.expression = expression
        self.kind = kind
    }

    /// The expression with its members resolved and its types known.
    ///
    /// - Throws: The first fault, in the order of evaluation.
    static func check(
        _ expression: Expression, as kind: RuleKind
    ) throws(SourceError) -> Expression {
        var checker = TypeChecker(expression, kind)
        guard try checker.check(expression.root) == .boolean else {
            throw checker.error(expression.root, "Expression must evaluate to a boolean.")
        }
        return checker.expression
    }

    /// A fault of a part.
    func error(_ index: Int, _ text: String) -> SourceError {
        SourceError(offset: expression.nodes[index].span.lowerBound, text: text)
    }

    /// The type of a part, all of which is checked.
    @discardableResult
    mutating func check(_ index: Int) throws(SourceError) -> StaticType {
        let type = try type(of: index)
        expression.nodes[index].type = type
        return type
    }

    private mutating func type(of index: Int) throws(SourceError) -> StaticType {
        switch expression.nodes[index].kind {
        case .null: return .null
        case .boolean: return .boolean
        case .number: return .number
        case .string: return .string
        case .variable(let variable): return try type(of: variable, at: index)
        case .not(let operand):
            return try demand(.boolean, of: operand, "! only operates on booleans.")
        case .negative(let operand):
            if try !check(operand).mayBeNumber {
                throw error(operand, "- only operates on numbers.")
            }
            return .number
        case .all(let parts): return try check(parts, operator: "&&")
        case .any(let parts): return try check(parts, operator: "||")
        case .comparison(let comparison, let left, let right):
            return try check(comparison, left, right)
        case .arithmetic(let operation, let left, let right):
            return try check(operation, left, right)
        case .conditional(let condition, let then, let otherwise):
            try demand(.boolean, of: condition, "condition of ? must be boolean.")
            let type = try check(then)
            return type.joined(with: try check(otherwise))
        case .array: throw error(index, "Unexpected array literal.")
        case .pattern: throw error(index, "Unexpected regular expression literal.")
        case .member, .index, .call: return try resolve(index)
        case .claim, .claimAt, .length, .queryProperty, .snapshotMethod, .stringMethod:
            preconditionFailure("part \(index) of an expression was checked twice")
        }
    }

    private func type(
        of variable: Variable, at index: Int
    ) throws(SourceError) -> StaticType {
        switch variable {
        case .auth: return .claim
        case .now: return .number
        case .root, .data: return .snapshot
        case .newData:
            if kind == .read {
                throw error(index, "newData is invalid in .read expressions.")
            }
            return .snapshot
        case .query: return .query
        case .binding: return .string
        case .unknown(let name): throw error(index, "Unknown variable '\(name)'.")
        }
    }

    @discardableResult
    private mutating func demand(
        _ type: StaticType, of index: Int, _ text: String
    ) throws(SourceError) -> StaticType {
        guard try check(index) == type else { throw error(index, text) }
        return type
    }
}

// MARK: - Operators

extension TypeChecker {
    private mutating func check(
        _ parts: [Int], operator sign: String
    ) throws(SourceError) -> StaticType {
        for (place, part) in parts.enumerated() {
            let side = place == 0 ? "Left" : "Right"
            try demand(.boolean, of: part, "\(side) operand of \(sign) must be boolean.")
        }
        return .boolean
    }

    private mutating func check(
        _ comparison: Comparison, _ left: Int, _ right: Int
    ) throws(SourceError) -> StaticType {
        let types = [try check(left), try check(right)]
        for (side, (type, part)) in zip(["left", "right"], zip(types, [left, right])) {
            let start = "Invalid \(comparison.rawValue) expression: \(side) operand "
            if comparison.isEquality, !type.isComparable {
                // Firebase leaves the "or" out at this one place.
                let isOdd = comparison == .equal && side == "left"
                throw error(
                    part, start + "is not a number, boolean, string, \(isOdd ? "" : "or ")null.")
            }
            if !comparison.isEquality, !type.mayBeOrdered {
                throw error(part, start + "must be a number or string.")
            }
        }
        return .boolean
    }

    private mutating func check(
        _ operation: Arithmetic, _ left: Int, _ right: Int
    ) throws(SourceError) -> StaticType {
        let types = [try check(left), try check(right)]
        let isSum = operation == .add
        for (side, (type, part)) in zip(["left", "right"], zip(types, [left, right]))
        where isSum ? !type.mayBeOrdered : !type.mayBeNumber {
            throw error(
                part,
                "Invalid \(operation.rawValue) expression: \(side) operand is not a number"
                    + (isSum ? " or string." : "."))
        }
        if !isSum { return .number }
        if types.contains(.string) { return .string }
        return types == [.number, .number] ? .number : .value
    }
}
