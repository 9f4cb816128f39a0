internal import DataTree

/// Evaluates the expressions of rules for one operation, at the places of its way.
///
/// The type of a part determines its result: a truth, a place or a value. A failure is thrown, and
/// makes every part fail that needs the failed one, up to the whole rule. Parts that are not
/// evaluated cannot fail: the right side of `true || …`, and the branch that `?` does not choose.
struct Evaluator: ~Copyable {
    let situation: RuleSituation
    /// The way to the place whose rules are evaluated; it may go on below that.
    var route: Route
    var work = RuleWork()
    /// The result of each part of the current expression, if it is traced.
    var trace: [RuleValue?]?

    /// Begins at the root of some levels of rules.
    init(_ situation: consuming RuleSituation, _ levels: [RuleLevel] = []) {
        self.situation = situation
        route = Route(levels)
    }

    /// Whether an expression holds at the place of the way to which so many keys lead; one that fails does not.
    ///
    /// - Parameter units: The work that this may take; without an end, the evaluation may spend all that is left.
    mutating func holds(
        _ program: Program, at depth: Int, within units: Int = .max
    ) -> Bool {
        let rest = work.beginEvaluation(within: units)
        defer { work.endEvaluation(rest) }
        do throws(RuleFailure) {
            return try truth(of: program.root, program, depth)
        } catch {
            return false
        }
    }

