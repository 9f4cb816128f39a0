// Members: of `auth`, of places and of strings.

internal import DataTree

extension Evaluator {
    /// A part of `auth`, the name of which is a constant.
    mutating func claim(
        _ name: String, of object: Int, _ program: Program, _ depth: Int
    ) -> RuleValue {
        // Most often of `auth` itself, which need not be copied.
        guard trace == nil, case .auth = program.instructions[object] else {
            return claim(name, of: evaluate(object, program, depth))
        }
        guard work.pay(RuleWork.step) else { return .failure(.exhausted) }
        return RuleValue(situation.auth[name])
    }

    /// What other members and methods of strings give.
    mutating func member(
        _ instruction: Program.Instruction, _ program: Program, _ depth: Int
    ) -> RuleValue {
        switch instruction {
        case .claimAt(let object, let key):
            let object = evaluate(object, program, depth)
            if object.failure != nil { return object }
            return claim(evaluate(key, program, depth), of: object)
        case .length(let object):
            let object = evaluate(object, program, depth)
            guard let text = object.text else { return object.withoutString }
            guard work.pay(text.utf8.count) else { return .failure(.exhausted) }
            return .number(Double(text.utf16.count))
        case .stringMethod(let method, let object, let arguments):
            let object = evaluate(object, program, depth)
            guard let text = object.text else { return object.withoutString }
            return call(method, of: text, arguments, program, depth)
        default: preconditionFailure("\(instruction) is no member")
        }
    }

    /// A part of `auth`: null where a level above is missing or has no parts.
    private func claim(_ key: RuleValue, of object: RuleValue) -> RuleValue {
        switch key {
        case .string(let name): claim(name, of: object)
        case .number(let number): claim(RuleValue.text(of: number), of: object)
        case .failure: key
        default: .failure(.noString)
        }
    }

    private func claim(_ name: String, of object: RuleValue) -> RuleValue {
        switch object {
        case .claim(let claim): RuleValue(claim[name])
        case .failure: object
        default: .null
        }
    }
}

extension RuleValue {
    /// The failure of a member that only strings have.
    fileprivate var withoutString: RuleValue { failure == nil ? .failure(.noString) : self }
}

// MARK: - Places

extension Evaluator {
    /// What a method of a place gives.
    mutating func call(
        _ method: SnapshotMethod, of object: Int, _ arguments: Range<Int>, _ program: Program,
        _ depth: Int
    ) -> RuleValue {
        let object = evaluate(object, program, depth)
        guard case .snapshot(let place) = object else {
            return object.failure == nil ? .failure(.noValue) : object
        }
        switch method {
        case .parent: return place.parent.map(RuleValue.snapshot) ?? .failure(.noParent)
        case .child:
            return path(program.lists[arguments.lowerBound], program, depth) { evaluator, keys in
                .snapshot(evaluator.place(at: keys, below: place))
            }
        case .hasChild:
            return hasChild(place, program.lists[arguments.lowerBound], program, depth)
        case .hasChildren where !arguments.isEmpty:
            return hasChildren(place, program.lists[arguments.lowerBound], program, depth)
        default: return answer(method, value(at: place))
        }
    }

    /// What a method that takes nothing says of what is at a place.
    private func answer(_ method: SnapshotMethod, _ value: Value) -> RuleValue {
        switch method {
        case .val: return RuleValue(value)
        case .getPriority: return RuleValue(value.priority)
        case .exists: return .boolean(!value.isNull)
        case .hasChildren: return .boolean(!value.children.isEmpty)
        case .isNumber: return .boolean(value.number != nil)
        case .isString:
            if case .string = value.content { return .boolean(true) }
            return .boolean(false)
        case .isBoolean:
            if case .boolean = value.content { return .boolean(true) }
            return .boolean(false)
        case .parent, .child, .hasChild: preconditionFailure("\(method) asks of another place")
        }
    }

    /// What a function makes of the path that an argument gives.
    @inline(__always)
    private mutating func path(
        _ argument: Int, _ program: Program, _ depth: Int,
        _ body: (inout Evaluator, [Key]) -> RuleValue
    ) -> RuleValue {
        // Most often a constant, whose keys are known.
        if trace == nil, case .constant(let number) = program.instructions[argument] {
            let constant = program.constants[number]
            guard work.pay(RuleWork.step + constant.text.utf8.count) else {
                return .failure(.exhausted)
            }
            if constant.value.text == nil { return constant.value.withoutString }
            return body(&self, constant.keys)
        }
        let path = evaluate(argument, program, depth)
        guard let text = path.text else { return path.withoutString }
        guard work.pay(text.utf8.count) else { return .failure(.exhausted) }
        return body(&self, Key.keys(ofPath: text))
    }

    private mutating func hasChild(
        _ place: RuleSnapshot, _ argument: Int, _ program: Program, _ depth: Int
    ) -> RuleValue {
        path(argument, program, depth) { evaluator, keys in
            .boolean(evaluator.hasValue(at: keys, below: place))
        }
    }

    /// Whether all children of a list exist; all names are evaluated first, so that a failure never depends on data.
    private mutating func hasChildren(
        _ place: RuleSnapshot, _ names: Int, _ program: Program, _ depth: Int
    ) -> RuleValue {
        guard case .array(let elements) = program.instructions[names] else {
            preconditionFailure("hasChildren() without a list passed the type checker")
        }
        let children = value(at: place).children
        var hasAll = true
        for element in elements {
            let answer = path(program.lists[element], program, depth) { evaluator, keys in
                keys.count == 1
                    ? .boolean(children.contains(keys[0]))
                    : .boolean(evaluator.hasValue(at: keys, below: place))
            }
            guard case .boolean(let hasChild) = answer else { return answer }
            hasAll = hasAll && hasChild
        }
        return .boolean(hasAll)
    }
}

// MARK: - Strings

extension Evaluator {
    private mutating func call(
        _ method: StringMethod, of text: String, _ arguments: Range<Int>, _ program: Program,
        _ depth: Int
    ) -> RuleValue {
        if method == .matches {
            return matches(text, program.lists[arguments.lowerBound], program)
        }
        var texts: [String] = []
        for argument in arguments {
            let value = evaluate(program.lists[argument], program, depth)
            guard let text = value.text else { return value.withoutString }
            texts.append(text)
        }
        guard work.pay(texts.reduce(text.utf8.count) { $0 + $1.utf8.count }) else {
            return .failure(.exhausted)
        }
        return apply(method, to: text, texts)
    }

    private mutating func apply(
        _ method: StringMethod, to text: String, _ arguments: [String]
    ) -> RuleValue {
        switch method {
        case .contains: return .boolean(text.firstOffset(of: arguments[0]) != nil)
        case .beginsWith: return .boolean(text.utf8.starts(with: arguments[0].utf8))
        case .endsWith:
            return .boolean(text.utf8.reversed().starts(with: arguments[0].utf8.reversed()))
        case .toLowerCase: return joined([text.lowercased()])
        case .toUpperCase: return joined([text.uppercased()])
        case .replace: return replace(arguments[0], in: text, by: arguments[1])
        case .matches: preconditionFailure("an expression is no text")
        }
    }

    private mutating func matches(_ text: String, _ argument: Int, _ program: Program) -> RuleValue
    {
        guard case .pattern(let number) = program.instructions[argument] else {
            preconditionFailure("matches() without an expression passed the type checker")
        }
        let found = PatternSearch.finds(program.patterns[number], in: text, work: &work)
        return found.map(RuleValue.boolean) ?? .failure(.exhausted)
    }
}
