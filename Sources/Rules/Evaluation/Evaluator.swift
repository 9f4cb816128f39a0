internal import DataTree

/// Evaluates the expressions of rules for one operation, at the places of its way.
///
/// A failure is a value, not an error thrown: it makes every part that needs it fail, up to the whole rule. Only parts
/// that are not evaluated escape: the right side of `true || …`, and the branch that `?` does not choose.
struct Evaluator: ~Copyable {
    let situation: RuleSituation
    /// The way to the place whose rules are evaluated; it may go on below that.
    var route: Route
    var work = RuleWork()
    /// What each part of the current expression gave, if it is traced.
    var trace: [RuleValue?]?

    /// Begins at the root, for a way of so many keys.
    init(_ situation: consuming RuleSituation, reserving depth: Int) {
        self.situation = situation
        route = Route(reserving: depth)
    }

    /// What an expression gives at the place of the way to which so many keys lead: a boolean or a failure.
    mutating func evaluate(_ program: Program, at depth: Int) -> RuleValue {
        evaluate(program.root, program, depth)
    }

    /// What one part of an expression gives.
    mutating func evaluate(_ part: Int, _ program: Program, _ depth: Int) -> RuleValue {
        guard work.pay(RuleWork.step) else { return .failure(.exhausted) }
        let value = perform(program.instructions[part], program, depth)
        if trace != nil { trace![part] = recorded(value) }
        return value
    }

    @inline(__always)
    private mutating func perform(
        _ instruction: Program.Instruction, _ program: Program, _ depth: Int
    ) -> RuleValue {
        switch instruction {
        case .constant(let number): return program.constants[number].value
        case .auth: return RuleValue(situation.auth)
        case .now: return .number(situation.now)
        case .root: return .snapshot(.way(.before, depth: 0))
        case .data: return .snapshot(.way(.before, depth: depth))
        case .newData: return .snapshot(.way(.after, depth: depth))
        case .binding(let number): return .string(route.binding(number).text)
        case .query(let property): return situation.query[property]
        case .not(let operand): return negation(of: evaluate(operand, program, depth))
        case .negative(let operand): return negative(of: evaluate(operand, program, depth))
        case .all(let parts): return evaluate(parts, endingAt: false, program, depth)
        case .any(let parts): return evaluate(parts, endingAt: true, program, depth)
        case .comparison(let comparison, let left, let right):
            let left = evaluate(left, program, depth)
            if left.failure != nil { return left }
            return compare(left, comparison, evaluate(right, program, depth))
        case .arithmetic(let operation, let left, let right):
            let left = evaluate(left, program, depth)
            if left.failure != nil { return left }
            return compute(left, operation, evaluate(right, program, depth))
        case .conditional(let condition, let then, let otherwise):
            switch evaluate(condition, program, depth) {
            case .boolean(let isTrue): return evaluate(isTrue ? then : otherwise, program, depth)
            case let failure: return failure
            }
        case .claim(let object, let name):
            return claim(program.constants[name].text, of: object, program, depth)
        case .snapshotMethod(let method, let object, let arguments):
            return call(method, of: object, arguments, program, depth)
        case .claimAt, .length, .stringMethod: return member(instruction, program, depth)
        case .array, .pattern, .absent:
            preconditionFailure("\(instruction) has no value of its own")
        }
    }

    /// The parts up to the first that is `end` or fails.
    private mutating func evaluate(
        _ parts: Range<Int>, endingAt end: Bool, _ program: Program, _ depth: Int
    ) -> RuleValue {
        for place in parts {
            switch evaluate(program.lists[place], program, depth) {
            case .boolean(let value):
                if value == end { return .boolean(end) }
            case let failure: return failure
            }
        }
        return .boolean(!end)
    }
}

// MARK: - Places of the way

extension Evaluator {
    /// What is at a place.
    mutating func value(at place: RuleSnapshot) -> Value {
        switch place {
        case .way(.before, let depth): before(at: depth)
        case .way(.after, let depth): after(at: depth)
        case .found(let value, _): value
        case .missing: .null
        }
    }

    /// The place at a path below another.
    mutating func place(at keys: [Key], below place: RuleSnapshot) -> RuleSnapshot {
        var place = place
        for key in keys {
            if case .missing(let levels, let last) = place {
                place = .missing(levels: levels + 1, below: last)
            } else if let child = value(at: place).children[key] {
                place = .found(child, below: place)
            } else {
                place = .missing(levels: 1, below: place)
            }
        }
        return place
    }

    /// Whether something is at a path below a place; at the place itself, if the path has no keys.
    mutating func hasValue(at keys: [Key], below place: RuleSnapshot) -> Bool {
        guard keys.count == 1 else {
            return !value(at: self.place(at: keys, below: place)).isNull
        }
        return value(at: place).children.contains(keys[0])
    }

    /// A value in the form in which it outlives the way: places with what is there.
    private mutating func recorded(_ value: RuleValue) -> RuleValue {
        guard case .snapshot(let place) = value else { return value }
        return .snapshot(.found(self.value(at: place), below: place))
    }

    /// What is at a place of the way before the operation.
    private mutating func before(at depth: Int) -> Value {
        if let known = route.places[depth].before { return known }
        let value =
            if let key = route.places[depth].key {
                before(at: depth - 1).children[key] ?? .null
            } else {
                situation.before
            }
        route.places[depth].before = value
        return value
    }

    /// What is at a place of the way after the operation.
    mutating func after(at depth: Int) -> Value {
        if let known = route.places[depth].after { return known }
        let value =
            if let key = route.places[depth].key {
                after(at: depth - 1).children[key] ?? .null
            } else {
                situation.after
            }
        route.places[depth].after = value
        return value
    }
}
