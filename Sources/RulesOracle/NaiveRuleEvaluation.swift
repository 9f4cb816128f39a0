public import DataTree
public import QueryEngine
public import Rules

/// By what a naive expression is evaluated.
public struct NaiveScene {
    let auth: Claim
    let now: Double
    let before: Value
    let after: Value
    let query: Query
    /// The location of the rule.
    var place: [String]
    /// The keys that the wildcards of the path stand for.
    var bindings: [(name: String, key: String)] = []

    /// The evaluation of the rules for one request at one time.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970.
    ///   - after: The tree after the write.
    ///   - place: The keys to where the rule stands.
    public init(
        auth: Claim, now: Double, before: Value, after: Value, query: Query = Query(),
        place: [String] = []
    ) {
        (self.auth, self.now, self.before, self.after) = (auth, now, before, after)
        (self.query, self.place) = (query, place)
    }
}

extension NaiveRule {
    /// Whether the rule holds; one that fails does not.
    public func holds(in scene: NaiveScene) -> Bool { truth(in: scene) ?? false }

    /// Whether it is true or false; nil if it fails.
    public func truth(in scene: NaiveScene) -> Bool? { truth(scene) }

    private func truth(_ scene: NaiveScene) -> Bool? {
        if case .truth(let value)? = value(in: scene) { value } else { nil }
    }

    private func value(in scene: NaiveScene) -> NaiveResult? {
        switch self {
        case .literal(let value): return value
        case .name(let name): return NaiveRule.variable(name, scene)
        case .member(let object, let name):
            guard let value = object.value(in: scene) else { return nil }
            return object.isOfAuth
                ? NaiveRule.claim(name, of: value) : NaiveRule.member(value, name, scene)
        case .index(let object, let key):
            guard let value = object.value(in: scene) else { return nil }
            switch key.value(in: scene) {
            case .text(let name): return NaiveRule.claim(name, of: value)
            case .number(let number): return NaiveRule.claim(number.naiveText, of: value)
            default: return nil
            }
        case .call(let object, "matches", let arguments):
            guard case .text(let text)? = object.value(in: scene),
                case .pattern(let pattern)? = arguments.first
            else { return nil }
            return .truth(pattern.finds(in: text))
        case .call(let object, let name, let arguments):
            guard let object = object.value(in: scene) else { return nil }
            var given: [NaiveResult] = []
            for argument in arguments {
                guard let value = argument.value(in: scene) else { return nil }
                given.append(value)
            }
            switch object {
            case .place(let tree, let keys): return NaiveRule.call(name, given, tree, keys)
            case .text(let text): return NaiveRule.call(name, given, text)
            default: return nil
            }
        case .pattern: return nil
        case .list(let elements):
            let values = elements.compactMap { $0.value(in: scene) }
            return values.count == elements.count ? .list(values) : nil
        case .not(let part): return part.truth(scene).map { .truth(!$0) }
        case .negative(let part):
            guard case .number(let number)? = part.value(in: scene) else { return nil }
            return .number(-number)
        case .choice(let condition, let then, let otherwise):
            guard let isTrue = condition.truth(scene) else { return nil }
            return (isTrue ? then : otherwise).value(in: scene)
        case .binary("&&", let left, let right):
            guard let first = left.truth(scene) else { return nil }
            return first ? right.truth(scene).map(NaiveResult.truth) : .truth(false)
        case .binary("||", let left, let right):
            guard let first = left.truth(scene) else { return nil }
            return first ? .truth(true) : right.truth(scene).map(NaiveResult.truth)
        case .binary(let sign, let left, let right):
            guard let a = left.value(in: scene), let b = right.value(in: scene) else { return nil }
            return NaiveRule.combine(a, sign, b)
        }
    }

    private static func variable(_ name: String, _ scene: NaiveScene) -> NaiveResult? {
        switch name {
        case "auth": return NaiveResult(scene.auth)
        case "now": return .number(scene.now)
        case "root": return .place(scene.before, [])
        case "data": return .place(scene.before, scene.place)
        case "newData": return .place(scene.after, scene.place)
        case "query": return .query
        default:
            return scene.bindings.first { $0.name == name }.map { .text($0.key) }
        }
    }

    private static func claim(_ name: String, of object: NaiveResult) -> NaiveResult {
        switch object {
        case .claims(.object(let members)):
            NaiveResult(members.first { $0.name == name }?.value ?? .null)
        case .claims(.array(let elements)):
            NaiveResult(elements.enumerated().first { "\($0.offset)" == name }?.element ?? .null)
        default: .null
        }
    }

