internal import CommandLineKit
internal import Rules

/// A file of cases and the document that it names.
struct RuleTestRun {
    private let name: String

    init(_ name: String) { self.name = name }

    /// Runs the cases.
    func report() throws(CommandError) -> RuleTestReport {
        let tests = try read()
        return tests.run(on: try RulesFile(besideTests(tests.rules)).read())
    }

    private func read() throws(CommandError) -> RuleTestFile {
        let text = try InputFile(name).readAll()
        do {
            return try RuleTestFile(text)
        } catch {
            throw CommandError(
                .badData, "\(name):\(error.line):\(error.column): \(error.problem)",
                fix: error.fix)
        }
    }

    /// The path of a file that the file of cases names.
    private func besideTests(_ file: String) -> String {
        guard !file.hasPrefix("/"), let slash = name.lastIndex(of: "/") else { return file }
        return String(name[...slash]) + file
    }
}

/// Prints the results of cases: the failed ones with the reason, then the totals and the coverage.
struct RuleTestOutput {
    let file: String
    /// Whether passed denials are explained as well.
    var showsReasons = false
    /// Whether the parts of rules are named that the cases leave out.
    var showsGaps = false

    init(file: String) { self.file = file }

    /// Prints a report.
    func show(_ report: RuleTestReport) {
        for result in report.results { show(result) }
        let passed = report.results.count - report.failures
        let (seen, all) = report.coverage.outcomes
        print(
            "\(file): \(passed) of \(counted(report.results.count, "case")) passed; \(seen) of \(all) outcomes of rules seen"
        )
        guard showsGaps else { return }
        for gap in report.coverage.gaps { print("  " + gap) }
    }

    private func show(_ result: RuleTestReport.Result) {
        let place = "\(file):\(result.test.line)"
        if result.hasPassed {
            guard showsReasons, !result.explanation.isEmpty else { return }
            print("\(place): \(result.test.text)")
        } else {
            let colour = Terminal.standardOutput.coloured("FAILED", .red)
            let verdict = result.explanation.isEmpty ? "it is allowed" : "it is denied"
            print("\(place): \(colour) \(result.test.text): \(verdict)")
        }
        for line in result.explanation { print("    " + line) }
    }

    private func print(_ line: String) { StandardOutput.shared.print(line) }
}
