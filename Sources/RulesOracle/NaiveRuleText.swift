// Expressions as text, each time written in another way.

extension NaiveRule {
    /// The expression, with more brackets, spaces and comments than it needs, and constants in one of their notations.
    public func text(using random: inout some RandomNumberGenerator) -> String {
        text(within: 0, using: &random)
    }

    /// How much binds its parts: more binds more.
    private var strength: Int {
        switch self {
        case .choice: 0
        case .binary(let sign, _, _):
            1 + (NaiveRule.levels.firstIndex { $0.contains(sign) } ?? 0)
        case .not, .negative: 1 + NaiveRule.levels.count
        default: 2 + NaiveRule.levels.count
        }
    }

    private func text(within least: Int, using random: inout some RandomNumberGenerator) -> String {
        let text = plainText(using: &random)
        return strength < least || random.index(12) == 0 && isValue ? "(\(text))" : text
    }

    /// Whether brackets may stand around it.
    private var isValue: Bool {
        switch self {
        case .list, .pattern: false
        default: true
        }
    }

    private func plainText(using random: inout some RandomNumberGenerator) -> String {
        switch self {
        case .literal(let value): return value.text(using: &random)
        case .name(let name): return name
        case .member(let object, let name):
            return object.text(within: 8, using: &random) + "." + name
        case .index(let object, let key):
            let text = object.text(within: 8, using: &random)
            return text + "[" + key.text(using: &random) + "]"
        case .call(let object, let name, let arguments):
            let text = object.text(within: 8, using: &random)
            return text + ".\(name)(" + NaiveRule.texts(of: arguments, using: &random) + ")"
        case .list(let elements):
            return "[" + NaiveRule.texts(of: elements, using: &random) + "]"
        case .pattern(let pattern): return pattern.description
        case .not(let part): return "!" + part.text(within: 7, using: &random)
        case .negative(let part):
            let text = part.text(within: 7, using: &random)
            return "-" + (text.hasPrefix("-") ? "(\(text))" : text)
        case .choice(let condition, let then, let otherwise):
            let start = condition.text(within: 1, using: &random) + " ? "
            let middle = then.text(using: &random) + NaiveRule.space(using: &random) + ":"
            return start + middle + otherwise.text(using: &random)
        case .binary(let sign, let left, let right):
            let start = left.text(within: strength, using: &random)
            let space = NaiveRule.space(using: &random)
            let end = right.text(within: strength + 1, using: &random)
            // Two signs are one, as in `a--1`.
            return start + space + sign + (space.isEmpty && end.hasPrefix("-") ? " " : space) + end
        }
    }

    private static func texts(
        of rules: [NaiveRule], using random: inout some RandomNumberGenerator
    ) -> String {
        var texts: [String] = []
        for rule in rules { texts.append(rule.text(using: &random)) }
        return texts.joined(separator: "," + space(using: &random))
    }

    private static func space(using random: inout some RandomNumberGenerator) -> String {
        random.one(of: [" ", " ", " ", "", "  ", "\t", " /* && false */ "])
    }
}

extension NaiveResult {
    /// A constant.
    fileprivate func text(using random: inout some RandomNumberGenerator) -> String {
        switch self {
        case .null: "null"
        case .truth(let value): "\(value)"
        case .number(let number): NaiveResult.text(of: number, using: &random)
        case .text(let text): NaiveResult.text(of: text, using: &random)
        default: preconditionFailure("\(self) is no constant")
        }
    }

    private static func text(
        of number: Double, using random: inout some RandomNumberGenerator
    ) -> String {
        guard let integer = Int(exactly: number) else {
            let text = "\(number)"
            return random.one(of: [
                text, text + "0", text.hasPrefix("0.") ? String(text.dropFirst()) : text,
                "\(number * 10)E-1",
            ])
        }
        let digits = String(integer, radix: 16)
        return random.one(of: [
            "\(integer)", "\(integer)", "\(integer).0", "\(integer).", "\(integer)e0",
            "\(integer)E+0",
            "\(integer * 10)e-1", ".\(integer)e\("\(integer)".count)", "0x" + digits,
            "0X" + digits.uppercased(),
        ])
    }

    private static func text(
        of text: String, using random: inout some RandomNumberGenerator
    ) -> String {
        let quote = random.one(of: ["'", "\""])
        guard random.index(6) == 0 else { return quote + text + quote }
        let isSparse = random.index(2) == 0
        var units: [String] = []
        for scalar in text.unicodeScalars {
            let isPlain = isSparse && random.index(2) == 0
            units.append(isPlain ? String(scalar) : escaped(scalar, using: &random))
        }
        return quote + units.joined() + quote
    }

    /// A character in one of the ways to write it that are longer.
    private static func escaped(
        _ scalar: Unicode.Scalar, using random: inout some RandomNumberGenerator
    ) -> String {
        func padded(_ number: UInt32, _ count: Int) -> String {
            let digits = String(number, radix: 16, uppercase: random.index(2) == 0)
            return String(repeating: "0", count: count - digits.count) + digits
        }
        if scalar.value < 0x100, random.index(3) == 0 { return "\\x" + padded(scalar.value, 2) }
        // Other letters stand for what has no picture.
        if "-/ADE".unicodeScalars.contains(scalar) { return "\\" + String(scalar) }
        return String(scalar).utf16.map { "\\u" + padded(UInt32($0), 4) }.joined()
    }
}
