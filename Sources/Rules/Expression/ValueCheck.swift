internal import DataTree

/// The conditions of an expression on the new value at its rule's place, if it has no others: a
/// conjunction of type, range, length and names, like most of `.validate`.
///
/// It has the result of the program, without its steps. Failure and false are equal here, because a
/// conjunction holds in neither case.
struct ValueCheck: Sendable {
    fileprivate enum Question: Sendable {
        case exists
        case isBoolean
        case isNumber
        case isString
        case hasChildren
        /// A comparison with the number, and none with anything else.
        case number(Comparison, Double)
        case length(Comparison, Double)
    }

    private var questions: [Question] = []
    /// The names that `hasChildren` is asked for, ascending.
    private(set) var names: [Key] = []
    /// The work of the parts of the expression.
    private let work: Int

    /// The check of an expression; nil if it asks for more than the value.
    init?(_ expression: Expression) {
        work = RuleWork.step * expression.nodes.count
        guard add(expression.root, of: expression) else { return nil }
        names = Set(names).sorted()
    }

    /// Whether a value is what the expression asks for.
    func holds(for value: Value, paying budget: inout RuleWork) throws(RuleFailure) -> Bool {
        try holds(for: value.outline, paying: &budget)
            && (names.isEmpty || value.hasChildren(names))
    }

    /// Whether a value of this outline is what the expression asks for, names aside.
    func holds(for value: ValueOutline, paying budget: inout RuleWork) throws(RuleFailure) -> Bool {
        if case .string(let count, _) = value {
            try budget.pay(work + count)
        } else {
            try budget.pay(work)
        }
        for question in questions where !question.holds(for: value) { return false }
        return true
    }
}

extension ValueCheck.Question {
    fileprivate func holds(for value: ValueOutline) -> Bool {
        switch (self, value) {
        case (.exists, .null): false
        case (.exists, _): true
        case (.isBoolean, .boolean), (.isNumber, .number), (.isString, .string),
            (.hasChildren, .object):
            true
        case (.number(let comparison, let bound), .number(let number)):
            comparison.holds(number, bound)
        case (.length(let comparison, let bound), .string(_, let count)):
            comparison.holds(Double(count), bound)
        default: false
        }
    }
}

// MARK: - Compiling

extension ValueCheck {
    /// Adds what a part asks; returns whether it asks for nothing but the value.
    private mutating func add(_ part: Int, of expression: Expression) -> Bool {
        switch expression.nodes[part].kind {
        case .boolean(true): return true
        case .all(let parts): return parts.allSatisfy { add($0, of: expression) }
        case .snapshotMethod(let method, let object, let arguments):
            guard expression.isNewData(object) else { return false }
            if method == .hasChildren, let list = arguments.first {
                return addNames(list, of: expression)
            }
            guard let question = Question(method) else { return false }
            questions.append(question)
            return true
        case .comparison(let comparison, let left, let right):
            guard comparison != .unequal, case .number(let bound) = expression.nodes[right].kind
            else { return false }
            return addComparison(comparison, of: left, with: bound, expression)
        default: return false
        }
    }

    private mutating func addComparison(
        _ comparison: Comparison, of part: Int, with bound: Double, _ expression: Expression
    ) -> Bool {
        switch expression.nodes[part].kind {
        case .length(let object):
            guard expression.isValueOfNewData(object) else { return false }
            questions.append(.length(comparison, bound))
        default:
            guard expression.isValueOfNewData(part) else { return false }
            questions.append(.number(comparison, bound))
        }
        return true
    }

    private mutating func addNames(_ list: Int, of expression: Expression) -> Bool {
        guard let keys = expression.childKeys(in: list) else { return false }
        names += keys
        return true
    }
}

extension ValueCheck.Question {
    /// The question of a method without arguments, if it gives a boolean.
    fileprivate init?(_ method: SnapshotMethod) {
        switch method {
        case .exists: self = .exists
        case .isBoolean: self = .isBoolean
        case .isNumber: self = .isNumber
        case .isString: self = .isString
        case .hasChildren: self = .hasChildren
        case .val, .child, .parent, .hasChild, .getPriority: return nil
        }
    }
}

extension Expression {
    fileprivate func isNewData(_ part: Int) -> Bool {
        if case .variable(.newData) = nodes[part].kind { true } else { false }
    }

    /// Whether a part is `newData.val()`.
    fileprivate func isValueOfNewData(_ part: Int) -> Bool {
        guard case .snapshotMethod(.val, let object, _) = nodes[part].kind else { return false }
        return isNewData(object)
    }

    /// The keys that a list names, if they are constants; nil if one is a path or more than a constant.
    func childKeys(in list: Int) -> [Key]? {
        guard case .array(let names) = nodes[list].kind else { return nil }
        return Expression.childKeys(names, of: nodes)
    }

    /// The keys that some parts name, if they are constants; nil if one is a path or more than a constant.
    static func childKeys(_ names: [Int], of nodes: [Node]) -> [Key]? {
        var keys: [Key] = []
        for name in names {
            guard case .string(let text) = nodes[name].kind else { return nil }
            let path = Key.keys(ofPath: text)
            guard path.count == 1, path[0].utf8Count == text.utf8.count else { return nil }
            keys += path
        }
        return keys
    }
}
