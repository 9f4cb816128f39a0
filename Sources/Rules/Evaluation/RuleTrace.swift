public import DataTree

/// A verdict with what led to it: each rule that was evaluated, where, and what its parts gave.
public struct RuleTrace: Sendable {
    /// One rule at one place.
    struct Evaluation: Sendable {
        let rule: Int
        let path: Path
        /// The result of each part of the expression; nil for parts that were not evaluated.
        let values: [RuleValue?]
    }

    let rules: [Rule]
    /// Whether the operation may be done.
    public let verdict: RuleVerdict
    /// In the order in which they were done.
    let evaluations: [Evaluation]
    /// The units of work that the evaluations took.
    let units: Int

    /// The reasons of a denial, from the root down: one for each rule that could have allowed the
    /// operation, or the one `.validate` that refused it. Empty if it was allowed.
    public var reasons: [DenialReason] {
        switch verdict {
        case .allowed: return []
        case .denied(.exhausted):
            return evaluations.suffix(1).map(reason)
        case .denied(.notGranted(let kind, let path)):
            return evaluations.filter {
                rules[$0.rule].kind == kind && $0.path.contains(path)
            }.map(reason)
        case .denied(.invalid(let rule, let path)):
            return evaluations.filter { $0.rule == rule && $0.path == path }.map(reason)
        }
    }

    private func reason(_ evaluation: Evaluation) -> DenialReason {
        let rule = rules[evaluation.rule]
        let finder = DecisiveParts(rule.expression, evaluation.values)
        return DenialReason(
            rule: rule, path: evaluation.path, parts: finder.parts.map(finder.description))
    }
}

/// Why one rule did not hold.
public struct DenialReason: Sendable {
    /// The rule.
    public let rule: Rule
    /// The place at which it was evaluated.
    public let path: Path
    /// The smallest parts of its expression that decided, each with what it gave and with the values that it was made of.
    public let parts: [String]
}

extension DenialReason: CustomStringConvertible {
    /// One line: the rule, then the parts.
    public var description: String {
        "\(rule.kind.rawValue) of \(rule.location), line \(rule.line), at \(path): "
            + parts.joined(separator: "; ")
    }
}

extension RuleTrace {
    /// The denial in words: a line that says what is missing, then one for each rule.
    public var explanation: [String] {
        guard case .denied(let denial) = verdict else { return [] }
        let lines = reasons.map(\.description)
        switch denial {
        case .exhausted: return [RuleFailure.exhausted.text] + lines
        case .invalid(_, let path): return ["the data at \(path) is not valid"] + lines
        case .notGranted(let kind, let path):
            let start = lines.isEmpty ? "no \(kind.rawValue) stands" : "no \(kind.rawValue) holds"
            return ["\(start) at or above \(path)"] + lines
        }
    }
}
