// Expressions as they stand in files.

extension NaiveRule {
    /// Reads an expression; nil if it has something that is not known here.
    public init?(_ text: String) {
        guard var parser = NaiveRuleParser(text), let rule = parser.choice(), parser.isAtEnd else {
            return nil
        }
        self = rule
    }
}

/// Reads expressions by recursive descent.
private struct NaiveRuleParser {
    private enum Token: Equatable {
        case word(String)
        case number(Double)
        case text(String)
        case sign(String)
    }

    private static let signs = [
        "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "!",
        "?", ":", "(", ")", "[", "]", ".", ",",
    ]

    private static let methods = [
        "val", "getPriority", "exists", "isString", "isNumber", "isBoolean", "parent", "child",
        "hasChild", "hasChildren", "contains", "beginsWith", "endsWith", "replace", "toLowerCase",
        "toUpperCase",
    ]
    private static let properties = [
        "orderByKey", "orderByPriority", "orderByValue", "orderByChild", "startAt", "endAt",
        "equalTo", "limitToFirst", "limitToLast",
    ]

    private var tokens: [Token] = []
    private var next = 0

    init?(_ text: String) {
        var rest = Substring(text)
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if let token = NaiveRuleParser.token(&rest) {
                tokens.append(token)
            } else {
                return nil
            }
        }
    }

    private static func token(_ rest: inout Substring) -> Token? {
        guard let first = rest.first else { return nil }
        if first == "'" || first == "\"" {
            rest.removeFirst()
            guard let end = rest.firstIndex(of: first), !rest[..<end].contains("\\") else {
                return nil
            }
            defer { rest = rest[rest.index(after: end)...] }
            return .text(String(rest[..<end]))
        }
        if first.isNumber {
            let digits = rest.prefix { $0.isNumber || $0 == "." }
            rest = rest.dropFirst(digits.count)
            return Double(digits).map(Token.number)
        }
        if first.isLetter || first == "_" || first == "$" {
            let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
            rest = rest.dropFirst(word.count)
            return .word(String(word))
        }
        guard let sign = signs.first(where: { rest.hasPrefix($0) }) else { return nil }
        rest = rest.dropFirst(sign.count)
        return .sign(sign)
    }

    var isAtEnd: Bool { next == tokens.count }

    private mutating func takes(_ sign: String) -> Bool {
        guard next < tokens.count, tokens[next] == .sign(sign) else { return false }
        next += 1
        return true
    }

    mutating func choice() -> NaiveRule? {
        guard let condition = binary(0) else { return nil }
        guard takes("?") else { return condition }
        guard let then = choice(), takes(":"), let otherwise = choice() else { return nil }
        return .choice(condition, then, otherwise)
    }

    private mutating func binary(_ level: Int) -> NaiveRule? {
        guard level < NaiveRule.levels.count else { return unary() }
        guard var left = binary(level + 1) else { return nil }
        while next < tokens.count, case .sign(let sign) = tokens[next],
            NaiveRule.levels[level].contains(sign)
        {
            next += 1
            guard let right = binary(level + 1) else { return nil }
            left = .binary(sign, left, right)
        }
        return left
    }

    private mutating func unary() -> NaiveRule? {
        if takes("!") { return unary().map(NaiveRule.not) }
        if takes("-") { return unary().map(NaiveRule.negative) }
        guard var rule = primary() else { return nil }
        while true {
            if takes("[") {
                guard let key = choice(), takes("]") else { return nil }
                rule = .index(rule, key)
                continue
            }
            guard takes(".") else { return rule }
            guard next < tokens.count, case .word(let name) = tokens[next] else { return nil }
            next += 1
            if takes("(") {
                guard NaiveRuleParser.methods.contains(name), let arguments = list(upTo: ")")
                else { return nil }
                rule = .call(rule, name, arguments)
            } else {
                if case .name("query") = rule, !NaiveRuleParser.properties.contains(name) {
                    return nil
                }
                rule = .member(rule, name)
            }
        }
    }

    private mutating func list(upTo end: String) -> [NaiveRule]? {
        var elements: [NaiveRule] = []
        if takes(end) { return elements }
        repeat {
            guard let element = choice() else { return nil }
            elements.append(element)
        } while takes(",")
        return takes(end) ? elements : nil
    }

    private mutating func primary() -> NaiveRule? {
        if takes("(") {
            let inner = choice()
            return takes(")") ? inner : nil
        }
        if takes("[") { return list(upTo: "]").map(NaiveRule.list) }
        guard next < tokens.count else { return nil }
        defer { next += 1 }
        switch tokens[next] {
        case .word("true"): return .literal(.truth(true))
        case .word("false"): return .literal(.truth(false))
        case .word("null"): return .literal(.null)
        case .word(let name): return .name(name)
        case .number(let number): return .literal(.number(number))
        case .text(let text): return .literal(.text(text))
        case .sign: return nil
        }
    }
}