    /// Whether a part that is a boolean holds.
    @inline(__always)
    mutating func truth(
        of part: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> Bool {
        try work.pay(RuleWork.step)
        if trace != nil { return try recordedTruth(of: part, program, depth) }
        return try decide(program.instructions[part], program, depth)
    }

    /// The place that a part stands for.
    @inline(__always)
    mutating func place(
        of part: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> RuleSnapshot {
        try work.pay(RuleWork.step)
        if trace != nil { return try recordedPlace(of: part, program, depth) }
        // Most often that of the rule itself.
        if case .newData = program.instructions[part] { return .way(.after, depth: depth) }
        return try locate(program.instructions[part], program, depth)
    }

    /// Returns the result of a part of any type.
    @inline(__always)
    mutating func value(
        of part: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> RuleValue {
        try work.pay(RuleWork.step)
        if trace != nil { return try recordedValue(of: part, program, depth) }
        return try compute(program.instructions[part], program, depth)
    }

    /// The string that a part gives.
    mutating func text(
        of part: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> String {
        guard case .string(let text) = try value(of: part, program, depth) else {
            throw .noString
        }
        return text
    }
}

// MARK: - Traces

extension Evaluator {
    private mutating func recordedTruth(
        of part: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> Bool {
        try recording(part, as: RuleValue.boolean) { evaluator throws(RuleFailure) in
            try evaluator.decide(program.instructions[part], program, depth)
        }
    }

    private mutating func recordedPlace(
        of part: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> RuleSnapshot {
        try recording(part, as: RuleValue.snapshot) { evaluator throws(RuleFailure) in
            try evaluator.locate(program.instructions[part], program, depth)
        }
    }

    private mutating func recordedValue(
        of part: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> RuleValue {
        try recording(part, as: \.self) { evaluator throws(RuleFailure) in
            try evaluator.compute(program.instructions[part], program, depth)
        }
    }

    /// Does what a part needs, and records what it gave.
    private mutating func recording<Result>(
        _ part: Int, as recorded: (Result) -> RuleValue,
        _ body: (inout Evaluator) throws(RuleFailure) -> Result
    ) throws(RuleFailure) -> Result {
        do throws(RuleFailure) {
            let result = try body(&self)
            var value = recorded(result)
            // In the form in which it outlives the way: a place with what is there.
            if case .snapshot(let place) = value {
                value = .snapshot(.found(self.value(at: place), below: place))
            }
            trace![part] = value
            return result
        } catch {
            trace![part] = .failure(error)
            throw error
        }
    }
}

// MARK: - Instructions

extension Evaluator {
    /// Does an instruction that gives a boolean.
    private mutating func decide(
        _ instruction: Program.Instruction, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> Bool {
        switch instruction {
        case .constant(let number): return program.constants[number].isTrue
        case .not(let operand): return try !truth(of: operand, program, depth)
        case .all(let parts):
            for place in parts where try !truth(of: program.lists[place], program, depth) {
                return false
            }
            return true
        case .any(let parts):
            for place in parts where try truth(of: program.lists[place], program, depth) {
                return true
            }
            return false
        case .comparison(let comparison, let left, let right):
            let left = try value(of: left, program, depth)
            return try compare(left, comparison, value(of: right, program, depth))
        case .equalsBinding(let part, let binding, let isEqual):
            return try equals(part, binding, program, depth) == isEqual
        case .conditional(let condition, let then, let otherwise):
            let isTrue = try truth(of: condition, program, depth)
            return try truth(of: isTrue ? then : otherwise, program, depth)
        case .query(let property): return situation.query[property].isTrue
        case .snapshotMethod(let method, let object, let arguments):
            return try answer(method, of: object, arguments, program, depth)
        case .hasChildren(let object, let names, let keys):
            return try hasChildren(object, names, keys, program, depth)
        case .stringMethod(let method, let object, let arguments):
            return try answer(method, of: object, arguments, program, depth)
        default: preconditionFailure("\(instruction) gives no boolean")
        }
    }

    /// Does an instruction that gives a place.
    private mutating func locate(
        _ instruction: Program.Instruction, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> RuleSnapshot {
        switch instruction {
        case .root: return .way(.before, depth: 0)
        case .data: return .way(.before, depth: depth)
        case .newData: return .way(.after, depth: depth)
        case .conditional(let condition, let then, let otherwise):
            let isTrue = try truth(of: condition, program, depth)
            return try place(of: isTrue ? then : otherwise, program, depth)
        case .snapshotMethod(.parent, let object, _):
            guard let parent = try place(of: object, program, depth).parent else {
                throw .noParent
            }
            return parent
        case .snapshotMethod(.child, let object, let arguments):
            let place = try place(of: object, program, depth)
            let keys = try keys(of: program.lists[arguments.lowerBound], program, depth)
            return self.place(at: keys, below: place)
        default: preconditionFailure("\(instruction) gives no place")
        }
    }

    /// Does an instruction of any type.
    private mutating func compute(
        _ instruction: Program.Instruction, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> RuleValue {
        switch instruction {
        case .constant(let number): return program.constants[number].value
        case .auth: return RuleValue(situation.auth)
        case .now: return .number(situation.now)
        case .binding(let number): return .string(route.key(at: number + 1).text)
        case .query(let property): return situation.query[property]
        case .negative(let operand): return try negative(of: value(of: operand, program, depth))
        case .arithmetic(let operation, let left, let right):
            let left = try value(of: left, program, depth)
            return try compute(left, operation, value(of: right, program, depth))
        case .conditional(let condition, let then, let otherwise):
            let isTrue = try truth(of: condition, program, depth)
            return try value(of: isTrue ? then : otherwise, program, depth)
        case .claim(let object, let name):
            return try claim(program.constants[name].text, of: object, program, depth)
        case .claimAt(let object, let key):
            let object = try value(of: object, program, depth)
            return try claim(value(of: key, program, depth), of: object)
        case .length(let object):
            let text = try text(of: object, program, depth)
            try work.pay(text.utf8.count)
            return .number(Double(text.utf16.count))
        case .snapshotMethod(.val, let object, _):
            return look(at: try place(of: object, program, depth)) { RuleValue($0) }
        case .snapshotMethod(.getPriority, let object, _):
            return look(at: try place(of: object, program, depth)) { RuleValue($0.priority) }
        case .stringMethod(let method, let object, let arguments) where method.givesText:
            return try .string(changed(by: method, object, arguments, program, depth))
        case .root, .data, .newData, .snapshotMethod(.child, _, _), .snapshotMethod(.parent, _, _):
            return try .snapshot(locate(instruction, program, depth))
        case .not, .all, .any, .comparison, .equalsBinding, .snapshotMethod, .hasChildren,
            .stringMethod:
            return try .boolean(decide(instruction, program, depth))
        case .array, .pattern, .absent:
            preconditionFailure("\(instruction) has no value of its own")
        }
    }
}

// MARK: - Places of the way

extension Evaluator {
    /// Returns the value at a place.
    mutating func value(at place: RuleSnapshot) -> Value { look(at: place) { $0 } }

    /// Returns the result of a function on the value at a place, without a copy of the value.
    @inline(__always)
    mutating func look<Result>(at place: RuleSnapshot, _ body: (Value) -> Result) -> Result {
        switch place {
        case .way(.before, let depth): route.look(before: depth, in: situation.before, body)
        case .way(.after, let depth): route.look(after: depth, in: situation.after, body)
        case .found(let value, _): body(value)
        case .missing: body(.null)
        }
    }

    /// The place at a path below another.
    mutating func place(at keys: [Key], below place: RuleSnapshot) -> RuleSnapshot {
        var place = place
        for key in keys {
            if case .missing(let levels, let last) = place {
                place = .missing(levels: levels + 1, below: last)
            } else if let child = look(at: place, { $0.children[key] }) {
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
            return look(at: self.place(at: keys, below: place)) { !$0.isNull }
        }
        return look(at: place) { $0.hasChild(keys[0]) }
    }
}
