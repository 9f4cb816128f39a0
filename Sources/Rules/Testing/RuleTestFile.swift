internal import DataTree

/// A file of cases for a document of rules: stored data, users, operations, and the expected
/// decisions.
///
///     rules  rules.json
///     data   /users/ada {name: "Ada"}
///     user   ada {uid: "ada", token: {admin: true}}
///     allow  read  /users/ada  as ada
///     deny   write /users/ada {name: 7}  as none
public struct RuleTestFile: Sendable {
    /// The document's file, as the file of tests names it.
    public internal(set) var rules = ""
    /// The cases, in the order of the file.
    public internal(set) var cases: [RuleTestCase] = []
}

/// One case: an operation, and whether the rules must allow it.
public struct RuleTestCase: Sendable {
    /// The line at which it begins, from 1.
    public let line: Int
    /// The case as it is written, on one line.
    public let text: String
    let isAllowed: Bool
    let operation: RuleOperation
    let situation: RuleSituation
}

/// A fault in a file of tests.
public struct RuleTestError: Error, Equatable, Sendable {
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int
    /// What is wrong.
    public let problem: String
    /// The fix.
    public let fix: String
}

extension RuleTestFile {
    /// Runs all cases.
    public func run(on ruleset: Ruleset) -> RuleTestReport {
        var report = RuleTestReport(coverage: RuleCoverage(of: ruleset))
        for test in cases {
            let trace = ruleset.trace(test.operation, in: test.situation)
            report.coverage.add(trace)
            report.results.append(
                RuleTestReport.Result(
                    test: test, hasPassed: trace.verdict.isAllowed == test.isAllowed,
                    explanation: trace.explanation))
        }
        return report
    }
}

/// The results of the cases of a file.
public struct RuleTestReport: Sendable {
    /// The result of one case.
    public struct Result: Sendable {
        /// The case.
        public let test: RuleTestCase
        /// Whether the rules did what it says.
        public let hasPassed: Bool
        /// Why the rules denied the operation; empty if they allowed it.
        public let explanation: [String]
    }

    /// The results, in the order of the file.
    public internal(set) var results: [Result] = []
    /// The results of the rules in all cases.
    public internal(set) var coverage: RuleCoverage

    /// How many cases failed.
    public var failures: Int { results.count { !$0.hasPassed } }
}
