// Documents at random, along places that have data.

/// The places for which rules are drawn: names of children, `$` before those of wildcards.
public struct RuleShape: Sendable {
    let children: [(name: String, shape: RuleShape)]

    /// A place with these children.
    public init(_ children: [(name: String, shape: RuleShape)] = []) { self.children = children }

    /// Places at the same depths, each with the same names of children.
    public init(_ names: [String], depth: Int) {
        children =
            depth == 0 ? [] : names.map { ($0, RuleShape(names, depth: depth - 1)) }
    }
}

extension NaiveRules {
    /// Rules for some of the places of a shape, and their text as a node gets it.
    public static func drawn(
        along shape: RuleShape, _ words: RuleWords, using random: inout some RandomNumberGenerator
    ) -> (rules: NaiveRules, document: String) {
        let drawing = RulesDrawing(words: words)
        let (level, text) = drawing.level(shape, wildcards: [], using: &random)
        let start = random.one(of: ["", "\n", "// drawn\n", "/* \" */ "])
        return (NaiveRules(root: level), "\(start){\"rules\": \(text)}")
    }

    /// A document that no node may take, as it has one fault, and what they have to say.
    public static func drawnFaulty(
        along shape: RuleShape, _ words: RuleWords, using random: inout some RandomNumberGenerator
    ) -> (document: String, problem: String) {
        let (_, document) = drawn(along: shape, words, using: &random)
        let kind = random.one(of: [".read", ".write", ".validate"])
        let good = DrawnRule(words: words, kind: kind, wildcards: []).truth(1, using: &random)
        let text = good.text(using: &random)
        let fault = FaultyRule(beside: text, of: kind, using: &random)
        let rule = "\"\(kind)\": \(RulesDrawing.quoted(fault.text))"
        // After the other rules: faults are reported in the order of the text.
        let start = document.dropLast(2)
        let comma = start.hasSuffix("{") ? "" : ","
        return ("\(start)\(comma)\"faulty\": {\(rule)}}}", fault.problem)
    }
}

/// Draws the levels of a document.
private struct RulesDrawing {
    let words: RuleWords

    /// The level of a place, and its text.
    func level(
        _ shape: RuleShape, wildcards: [String], using random: inout some RandomNumberGenerator
    ) -> (NaiveRules.Level, String) {
        var level = NaiveRules.Level()
        var members: [String] = []
        for (kind, chance) in [(".read", 4), (".write", 4), (".validate", 6)]
        where random.index(chance) == 0 {
            let rule = rule(kind, wildcards, using: &random)
            level.rules[kind] = rule
            members.append("\"\(kind)\": \(RulesDrawing.text(of: rule, using: &random))")
        }
        if random.index(8) == 0 {
            members.append("\".indexOn\": \(RulesDrawing.quoted(random.one(of: words.keys)))")
        }
        for (name, shape) in shape.children where random.index(8) > 0 {
            let isWild = level.wildcard.isEmpty && (name.hasPrefix("$") || random.index(8) == 0)
            let name = isWild ? "$w\(wildcards.count)" : name
            if name.hasPrefix("$") != isWild { continue }
            let (below, text) = self.level(
                shape, wildcards: isWild ? wildcards + [name] : wildcards, using: &random)
            if isWild { level.wildcard = [(name, below)] } else { level.below[name] = below }
            members.append("\"\(name)\": \(text)")
        }
        let separator = random.one(of: [", ", ",\n  ", ", /* next */ "])
        return (level, "{" + members.joined(separator: separator) + "}")
    }

    private func rule(
        _ kind: String, _ wildcards: [String], using random: inout some RandomNumberGenerator
    ) -> NaiveRule {
        let drawn = DrawnRule(words: words, kind: kind, wildcards: wildcards)
        let rule = drawn.truth(3, using: &random)
        switch random.index(8) {
        case 0: return .literal(.truth(random.index(4) > 0))
        // Conditions that are true for some user in most cases.
        case 1, 2: return .binary("!=", .name("auth"), .literal(.null))
        case 3 where kind == ".validate":
            return .binary("||", .call(drawn.place(using: &random), "exists", []), rule)
        default: return rule
        }
    }

    private static func text(
        of rule: NaiveRule, using random: inout some RandomNumberGenerator
    ) -> String {
        if case .literal(.truth(let value)) = rule, random.index(2) == 0 { return "\(value)" }
        return quoted(rule.text(using: &random))
    }

    /// A text as a string of JSON.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
