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
    /// The first places, in the order of the tree, that a user could not write again as they are.
    ///
    /// - Parameters:
    ///   - auth: Who would write them.
    ///   - now: When, in milliseconds since 1970.
    ///   - limit: How many places are found at most.
    /// - Complexity: O(places with rules).
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
private struct RuleAudit {
    private let ruleset: Ruleset
    private let situation: RuleSituation
    private let limit: Int
    private(set) var violations: [RuleViolation] = []

    init(_ ruleset: Ruleset, _ situation: RuleSituation, limit: Int) {
        (self.ruleset, self.situation, self.limit) = (ruleset, situation, limit)
    }

    mutating func run() {
        let root = RuleSnapshot(root: situation.after)
        visit(Judge.Place(level: 0, site: Evaluator.Site(before: root, after: root)))
    }

    private mutating func visit(_ place: Judge.Place) {
        guard violations.count < limit, !place.site.after.value.isNull else { return }
        let level = ruleset.nodes[place.level]
        if let rule = level.validate { judge(rule, at: place) }
        guard level.validatesBelow else { return }
        let children = place.site.after.value.children
        if level.wildcard == nil {
            for (key, _) in level.literals where children[key] != nil {
                descend(to: key, of: place)
            }
        } else {
            for (key, _) in children { descend(to: key, of: place) }
        }
    }

    private mutating func descend(to key: Key, of place: Judge.Place) {
        if let below = ruleset.place(below: place, at: key) { visit(below) }
    }

    private mutating func judge(_ rule: Int, at place: Judge.Place) {
        var judge = Judge.tracing(ruleset, situation)
        if judge.evaluate(rule, at: place) { return }
        let trace = RuleTrace(
            rules: ruleset.rules, verdict: .denied(.invalid(rule: rule, at: place.path)),
            evaluations: judge.evaluations ?? [])
        for reason in trace.reasons {
            violations.append(RuleViolation(path: place.path, reason: reason))
        }
    }
}
