// Members: of `auth`, of `query`, of places and of strings.

extension Evaluator {
    /// What a member or a call gives.
    mutating func member(
        _ kind: Expression.Kind, _ expression: Expression, _ site: Site
    ) -> RuleValue {
        switch kind {
        case .claim(let object, let name):
            return claim(name, of: evaluate(object, expression, site))
        case .claimAt(let object, let key):
            let object = evaluate(object, expression, site)
            if object.failure != nil { return object }
            return claim(evaluate(key, expression, site), of: object)
        case .queryProperty(let property): return situation.query[property]
        case .length(let object):
            let object = evaluate(object, expression, site)
            guard let text = object.text else { return object.withoutString }
            guard work.pay(text.utf8.count) else { return .failure(.exhausted) }
            return .number(Double(text.utf16.count))
        case .snapshotMethod(let method, let object, let arguments):
            let object = evaluate(object, expression, site)
            guard case .snapshot(let place) = object else {
                return object.failure == nil ? .failure(.noValue) : object
            }
            return call(method, of: place, arguments, expression, site)
        case .stringMethod(let method, let object, let arguments):
            let object = evaluate(object, expression, site)
            guard let text = object.text else { return object.withoutString }
            return call(method, of: text, arguments, expression, site)
        default: preconditionFailure("\(kind) has no value of its own")
        }
    }

    /// A part of `auth`: null where a level above is missing or has no parts.
    private func claim(_ name: String, of object: RuleValue) -> RuleValue {
        switch object {
        case .claim(let claim): RuleValue(claim[name])
        case .failure: object
        default: .null
        }
    }

    private func claim(_ key: RuleValue, of object: RuleValue) -> RuleValue {
        switch key {
        case .string(let name): claim(name, of: object)
        case .number(let number): claim(RuleValue.text(of: number), of: object)
        case .failure: key
        default: .failure(.noString)
        }
    }
}

extension RuleValue {
    /// The failure of a member that only strings have.
    fileprivate var withoutString: RuleValue { failure == nil ? .failure(.noString) : self }
}

// MARK: - Places

extension Evaluator {
    private mutating func call(
        _ method: SnapshotMethod, of place: RuleSnapshot, _ arguments: [Int],
        _ expression: Expression, _ site: Site
    ) -> RuleValue {
        switch method {
        case .val: return RuleValue(place.value)
        case .getPriority: return RuleValue(place.value.priority)
        case .exists: return .boolean(!place.value.isNull)
        case .isNumber: return .boolean(place.value.number != nil)
        case .isString:
            if case .string = place.value.content { return .boolean(true) }
            return .boolean(false)
        case .isBoolean:
            if case .boolean = place.value.content { return .boolean(true) }
            return .boolean(false)
        case .parent: return place.parent.map(RuleValue.snapshot) ?? .failure(.noParent)
        case .child: return child(of: place, arguments[0], expression, site)
        case .hasChild:
            let child = child(of: place, arguments[0], expression, site)
            guard case .snapshot(let child) = child else { return child }
            return .boolean(!child.value.isNull)
        case .hasChildren:
            guard let names = arguments.first else {
                return .boolean(!place.value.children.isEmpty)
            }
            return hasChildren(place, names, expression, site)
        }
    }

    private mutating func child(
        of place: RuleSnapshot, _ argument: Int, _ expression: Expression, _ site: Site
    ) -> RuleValue {
        let path = evaluate(argument, expression, site)
        guard let text = path.text else { return path.withoutString }
        guard work.pay(text.utf8.count) else { return .failure(.exhausted) }
        return .snapshot(place.child(at: text))
    }

    /// Whether all children of a list exist; all names are evaluated first, so that a failure never depends on data.
    private mutating func hasChildren(
        _ place: RuleSnapshot, _ names: Int, _ expression: Expression, _ site: Site
    ) -> RuleValue {
        guard case .array(let elements) = expression.nodes[names].kind else {
            preconditionFailure("hasChildren() without a list passed the type checker")
        }
        var hasAll = true
        for element in elements {
            let child = child(of: place, element, expression, site)
            guard case .snapshot(let child) = child else { return child }
            if child.value.isNull { hasAll = false }
        }
        return .boolean(hasAll)
    }
}

// MARK: - Strings

extension Evaluator {
    private mutating func call(
        _ method: StringMethod, of text: String, _ arguments: [Int], _ expression: Expression,
        _ site: Site
    ) -> RuleValue {
        if method == .matches {
            return matches(text, expression.nodes[arguments[0]].kind)
        }
        var texts: [String] = []
        for argument in arguments {
            let value = evaluate(argument, expression, site)
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

    private mutating func matches(_ text: String, _ kind: Expression.Kind) -> RuleValue {
        guard case .pattern(let pattern) = kind else {
            preconditionFailure("matches() without an expression passed the type checker")
        }
        let found = PatternSearch.finds(pattern, in: text, work: &work)
        return found.map(RuleValue.boolean) ?? .failure(.exhausted)
    }
}
