// Members and methods: what stands behind a full stop or in brackets.

extension TypeChecker {
    private static let noTarget = "Invalid property access: target is not an object."
    private static let noFunction = "Type error: Function call on target that is not a function."

    /// The type of a member, an index or a call, whose meaning replaces it.
    mutating func resolve(_ index: Int) throws(SourceError) -> StaticType {
        switch expression.nodes[index].kind {
        case .member(let object, let name):
            return try resolve(member: name, of: object, at: index)
        case .index(let object, let key): return try resolve(index: key, of: object, at: index)
        case .call(let callee, let arguments):
            guard case .member(let object, let name) = expression.nodes[callee].kind else {
                try check(callee)
                throw error(index, Self.noFunction)
            }
            return try resolve(call: name, of: object, callee, arguments, at: index)
        default: preconditionFailure("part \(index) of an expression is no member")
        }
    }

    private mutating func resolve(
        member name: String, of object: Int, at index: Int
    ) throws(SourceError) -> StaticType {
        switch try check(object) {
        case .claim:
            expression.nodes[index].kind = .claim(object, name)
            return .claim
        case .query:
            guard let property = QueryProperty(rawValue: name) else { throw unknown(name, index) }
            expression.nodes[index].kind = .queryProperty(property)
            return property.type
        case .string, .value:
            if name == "length" {
                expression.nodes[index].kind = .length(object)
                return .number
            }
            guard StringMethod(rawValue: name) != nil else { throw unknown(name, index) }
            return .method
        case .snapshot:
            guard SnapshotMethod(rawValue: name) != nil else { throw unknown(name, index) }
            return .method
        default: throw error(index, Self.noTarget)
        }
    }

    private func unknown(_ name: String, _ index: Int) -> SourceError {
        error(index, "No such method/property '\(name)'.")
    }

    private mutating func resolve(
        index key: Int, of object: Int, at index: Int
    ) throws(SourceError) -> StaticType {
        switch try check(object) {
        case .claim:
            let type = try check(key)
            guard type.mayBeString || type.mayBeNumber else {
                throw error(index, "Invalid property access.")
            }
            expression.nodes[index].kind = .claimAt(object, key)
            return .claim
        case .snapshot, .string, .value, .query: throw error(index, "Invalid property access.")
        default: throw error(index, Self.noTarget)
        }
    }

    private mutating func resolve(
        call name: String, of object: Int, _ callee: Int, _ arguments: [Int], at index: Int
    ) throws(SourceError) -> StaticType {
        let type = try resolve(member: name, of: object, at: callee)
        expression.nodes[callee].type = type
        let objectType = expression.nodes[object].type
        if objectType == .snapshot, let method = SnapshotMethod(rawValue: name) {
            try check(arguments, of: method, at: index)
            expression.nodes[index].kind = .snapshotMethod(method, object, arguments)
            return method.type
        }
        if objectType.mayBeString, let method = StringMethod(rawValue: name) {
            try check(arguments, of: method, at: index)
            expression.nodes[index].kind = .stringMethod(method, object, arguments)
            return method.type
        }
        throw error(index, Self.noFunction)
    }
}

// MARK: - Arguments

extension TypeChecker {
    private mutating func check(
        _ arguments: [Int], of method: SnapshotMethod, at index: Int
    ) throws(SourceError) {
        switch method {
        case .child, .hasChild: try checkText(arguments, of: method.rawValue, at: index)
        case .hasChildren: try checkNames(arguments, at: index)
        default: try checkNone(arguments, of: method.rawValue, at: index)
        }
    }

    private mutating func check(
        _ arguments: [Int], of method: StringMethod, at index: Int
    ) throws(SourceError) {
        switch method {
        case .contains, .beginsWith, .endsWith:
            try checkText(arguments, of: method.rawValue, at: index)
        case .toLowerCase, .toUpperCase:
            try checkNone(arguments, of: method.rawValue, at: index)
        case .replace:
            guard arguments.count == 2 else {
                throw error(index, "replace() expects two arguments.")
            }
            for (place, argument) in arguments.enumerated() where try !check(argument).mayBeString {
                throw error(argument, "Argument \(place + 1) of replace() must be a string.")
            }
        case .matches:
            guard arguments.count == 1 else {
                throw error(
                    index, "matches() expects 1 regular expression literal argument.")
            }
            guard case .pattern = expression.nodes[arguments[0]].kind else {
                try check(arguments[0])
                throw error(
                    arguments[0], "matches() expects a regular expression literal argument.")
            }
            expression.nodes[arguments[0]].type = .pattern
        }
    }

    private func checkNone(
        _ arguments: [Int], of name: String, at index: Int
    ) throws(SourceError) {
        if !arguments.isEmpty { throw error(index, "\(name)() expects no arguments.") }
    }

    private mutating func checkText(
        _ arguments: [Int], of name: String, at index: Int
    ) throws(SourceError) {
        guard arguments.count == 1 else { throw error(index, "\(name)() expects 1 argument.") }
        if try !check(arguments[0]).mayBeString {
            throw error(arguments[0], "\(name)() expects a string argument.")
        }
    }

    /// Nothing, or an array of names.
    private mutating func checkNames(_ arguments: [Int], at index: Int) throws(SourceError) {
        guard let names = arguments.first else { return }
        if arguments.count > 1 {
            throw error(
                index,
                "hasChildren() expects only a single argument (containing an array of child names)."
            )
        }
        guard case .array(let elements) = expression.nodes[names].kind else {
            try check(names)
            throw error(names, "hasChildren() expects an array of child names.")
        }
        for element in elements where try !check(element).mayBeString {
            throw error(names, "hasChildren() expects an array of strings.")
        }
        expression.nodes[names].type = .array
    }
}
