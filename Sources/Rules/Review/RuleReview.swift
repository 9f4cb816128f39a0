/// Looks for what is legal in a document and hardly meant.
struct RuleReview {
    private let levels: [RuleLevel]
    private let rules: [Rule]
    /// The possible outcomes of each rule.
    private let outcomes: [Outcomes]
    private var found: [RuleWarning] = []

    init(_ compiler: RulesetCompiler) {
        levels = compiler.levels
        rules = compiler.rules
        outcomes = rules.map(\.expression.outcomes)
    }

    /// The warnings, in the order of the document.
    consuming func warnings(of document: [UInt8]) -> [RuleWarning] {
        if document.count > RuleLimits.quietDocumentBytes {
            found.append(
                RuleWarning(
                    code: .size, line: 1, column: 1,
                    text: "the document has \(document.count) bytes; Firebase takes 262144"))
        }
        reviewRoot()
        for number in rules.indices { review(number) }
        reviewGrants(.read, at: 0, above: [])
        reviewGrants(.write, at: 0, above: [])
        return found.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    private mutating func warn(_ rule: Rule, _ code: RuleWarning.Code, _ text: String) {
        found.append(
            RuleWarning(code: code, line: rule.line, column: rule.column, text: text))
    }

    private mutating func reviewRoot() {
        for (rule, verb) in [(levels[0].read, "read"), (levels[0].write, "write")] {
            guard let rule, outcomes[rule] == .isTrue else { continue }
            warn(
                rules[rule], .openRoot,
                "every client may \(verb) everything; grant it further down, or only to users")
        }
    }

    private mutating func review(_ number: Int) {
        let rule = rules[number]
        if !outcomes[number].contains(.isTrue), rule.text != "false" {
            warn(
                rule, .neverTrue,
                "\(rule.kind.rawValue) of \(rule.location) is never true: \(rule.text)")
        }
        reviewNulls(of: rule)
        for case .pattern(let pattern) in rule.expression.nodes.lazy.map(\.kind)
        where pattern.hasAmbiguousAnchors {
            warn(
                rule, .anchor,
                "the anchors of a regular expression bind all its alternatives; write ^(a|b)$")
        }
    }
}

extension RuleReview {
    /// A `.validate` grants nothing.
    private mutating func reviewNulls(of rule: Rule) {
        guard rule.kind != .validate else { return }
        for text in NullComparisons(in: rule.expression).texts {
            warn(
                rule, .nullEqualsNull,
                "\(rule.kind.rawValue) of \(rule.location) is true without a user where both sides are null: \(text); add auth != null && "
                    + "in front")
        }
    }
}

// MARK: - Grants below grants

extension RuleReview {
    /// Compares the rules of one kind with those above them, which grant all that lies below.
    private mutating func reviewGrants(_ kind: RuleKind, at level: Int, above: [Int]) {
        var above = above
        if let number = levels[level].rule(kind) {
            review(number, above: above)
            above.append(number)
        }
        for (_, below) in levels[level].literals { reviewGrants(kind, at: below, above: above) }
        if let below = levels[level].wildcard { reviewGrants(kind, at: below, above: above) }
    }

    private mutating func review(_ number: Int, above: [Int]) {
        let rule = rules[number]
        let start = "\(rule.kind.rawValue) of \(rule.location)"
        for upper in above {
            let location = rules[upper].location
            if outcomes[upper] == .isTrue {
                let effect = rule.text == "false" ? "revokes nothing" : "has no effect"
                let reason = "that of \(location) grants it to every client"
                return warn(rule, .shadowed, "\(start) \(effect): \(reason)")
            }
            if rules[upper].expression.source == rule.expression.source, rule.text != "false",
                rule.expression.isIndependentOfPlace
            {
                return warn(
                    rule, .shadowed,
                    "\(start) has no effect: that of \(location) grants the same")
            }
        }
    }
}
