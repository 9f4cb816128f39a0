internal import DataTree

// The evaluation of `.validate` at the places above, at and below the written value.

extension Judge {
    /// Why what a write of the path that the way leads to leaves there, above and below is not valid.
    mutating func invalidity(towards path: Path) -> Denial? {
        for depth in 0...evaluator.route.depth {
            if let denial = invalidity(at: depth) { return denial }
        }
        // A path to a priority carries nothing below, and rules may end before the path does.
        return evaluator.route.depth == path.count ? invalidityBelow() : nil
    }

    /// Why the `.validate` of one place refuses; one where nothing is left demands nothing.
    private mutating func invalidity(at depth: Int) -> Denial? {
        guard let rule = ruleset.levels[evaluator.route.level(at: depth)].validate else {
            return nil
        }
        let isValid = validity[depth] ?? isWrittenValid(by: rule, at: depth)
        validity[depth] = isValid
        return isValid ? nil : .invalid(rule: rule, at: evaluator.route.path(at: depth))
    }

    private mutating func isWrittenValid(by rule: Int, at depth: Int) -> Bool {
        evaluator.work.grant(forPlaceWith: textBytes(at: depth))
        return isValid(by: rule, at: depth)
    }

    private mutating func isValid(by rule: Int, at depth: Int) -> Bool {
        guard !isRecording, let check = ruleset.rules[rule].program.check else {
            return evaluator.look(at: .way(.after, depth: depth), \.isNull)
                || holds(rule, at: depth)
        }
        var work = evaluator.work
        defer { evaluator.work = work }
        return evaluator.look(at: .way(.after, depth: depth)) { value in
            value.isNull || (try? check.holds(for: value, paying: &work)) ?? false
        }
    }

    /// Walks the written value below the end of the way, as far as there are rules: all children
    /// below a wildcard, otherwise only the named ones.
    private mutating func invalidityBelow() -> Denial? {
        let level = level
        guard ruleset.levels[level].validatesBelow else { return nil }
        let children = value.children
        if ruleset.levels[level].wildcard == nil {
            for place in ruleset.levels[level].validated {
                if let denial = invalidity(of: place, in: children) { return denial }
            }
            return nil
        }
        for (key, child) in children where descend(by: key, finding: child) {
            if let denial = invalidityOfWritten() { return denial }
        }
        return nil
    }

    /// Why what is written at a place below the end of the way is not valid.
    private mutating func invalidity(
        of place: RuleLevel.Validated, in children: Children
    ) -> Denial? {
        if !isRecording, let (rule, check) = place.only {
            let child = children.outline(of: place.key)
            if case .null = child { return nil }
            let bytes = if case .string(let count, _) = child { count } else { 0 }
            evaluator.work.grant(forPlaceWith: bytes)
            do throws(RuleFailure) {
                try evaluator.work.pay(RuleWork.step)
                if try check.holds(for: child, paying: &evaluator.work) { return nil }
            } catch {
                return .exhausted
            }
            return .invalid(rule: rule, at: path.appending(place.key))
        }
        guard let child = children[place.key] else { return nil }
        evaluator.route.descend(by: place.key, finding: child, to: place.level)
        return invalidityOfWritten()
    }

    /// Why what is written at the end of the way is not valid; goes back to the place above.
    private mutating func invalidityOfWritten() -> Denial? {
        defer { ascend() }
        guard (try? evaluator.work.pay(RuleWork.step)) != nil else { return .exhausted }
        return invalidity(at: evaluator.route.depth) ?? invalidityBelow()
    }

    /// Returns the trace of a `.validate` at the end of the way, with its own work; nil if it
    /// holds.
    mutating func violation(of rule: Int) -> RuleTrace? {
        evaluator.work = RuleWork()
        evaluations = []
        if holds(rule, at: evaluator.route.depth) { return nil }
        return RuleTrace(
            rules: ruleset.rules, verdict: .denied(.invalid(rule: rule, at: path)),
            evaluations: evaluations ?? [], units: evaluator.work.spent)
    }
}
