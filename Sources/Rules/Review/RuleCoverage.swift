/// What the rules of a document came to in a number of operations, part by part.
public struct RuleCoverage: Sendable {
    /// How often a part was true, was false, failed.
    struct Counts: Equatable, Sendable {
        var isTrue = 0
        var isFalse = 0
        var fails = 0

        var isEmpty: Bool { isTrue + isFalse + fails == 0 }
    }

    private let rules: [Rule]
    private var counts: [[Counts]]

    /// Starts with nothing seen.
    public init(of ruleset: Ruleset) {
        rules = ruleset.rules
        counts = rules.map { Array(repeating: Counts(), count: $0.expression.nodes.count) }
    }

    /// Counts what one operation came to.
    public mutating func add(_ trace: RuleTrace) {
        for evaluation in trace.evaluations {
            for (index, value) in evaluation.values.enumerated() {
                switch value {
                case .boolean(true): counts[evaluation.rule][index].isTrue += 1
                case .boolean(false): counts[evaluation.rule][index].isFalse += 1
                case .failure: counts[evaluation.rule][index].fails += 1
                default: break
                }
            }
        }
    }

    /// How many outcomes the parts that are booleans have, true and false of each, and how many were seen.
    public var outcomes: (seen: Int, all: Int) {
        var (seen, all) = (0, 0)
        for rule in rules.indices {
            for part in countedParts(of: rule) {
                let counts = counts[rule][part]
                all += 2
                seen += (counts.isTrue > 0 ? 1 : 0) + (counts.isFalse > 0 ? 1 : 0)
            }
        }
        return (seen, all)
    }

    /// A line for each part that was never true or never false, and for each rule that was never evaluated.
    public var gaps: [String] {
        var lines: [String] = []
        for (number, rule) in rules.enumerated() {
            let name = "line \(rule.line): \(rule.kind.rawValue) of \(rule.location)"
            if counts[number][rule.expression.root].isEmpty {
                lines.append("\(name) was never evaluated")
                continue
            }
            for part in countedParts(of: number) {
                guard let gap = gap(counts[number][part]) else { continue }
                lines.append("\(name): \(rule.expression.text(of: part)) \(gap)")
            }
        }
        return lines
    }

    private func gap(_ counts: Counts) -> String? {
        if counts.isEmpty { return "was never reached" }
        if counts.isTrue > 0, counts.isFalse > 0 { return nil }
        if counts.isTrue > 0 { return "was never false" }
        return counts.isFalse > 0 ? "was never true" : "always failed"
    }

    /// The parts that decide something: the whole, and all within it that are booleans; no constants.
    private func countedParts(of rule: Int) -> [Int] {
        let nodes = rules[rule].expression.nodes
        return nodes.indices.filter { index in
            guard nodes[index].type == .boolean else { return false }
            if case .boolean = nodes[index].kind { return false }
            return true
        }
    }
}
