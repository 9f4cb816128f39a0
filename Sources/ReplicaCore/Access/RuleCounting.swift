import DataTree
import Rules
import SyncProtocol

/// Counts of the values of the rules in force, at this node and for users, since an administrator requested them.
///
/// While they are counted, each part of a rule is evaluated, without the usual shortcuts.
struct RuleCounting: Sendable {
    private(set) var coverage: RuleCoverage
    let sinceMilliseconds: UInt64
    /// How many operations were judged.
    private(set) var judged = 0

    /// Begins with nothing counted.
    init(of ruleset: Ruleset?, since milliseconds: UInt64) {
        coverage = RuleCoverage(of: ruleset)
        sinceMilliseconds = milliseconds
    }

    /// Judges an operation, and counts.
    mutating func evaluate(
        _ operation: RuleOperation, in situation: consuming RuleSituation, by ruleset: Ruleset,
        spending units: inout Int
    ) -> RuleVerdict {
        judged += 1
        return ruleset.evaluate(operation, in: situation, counting: &coverage, spending: &units)
    }

    /// Returns the permission for a user to read a location, and counts the evaluation.
    mutating func grant(
        reading path: Path, in situation: RuleSituation, by ruleset: Ruleset,
        spending units: inout Int
    ) -> ReadGrant? {
        judged += 1
        return ruleset.grant(
            reading: path, in: situation, counting: &coverage, spending: &units)
    }
}

extension Replica {
    /// Does what a request asks of the count, and tells what was counted until then.
    mutating func count(_ action: CoverageRequest.Action) -> CoverageReport {
        if action == .begin { sessions.access.beginCounting(at: now.wallMilliseconds) }
        let counting = sessions.access.counting
        if action == .end { sessions.access.endCounting() }
        var report = CoverageReport(
            counting?.coverage ?? RuleCoverage(of: sessions.access.ruleset))
        report.node = configuration.member
        report.isCounting = sessions.access.counting != nil
        report.digest = replication.rules?.digest ?? ""
        report.sinceMilliseconds = counting.map { Int(clamping: $0.sinceMilliseconds) }
        report.judged = counting?.judged ?? 0
        return report
    }
}

extension CoverageReport {
    /// More parts than this are left out, with a number that says how many.
    private static let partLimit = 10_000
    /// The longest text of a part that is shown, in characters.
    private static let textLimit = 200

    fileprivate init(_ coverage: RuleCoverage) {
        self.init()
        (outcomesSeen, outcomes) = coverage.outcomes
        var room = CoverageReport.partLimit
        for (number, rule) in coverage.rules.enumerated() {
            var told = CountedRule()
            told.kind = rule.kind.rawValue
            told.location = rule.location
            told.line = rule.line
            told.column = rule.column
            told.expression = rule.text
            told.counts = Counts(coverage.counts(ofRule: number))
            let parts = coverage.parts(ofRule: number)
            told.parts = parts.prefix(room).map(CountedPart.init)
            room -= told.parts.count
            omittedParts += parts.count - told.parts.count
            rules.append(told)
        }
    }

    /// The text of a part, as far as it is shown.
    fileprivate static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count > textLimit else { return text }
        return String(String.UnicodeScalarView(scalars.prefix(textLimit))) + "…"
    }
}

extension CoverageReport.CountedPart {
    fileprivate init(_ part: RuleCoverage.Part) {
        self.init()
        text = CoverageReport.shown(part.text)
        counts = CoverageReport.Counts(part.counts)
        gap = part.gap
    }
}

extension CoverageReport.Counts {
    fileprivate init(_ counts: RuleCoverage.Counts) {
        self.init()
        (isTrue, isFalse, fails) = (counts.isTrue, counts.isFalse, counts.fails)
    }
}
