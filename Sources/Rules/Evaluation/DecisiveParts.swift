/// Finds the smallest parts of an expression that made it false, or fail.
struct DecisiveParts {
    private let expression: Expression
    private let values: [RuleValue?]

    init(_ expression: Expression, _ values: [RuleValue?]) {
        self.expression = expression
        self.values = values
    }

    /// The parts, in the order of the text; several where each alone could have made it true.
    var parts: [Int] { decisive(expression.root) }

    private func fails(_ index: Int) -> Bool { values[index]?.failure != nil }

    private func isTrue(_ index: Int) -> Bool {
        if case .boolean(true)? = values[index] { true } else { false }
    }

    private func decisive(_ index: Int) -> [Int] {
        let kind = expression.nodes[index].kind
        if let failed = kind.parts.first(where: fails) { return decisive(failed) }
        switch kind {
        case .all(let parts) where !isTrue(index):
            return parts.first { !isTrue($0) }.map(decisive) ?? [index]
        case .any(let parts):
            if isTrue(index) { return parts.first(where: isTrue).map(decisive) ?? [index] }
            return parts.flatMap(decisive)
        case .not(let operand) where expression.nodes[operand].kind.isLogical:
            return decisive(operand)
        case .conditional(let condition, let then, let otherwise):
            return decisive(isTrue(condition) ? then : otherwise)
        default: return [index]
        }
    }

    /// A part as it is written, what it gave, and the values that it was made of.
    func description(of index: Int) -> String {
        guard let value = values[index] else {
            return "\(expression.text(of: index)) was not reached"
        }
        let operands = operands(of: index).map { operand in
            "\(expression.text(of: operand)) is \(values[operand]!)"
        }
        let start = "\(expression.text(of: index)) is \(value)"
        return operands.isEmpty ? start : start + ", as " + operands.joined(separator: ", ")
    }

    /// The values below a part that are no constants; of places, what leads to them.
    private func operands(of index: Int) -> [Int] {
        expression.nodes[index].kind.parts.flatMap { part -> [Int] in
            guard let value = values[part], !expression.nodes[part].kind.isConstant else {
                return []
            }
            guard case .snapshot = value else { return [part] }
            let asksForType = expression.nodes[index].kind.asksForType
            return (asksForType ? [part] : []) + operands(of: part)
        }
    }
}

extension Expression.Kind {
    /// The parts that it is made of, in the order of evaluation.
    var parts: [Int] {
        switch self {
        case .null, .boolean, .number, .string, .variable, .pattern, .queryProperty: []
        case .not(let part), .negative(let part), .member(let part, _), .claim(let part, _),
            .length(let part):
            [part]
        case .all(let parts), .any(let parts), .array(let parts): parts
        case .comparison(_, let left, let right), .arithmetic(_, let left, let right),
            .index(let left, let right), .claimAt(let left, let right):
            [left, right]
        case .conditional(let condition, let then, let otherwise): [condition, then, otherwise]
        case .call(let object, let arguments), .snapshotMethod(_, let object, let arguments),
            .stringMethod(_, let object, let arguments):
            [object] + arguments
        }
    }

    /// Whether it asks of what type the value at a place is.
    fileprivate var asksForType: Bool {
        guard case .snapshotMethod(let method, _, _) = self else { return false }
        return method == .isNumber || method == .isString || method == .isBoolean
    }

    /// Whether it combines booleans.
    var isLogical: Bool {
        switch self {
        case .not, .all, .any, .conditional: true
        default: false
        }
    }

    /// Whether it is a constant that the text spells out.
    var isConstant: Bool {
        switch self {
        case .null, .boolean, .number, .string, .pattern, .array: true
        default: false
        }
    }
}
