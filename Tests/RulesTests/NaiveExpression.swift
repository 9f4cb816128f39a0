import DataTree

/// An expression that is evaluated straight from a tree of its own, by the definition: a slow second opinion.
///
/// It is written here without the evaluator's types, so that a mistake there is no mistake here.
indirect enum NaiveExpression {
    case literal(NaiveValue)
    /// `data.child('a/b').val()`, or of `newData` or `root`.
    case stored(String, [String])
    case exists(String, [String])
    case hasChildren(String, [String], [String])
    case not(NaiveExpression)
    case negative(NaiveExpression)
    case both(NaiveExpression, NaiveExpression)
    case either(NaiveExpression, NaiveExpression)
    case choice(NaiveExpression, NaiveExpression, NaiveExpression)
    case compared(NaiveExpression, String, NaiveExpression)
    case computed(NaiveExpression, String, NaiveExpression)
    case contains(NaiveExpression, NaiveExpression)
    case lengthOf(NaiveExpression)
}

/// What a naive expression gives; nil is a failure.
enum NaiveValue: Equatable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    case object
}

/// The trees and the place by which a naive expression is evaluated.
struct NaiveScene {
    let before: Value
    let after: Value
    /// The key of the rule's place.
    let key: String

    func value(_ variable: String, _ path: [String]) -> Value {
        let start = variable == "root" ? before : (variable == "data" ? before : after)
        let keys = (variable == "root" ? [] : [key]) + path
        return keys.reduce(start) { $0.children[Key(unchecked: $1)] ?? .null }
    }
}

extension NaiveExpression {
    var text: String {
        switch self {
        case .literal(.null): "null"
        case .literal(.truth(let value)): "\(value)"
        case .literal(.number(let value)): "\(value)"
        case .literal(.text(let value)): "'\(value)'"
        case .literal(.object): "null"
        case .stored(let name, let path): "\(place(name, path)).val()"
        case .exists(let name, let path): "\(place(name, path)).exists()"
        case .hasChildren(let name, let path, let names):
            "\(place(name, path)).hasChildren([\(names.map { "'\($0)'" }.joined(separator: ", "))])"
        case .not(let part): "!(\(part.text))"
        case .negative(let part): "-(\(part.text))"
        case .both(let left, let right): "(\(left.text)) && (\(right.text))"
        case .either(let left, let right): "(\(left.text)) || (\(right.text))"
        case .choice(let condition, let then, let otherwise):
            "(\(condition.text)) ? (\(then.text)) : (\(otherwise.text))"
        case .compared(let left, let sign, let right), .computed(let left, let sign, let right):
            "(\(left.text)) \(sign) (\(right.text))"
        case .contains(let left, let right): "(\(left.text)).contains(\(right.text))"
        case .lengthOf(let part): "(\(part.text)).length"
        }
    }

    private func place(_ name: String, _ path: [String]) -> String {
        path.reduce(name) { "\($0).child('\($1)')" }
    }

    func value(_ scene: NaiveScene) -> NaiveValue? {
        switch self {
        case .literal(let value): return value
        case .stored(let name, let path): return NaiveValue(scene.value(name, path))
        case .exists(let name, let path): return .truth(!scene.value(name, path).isNull)
        case .hasChildren(let name, let path, let names):
            return .truth(names.allSatisfy { !scene.value(name, path + [$0]).isNull })
        case .not(let part): return part.truth(scene).map { .truth(!$0) }
        case .negative(let part):
            guard case .number(let number)? = part.value(scene) else { return nil }
            return .number(0 - number)
        case .both(let left, let right):
            guard let first = left.truth(scene) else { return nil }
            return first ? right.truth(scene).map(NaiveValue.truth) : .truth(false)
        case .either(let left, let right):
            guard let first = left.truth(scene) else { return nil }
            return first ? .truth(true) : right.truth(scene).map(NaiveValue.truth)
        case .choice(let condition, let then, let otherwise):
            guard let isTrue = condition.truth(scene) else { return nil }
            return isTrue ? then.value(scene) : otherwise.value(scene)
        case .compared(let left, let sign, let right):
            guard let a = left.value(scene), let b = right.value(scene) else { return nil }
            return NaiveValue.compare(a, sign, b)
        case .computed(let left, let sign, let right):
            guard let a = left.value(scene), let b = right.value(scene) else { return nil }
            return NaiveValue.compute(a, sign, b)
        case .contains(let left, let right):
            guard case .text(let a)? = left.value(scene), case .text(let b)? = right.value(scene)
            else { return nil }
            return .truth(b.isEmpty || a.indices.contains { a[$0...].hasPrefix(b) })
        case .lengthOf(let part):
            guard case .text(let text)? = part.value(scene) else { return nil }
            return .number(Double(text.count))
        }
    }

