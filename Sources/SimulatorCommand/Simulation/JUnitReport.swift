internal import ClusterSimulator

/// Runs in the XML that continuous integration reads: a suite for each scenario, a case for each seed.
struct JUnitReport {
    private struct Case {
        var name: String
        var seconds: Double
        /// The kind of its failure, and the lines that say what is wrong.
        var failure: (kind: String, lines: [String])?
    }

    private struct Suite {
        var name: String
        var cases: [Case] = []
        /// Further runs that passed.
        var others = 0
    }

    /// How many runs that passed a suite names.
    private static let limit = 10_000

    private var suites: [Suite] = []

    /// Adds a run that is over.
    mutating func add(_ finished: SimulationRuns.Finished, _ verdict: RunVerdict) {
        let report = finished.report
        let index = index(of: report.scenario)
        guard let kind = verdict.failure else {
            if suites[index].cases.count >= JUnitReport.limit {
                suites[index].others += 1
                return
            }
            return suites[index].cases.append(
                Case(name: "seed \(report.seed)", seconds: finished.seconds))
        }
        let lines = RunText.problems(of: report, verdict)
        suites[index].cases.append(
            Case(
                name: "seed \(report.seed)", seconds: finished.seconds, failure: (kind, lines)))
    }

    /// A check had nothing to check with any seed.
    mutating func add(missed idleness: ScenarioTally.Idleness, of scenario: String) {
        suites[index(of: scenario)].cases.append(
            Case(
                name: idleness.check.name, seconds: 0,
                failure: (
                    "coverage",
                    [
                        "\(idleness.check.name) had nothing to check with any seed: \(idleness.reason)"
                    ]
                )))
    }

    private mutating func index(of scenario: String) -> Int {
        if let index = suites.lastIndex(where: { $0.name == scenario }) { return index }
        suites.append(Suite(name: scenario))
        return suites.count - 1
    }

    // MARK: The text

    var text: String {
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>"]
        for suite in suites { lines += JUnitReport.lines(of: suite) }
        return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
    }

    private static func lines(of suite: Suite) -> [String] {
        let failures = suite.cases.count { $0.failure != nil }
        let seconds = suite.cases.reduce(0) { $0 + $1.seconds }
        let rest =
            suite.others == 0
            ? [] : ["  <system-out>\(suite.others) more seeds passed</system-out>"]
        return [
            "<testsuite name=\"\(escaped(suite.name))\" tests=\"\(suite.cases.count)\" "
                + "failures=\"\(failures)\" errors=\"0\" time=\"\(seconds)\">"
        ] + suite.cases.flatMap { lines(of: $0, in: suite.name) } + rest + ["</testsuite>"]
    }

    private static func lines(of one: Case, in suite: String) -> [String] {
        let head =
            "  <testcase classname=\"\(escaped(suite))\" name=\"\(escaped(one.name))\" "
            + "time=\"\(one.seconds)\""
        guard let failure = one.failure else { return [head + "/>"] }
        let message = failure.lines.first.map { String($0.drop { $0 == " " }) } ?? failure.kind
        return [
            head + ">",
            "    <failure type=\"\(failure.kind)\" message=\"\(escaped(message))\">"
                + escaped(failure.lines.joined(separator: "\n")) + "</failure>",
            "  </testcase>",
        ]
    }

    /// Text as XML has it; characters that XML cannot have are replaced.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case _ where scalar.value < 32 || scalar.value & 0xFFFE == 0xFFFE: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
