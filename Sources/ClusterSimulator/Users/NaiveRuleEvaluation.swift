import DataTree
import QueryEngine
import Rules

/// What a naive expression gives; failures are nil.
enum NaiveResult: Equatable, Sendable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    /// What has children, or members: equal to nothing.
    case object
    /// A part of `auth` that is no object.
    case claims(Claim)
    /// A place in a tree.
    case place(Value, [String])
    case query
    case list([NaiveResult])
}

/// By what a naive expression is evaluated.
struct NaiveScene {
    let auth: Claim
    let now: Double
    let before: Value
    let after: Value
    let query: Query
    /// Where the rule stands.
    var place: [String] = []
    /// What the wildcards on the way stand for.
    var bindings: [(name: String, key: String)] = []
}

extension NaiveRule {
    /// Whether the rule holds; one that fails does not.
    func holds(in scene: NaiveScene) -> Bool { value(in: scene) == .truth(true) }

    private func truth(_ scene: NaiveScene) -> Bool? {
        if case .truth(let value)? = value(in: scene) { value } else { nil }
    }

    private func value(in scene: NaiveScene) -> NaiveResult? {
        switch self {
        case .literal(let value): return value
        case .name(let name): return NaiveRule.variable(name, scene)
        case .member(let object, let name):
            return object.value(in: scene).flatMap { NaiveRule.member($0, name, scene) }
        case .call(let object, let name, let arguments):
            guard case .place(let tree, let keys)? = object.value(in: scene) else { return nil }
            var given: [NaiveResult] = []
            for argument in arguments {
                guard let value = argument.value(in: scene) else { return nil }
                given.append(value)
            }
            return NaiveRule.call(name, given, tree, keys)
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

    private static func member(
        _ object: NaiveResult, _ name: String, _ scene: NaiveScene
    ) -> NaiveResult? {
        switch object {
        case .null: return .null
        case .claims(.object(let members)):
            return NaiveResult(members.first { $0.name == name }?.value ?? .null)
        case .query: return NaiveResult(name, of: scene.query)
        case .text(let text) where name == "length": return .number(Double(text.utf16.count))
        default: return nil
        }
    }

    private static func call(
        _ name: String, _ arguments: [NaiveResult], _ tree: Value, _ keys: [String]
    ) -> NaiveResult? {
        let value = tree.at(keys)
        switch (name, arguments) {
        case ("val", []): return NaiveResult(value)
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
            for name in names {
                guard case .text(let key) = name else { return nil }
                if tree.at(keys + [key]).isNull { return .truth(false) }
            }
            return .truth(true)
        default: return nil
        }
        return .truth(false)
    }

    private static func combine(
        _ a: NaiveResult, _ sign: String, _ b: NaiveResult
    ) -> NaiveResult? {
        switch sign {
        case "==", "===": return .truth(a.isComparable && b.isComparable && a == b)
        case "!=", "!==": return .truth(!(a.isComparable && b.isComparable && a == b))
        default: break
        }
        if case .text(let x) = a, case .text(let y) = b {
            let (left, right) = (Array(x.utf16), Array(y.utf16))
            switch sign {
            case "+": return .text(x + y)
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
        case "/": return .number(x / y)
        case "%": return .number(x.truncatingRemainder(dividingBy: y))
        case "<": return .truth(x < y)
        case "<=": return .truth(x <= y)
        case ">": return .truth(x > y)
        case ">=": return .truth(x >= y)
        default: return nil
        }
    }
}

extension NaiveResult {
    /// Whether something else may be equal to it.
    fileprivate var isComparable: Bool {
        switch self {
        case .null, .truth, .number, .text: true
        default: false
        }
    }

    fileprivate init(_ value: Value) {
        switch value.content {
        case .null: self = .null
        case .boolean(let value): self = .truth(value)
        case .integer(let value): self = .number(Double(value))
        case .double(let value): self = .number(value)
        case .string(let value): self = .text(value)
        default: self = .object
        }
    }

    fileprivate init(_ claim: Claim) {
        switch claim {
        case .null: self = .null
        case .boolean(let value): self = .truth(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .text(value)
        case .array, .object: self = .claims(claim)
        }
    }

    /// A property of `query`.
    fileprivate init?(_ name: String, of query: Query) {
        switch name {
        case "orderByKey": self = .truth(query.order == .key)
        case "limitToFirst", "limitToLast":
            guard let limit = query.limit, limit.isFirst == (name == "limitToFirst") else {
                self = .null
                return
            }
            self = .number(Double(limit.count))
        default: return nil
        }
    }
}

extension Value {
    fileprivate func at(_ keys: [String]) -> Value {
        keys.reduce(self) { $0.children[Key(unchecked: $1)] ?? .null }
    }
}