    func truth(_ scene: NaiveScene) -> Bool? {
        if case .truth(let value)? = value(scene) { value } else { nil }
    }
}

extension NaiveValue {
    init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .boolean(let value): self = .truth(value)
        case .integer(let value): self = .number(Double(value))
        case .double(let value): self = .number(value)
        case .string(let value): self = .text(value)
        default: self = .object
        }
    }

    static func compare(_ a: NaiveValue, _ sign: String, _ b: NaiveValue) -> NaiveValue? {
        if sign == "==" { return .truth(a != .object && a == b) }
        if sign == "!=" { return .truth(a == .object || a != b) }
        let order: Int
        switch (a, b) {
        case (.number(let x), .number(let y)): order = x < y ? -1 : x > y ? 1 : 0
        case (.text(let x), .text(let y)): order = x < y ? -1 : x > y ? 1 : 0
        default: return nil
        }
        return .truth(
            sign == "<"
                ? order < 0 : sign == "<=" ? order <= 0 : sign == ">" ? order > 0 : order >= 0)
    }

    static func compute(_ a: NaiveValue, _ sign: String, _ b: NaiveValue) -> NaiveValue? {
        if case .number(let x) = a, case .number(let y) = b {
            return .number(sign == "+" ? x + y : sign == "-" ? x - y : x * y)
        }
        guard sign == "+", let x = a.addend, let y = b.addend else { return nil }
        return .text(x + y)
    }

    private var addend: String? {
        switch self {
        case .text(let text): text
        case .number(let number): "\(Int(number))"
        default: nil
        }
    }
}

// MARK: - At random

extension NaiveExpression {
    /// An expression that the type checker takes for a boolean.
    static func truth(_ random: inout TestRandom, depth: Int) -> NaiveExpression {
        switch Int.random(in: 0..<(depth == 0 ? 3 : 9), using: &random) {
        case 0: return .literal(.truth(Bool.random(using: &random)))
        case 1: return .exists(variable(&random), path(&random))
        case 2: return .hasChildren(variable(&random), path(&random), path(&random))
        case 3: return .not(truth(&random, depth: depth - 1))
        case 4: return .both(truth(&random, depth: depth - 1), truth(&random, depth: depth - 1))
        case 5: return .either(truth(&random, depth: depth - 1), truth(&random, depth: depth - 1))
        case 6:
            return .choice(
                truth(&random, depth: depth - 1), truth(&random, depth: depth - 1),
                truth(&random, depth: depth - 1))
        case 7: return .contains(stored(&random), stored(&random))
        default:
            let sign = ["==", "!=", "<", "<=", ">", ">="].randomElement(using: &random)!
            return .compared(any(&random, depth: depth - 1), sign, any(&random, depth: depth - 1))
        }
    }

    /// An expression that may be anything but the constants that `<` and `+` refuse.
    private static func any(_ random: inout TestRandom, depth: Int) -> NaiveExpression {
        switch Int.random(in: 0..<(depth <= 0 ? 4 : 8), using: &random) {
        case 0: return .literal(.number(Double(Int.random(in: -2...3, using: &random))))
        case 1: return .literal(.text(["", "a", "ab"].randomElement(using: &random)!))
        case 2, 3: return stored(&random)
        case 4:
            let sign = ["-", "*"].randomElement(using: &random)!
            return .computed(stored(&random), sign, stored(&random))
        case 5:
            return .computed(any(&random, depth: depth - 1), "+", any(&random, depth: depth - 1))
        case 6: return .lengthOf(stored(&random))
        default: return .negative(stored(&random))
        }
    }

    private static func stored(_ random: inout TestRandom) -> NaiveExpression {
        .stored(variable(&random), path(&random))
    }

    private static func variable(_ random: inout TestRandom) -> String {
        ["data", "newData", "root"].randomElement(using: &random)!
    }

    private static func path(_ random: inout TestRandom) -> [String] {
        (0..<Int.random(in: 0..<3, using: &random)).map { _ in "abc".randomElement(using: &random)!
        }
        .map(String.init)
    }
}

extension Value {
    /// A small tree whose keys are a, b and c.
    static func random(_ random: inout TestRandom, depth: Int) -> Value {
        switch Int.random(in: 0..<(depth == 0 ? 5 : 8), using: &random) {
        case 0: return .null
        case 1: return .boolean(Bool.random(using: &random))
        case 2, 3: return .integer(Int64.random(in: -2...3, using: &random))
        case 4: return .string(["", "a", "ab", "abc"].randomElement(using: &random)!)
        default:
            var value = Value.null
            for name in ["a", "b", "c"] {
                value.set(.random(&random, depth: depth - 1), at: Path([Key(unchecked: name)]))
            }
            return value
        }
    }
}
