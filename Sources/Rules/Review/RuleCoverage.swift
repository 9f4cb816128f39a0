/// The results of a document's rules in a number of operations, part by part.
public struct RuleCoverage: Sendable {
    /// How often a part was true, was false, failed.
    public struct Counts: Equatable, Sendable {
        public fileprivate(set) var isTrue = 0
        public fileprivate(set) var isFalse = 0
        public fileprivate(set) var fails = 0

        /// Whether the part was never evaluated.
        public var isEmpty: Bool { isTrue + isFalse + fails == 0 }
    }

    /// A deciding part of a rule, with its results.
    public struct Part: Sendable {
        /// The part as it is written.
        public let text: String
        /// How often it had each result.
        public let counts: Counts
        /// The result that it never had, in words; nil if it was both true and false.
        public let gap: String?
    }

    /// The rules, in the order of the document.
    public let rules: [Rule]
    private var counts: [[Counts]]

    /// Starts with nothing seen of a document; without one there is nothing to count.
    public init(of ruleset: Ruleset?) {
        rules = ruleset?.rules ?? []
        counts = rules.map { Array(repeating: Counts(), count: $0.expression.nodes.count) }
    }

    /// Counts the results of one operation.
    public mutating func add(_ trace: RuleTrace) {
        for evaluation in trace.evaluations { add(evaluation.values, of: evaluation.rule) }
    }

    /// Counts what the parts of a rule gave at one place.
    mutating func add(_ values: [RuleValue?], of rule: Int) {
        for (index, value) in values.enumerated() {
            switch value {
            case .boolean(true): counts[rule][index].isTrue += 1
            case .boolean(false): counts[rule][index].isFalse += 1
            case .failure: counts[rule][index].fails += 1
            default: break
            }
        }
    }

    /// Returns how often a rule as a whole had each result.
    public func counts(ofRule rule: Int) -> Counts { counts[rule][rules[rule].expression.root] }

    /// The parts of a rule that decide something, the whole last; none of a constant.
    public func parts(ofRule rule: Int) -> [Part] {
        countedParts(of: rule).map { part in
            let counts = counts[rule][part]
            return Part(
                text: rules[rule].expression.text(of: part), counts: counts, gap: gap(counts))
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
            if counts(ofRule: number).isEmpty {
                lines.append("\(name) was never evaluated")
                continue
            }
            for part in parts(ofRule: number) {
                guard let gap = part.gap else { continue }
                lines.append("\(name): \(part.text) \(gap)")
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
