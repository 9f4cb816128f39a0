// Members: of `auth`, of places and of strings.

internal import DataTree

extension Evaluator {
    /// A part of `auth`, the name of which is a constant.
    mutating func claim(
        _ name: String, of object: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> RuleValue {
        // Most often of `auth` itself, which need not be copied.
        guard trace == nil, case .auth = program.instructions[object] else {
            return claim(name, of: try value(of: object, program, depth))
        }
        try work.pay(RuleWork.step)
        return RuleValue(situation.auth[name])
    }

    /// A part of `auth`: null where a level above is missing or has no parts.
    func claim(_ key: RuleValue, of object: RuleValue) throws(RuleFailure) -> RuleValue {
        switch key {
        case .string(let name): return claim(name, of: object)
        case .number(let number): return claim(RuleValue.text(of: number), of: object)
        default: throw .noString
        }
    }

    private func claim(_ name: String, of object: RuleValue) -> RuleValue {
        if case .claim(let claim) = object { RuleValue(claim[name]) } else { .null }
    }
}

// MARK: - Places

extension Evaluator {
    /// Returns the result of a Boolean method of a place.
    mutating func answer(
        _ method: SnapshotMethod, of object: Int, _ arguments: Range<Int>, _ program: Program,
        _ depth: Int
    ) throws(RuleFailure) -> Bool {
        let place = try place(of: object, program, depth)
        switch method {
        case .hasChild:
            let keys = try keys(of: program.lists[arguments.lowerBound], program, depth)
            return hasValue(at: keys, below: place)
        case .hasChildren where !arguments.isEmpty:
            return try hasChildren(place, program.lists[arguments.lowerBound], program, depth)
        case .exists: return look(at: place) { !$0.isNull }
        case .hasChildren: return look(at: place, \.hasChildren)
        case .isNumber: return look(at: place) { $0.kind == .number }
        case .isString: return look(at: place) { $0.kind == .string }
        case .isBoolean: return look(at: place) { $0.kind == .boolean }
        case .parent, .child, .val, .getPriority:
            preconditionFailure("\(method) gives no boolean")
        }
    }

    /// The keys of the path that an argument gives.
    mutating func keys(
        of argument: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> [Key] {
        // Most often a constant, whose keys are known.
        if trace == nil, case .constant(let number) = program.instructions[argument] {
            let constant = program.constants[number]
            try work.pay(RuleWork.step + constant.text.utf8.count)
            guard case .string = constant.value else { throw .noString }
            return constant.keys
        }
        let text = try text(of: argument, program, depth)
        try work.pay(text.utf8.count)
        return Key.keys(ofPath: text)
    }

    /// Whether all children whose names are constants exist.
    mutating func hasChildren(
        _ object: Int, _ names: Range<Int>, _ keys: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> Bool {
        let place = try place(of: object, program, depth)
        if trace == nil {
            try work.pay(RuleWork.step * names.count)
        } else {
            for name in names { _ = try value(of: program.lists[name], program, depth) }
        }
        return look(at: place) { $0.hasChildren(program.childKeys[keys]) }
    }

    /// Whether all children of a list exist; all names are evaluated first, so that a failure never depends on data.
    private mutating func hasChildren(
        _ place: RuleSnapshot, _ names: Int, _ program: Program, _ depth: Int
    ) throws(RuleFailure) -> Bool {
        guard case .array(let elements) = program.instructions[names] else {
            preconditionFailure("hasChildren() without a list passed the type checker")
        }
        var hasAll = true
        for element in elements {
            let keys = try keys(of: program.lists[element], program, depth)
            hasAll = hasAll && hasValue(at: keys, below: place)
        }
        return hasAll
    }
}

extension Value {
    /// The kinds of values for which rules have questions.
    fileprivate enum Kind { case boolean, number, string, other }

    /// The kind, whatever the priority.
    fileprivate var kind: Kind {
        switch self {
        case .boolean: .boolean
        case .integer, .double: .number
        case .string: .string
        case .prioritized(let value): value.content.kind
        case .null, .object, .deferred: .other
        }
    }
}

// MARK: - Strings

extension Evaluator {
    /// Returns the result of a Boolean method of a string.
    mutating func answer(
        _ method: StringMethod, of object: Int, _ arguments: Range<Int>, _ program: Program,
        _ depth: Int
    ) throws(RuleFailure) -> Bool {
        let text = try text(of: object, program, depth)
        if method == .matches {
            return try matches(text, program.lists[arguments.lowerBound], program)
        }
        let sought = try self.text(of: program.lists[arguments.lowerBound], program, depth)
        try work.pay(text.utf8.count + sought.utf8.count)
        switch method {
        case .contains: return text.firstOffset(of: sought) != nil
        case .beginsWith: return text.utf8.starts(with: sought.utf8)
        case .endsWith: return text.utf8.reversed().starts(with: sought.utf8.reversed())
        case .matches, .replace, .toLowerCase, .toUpperCase:
            preconditionFailure("\(method) gives no boolean")
        }
    }

    /// Returns the string that a method makes of a string.
    mutating func changed(
        by method: StringMethod, _ object: Int, _ arguments: Range<Int>, _ program: Program,
        _ depth: Int
    ) throws(RuleFailure) -> String {
        let text = try text(of: object, program, depth)
        var others: [String] = []
        for argument in arguments {
            others.append(try self.text(of: program.lists[argument], program, depth))
        }
        try work.pay(others.reduce(text.utf8.count) { $0 + $1.utf8.count })
        switch method {
        case .toLowerCase: return try joined([text.lowercased()])
        case .toUpperCase: return try joined([text.uppercased()])
        case .replace: return try replace(others[0], in: text, by: others[1])
        case .contains, .beginsWith, .endsWith, .matches:
            preconditionFailure("\(method) gives no string")
        }
    }

    private mutating func matches(
        _ text: String, _ argument: Int, _ program: Program
    ) throws(RuleFailure) -> Bool {
        guard case .pattern(let number) = program.instructions[argument] else {
            preconditionFailure("matches() without an expression passed the type checker")
        }
        return try PatternSearch.finds(program.patterns[number], in: text, work: &work)
    }
}