    private static func member(
        _ object: NaiveResult, _ name: String, _ scene: NaiveScene
    ) -> NaiveResult? {
        switch object {
        case .query: NaiveResult(name, of: scene.query)
        case .text(let text) where name == "length": .number(Double(text.utf16.count))
        default: nil
        }
    }

    private static func call(
        _ name: String, _ arguments: [NaiveResult], _ tree: Value, _ keys: [String]
    ) -> NaiveResult? {
        let value = tree.at(keys)
        switch (name, arguments) {
        case ("val", []): return NaiveResult(value)
        case ("getPriority", []): return NaiveResult(value.priority)
        case ("exists", []): return .truth(!value.isNull)
        case ("isString", []): if case .text = NaiveResult(value) { return .truth(true) }
        case ("isNumber", []): if case .number = NaiveResult(value) { return .truth(true) }
        case ("isBoolean", []): if case .truth = NaiveResult(value) { return .truth(true) }
        case ("parent", []): return keys.isEmpty ? nil : .place(tree, keys.dropLast())
        case ("child", let given):
            guard case .text(let path)? = given.first else { return nil }
            return .place(tree, keys + path.split(separator: "/").map(String.init))
        case ("hasChild", let given):
            guard case .text(let path)? = given.first else { return nil }
            let below = keys + path.split(separator: "/").map(String.init)
            return .truth(!tree.at(below).isNull)
        case ("hasChildren", []): return .truth(!value.children.isEmpty)
        case ("hasChildren", let given):
            guard case .list(let names)? = given.first else { return nil }
            var hasAll = true
            for name in names {
                guard case .text(let path) = name else { return nil }
                let below = keys + path.split(separator: "/").map(String.init)
                hasAll = hasAll && !tree.at(below).isNull
            }
            return .truth(hasAll)
        default: return nil
        }
        return .truth(false)
    }

    /// The value of a method of a string.
    private static func call(
        _ name: String, _ arguments: [NaiveResult], _ text: String
    ) -> NaiveResult? {
        var given: [[UInt16]] = []
        for argument in arguments {
            guard case .text(let text) = argument else { return nil }
            given.append(Array(text.utf16))
        }
        let units = Array(text.utf16)
        switch (name, given.count) {
        case ("toLowerCase", 0): return .text(text.lowercased())
        case ("toUpperCase", 0): return .text(text.uppercased())
        case ("beginsWith", 1): return .truth(units.starts(with: given[0]))
        case ("endsWith", 1): return .truth(units.suffix(given[0].count) == given[0][...])
        case ("contains", 1):
            return .truth((0...units.count).contains { units[$0...].starts(with: given[0]) })
        case ("replace", 2):
            if given[0].isEmpty { return .text(text) }
            var (result, rest): ([UInt16], ArraySlice<UInt16>) = ([], units[...])
            while let first = rest.first {
                if rest.starts(with: given[0]) {
                    result += given[1]
                    rest = rest.dropFirst(given[0].count)
                } else {
                    result.append(first)
                    rest = rest.dropFirst()
                }
            }
            return .text(String(decoding: result, as: UTF16.self))
        default: return nil
        }
    }

    private static func combine(
        _ a: NaiveResult, _ sign: String, _ b: NaiveResult
    ) -> NaiveResult? {
        switch sign {
        case "==", "===": return .truth(a == b)
        case "!=", "!==": return .truth(a != b)
        default: break
        }
        if sign == "+", let x = a.addend, let y = b.addend, a.isText || b.isText {
            return .text(x + y)
        }
        if case .text(let x) = a, case .text(let y) = b {
            let (left, right) = (Array(x.utf16), Array(y.utf16))
            switch sign {
            case "<": return .truth(left.lexicographicallyPrecedes(right))
            case "<=": return .truth(!right.lexicographicallyPrecedes(left))
            case ">": return .truth(right.lexicographicallyPrecedes(left))
            case ">=": return .truth(!left.lexicographicallyPrecedes(right))
            default: return nil
            }
        }
        guard case .number(let x) = a, case .number(let y) = b else { return nil }
        switch sign {
        case "+": return .number(x + y)
        case "-": return .number(x - y)
        case "*": return .number(x * y)
        case "/": return .number(y == 0 ? .nan : x / y)
        case "%": return .number(x.truncatingRemainder(dividingBy: y))
        case "<": return .truth(x < y)
        case "<=": return .truth(x <= y)
        case ">": return .truth(x > y)
        case ">=": return .truth(x >= y)
        default: return nil
        }
    }
}

extension Value {
    fileprivate func at(_ keys: [String]) -> Value {
        keys.reduce(self) { $0.children[Key(unchecked: $1)] ?? .null }
    }
}
