public import DataTree

/// Data that a `.validate` does not permit, as it can come about: before there were rules, by an administrator, or by writes at several
/// nodes that meet.
public struct RuleViolation: Sendable {
    /// The place.
    public let path: Path
    /// Why the rule refuses it.
    public let reason: DenialReason
}

extension Ruleset {
    /// The first locations, in the order of the tree, that a user could not write again as they are.
    ///
    /// - Parameters:
    ///   - auth: The user that would write them.
    ///   - now: The time, in milliseconds since 1970.
    ///   - limit: The maximum number of locations.
    /// - Complexity: O(locations with rules).
    public func violations(
        in data: Value, by auth: Claim, at now: Double, limit: Int
    ) -> [RuleViolation] {
        var audit = RuleAudit(
            self, RuleSituation(auth: auth, now: now, before: data, after: data), limit: limit)
        audit.run()
        return audit.violations
    }
}

/// Walks a tree as far as rules lead, and collects what they refuse.
private struct RuleAudit: ~Copyable {
    private let ruleset: Ruleset
    private var judge: Judge
    private let limit: Int
    private(set) var violations: [RuleViolation] = []

    init(_ ruleset: Ruleset, _ situation: RuleSituation, limit: Int) {
        (self.ruleset, self.limit) = (ruleset, limit)
        judge = Judge(ruleset, situation)
    }

    /// Visits the end of the judge's way, the root at first, and all below.
    mutating func run() {
        let value = judge.value
        guard violations.count < limit, !value.isNull else { return }
        let level = ruleset.levels[judge.level]
        if let rule = level.validate { review(rule) }
        guard level.validatesBelow else { return }
        if level.wildcard == nil {
            for (key, _) in level.literals {
                if let child = value.children[key] { descend(to: child, by: key) }
            }
        } else {
            for (key, child) in value.children { descend(to: child, by: key) }
        }
    }

    private mutating func descend(to child: Value, by key: Key) {
        guard judge.descend(by: key, finding: child) else { return }
        run()
        judge.ascend()
    }

    private mutating func review(_ rule: Int) {
        for reason in judge.violation(of: rule)?.reasons ?? [] {
            violations.append(RuleViolation(path: judge.path, reason: reason))
        }
    }
}
