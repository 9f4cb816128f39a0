internal import ClusterSimulator
internal import CommandLineKit
internal import JSONText

/// The result of a search through all schedules, as text and as JSON.
enum ExhaustiveText {
    /// A line with the counts; below it what failed, and how to see it again.
    static func lines(_ finished: ExhaustiveRuns.Finished) -> [String] {
        let (search, name) = (finished.search, finished.file.scenario.name)
        var lines = [head(finished.verdict, name) + counts(of: finished)]
        if let failure = search.failure { lines += problems(of: failure) }
        if search.failure == nil, !search.isComplete {
            lines.append("    it ended early, and proves nothing of the schedules left")
        }
        if !search.omittedChecks.isEmpty {
            let names = search.omittedChecks.map(\.name).joined(separator: ", ")
            lines.append("    not judged, since they need a common clock or the SDK: \(names)")
        }
        return lines + [finished.command].compactMap(\.self)
    }

    /// The checks that a schedule violates.
    static func problems(of failure: ExhaustiveSearch.Failure) -> [String] {
        var lines: [String] = []
        if let problem = failure.problem { lines.append("    the run itself: \(problem)") }
        for result in failure.checks {
            lines.append("    \(result.check.name): \(result.details)")
            lines += result.witness.map { "        " + $0 }
        }
        return lines
    }

    private static func head(_ verdict: RunVerdict, _ name: String) -> String {
        let word = Terminal.standardOutput.coloured(
            verdict == .passed ? "passed" : "failed", verdict == .passed ? .green : .red)
        let kind = verdict.failure.map { " (\($0))" } ?? ""
        return "\(word)  \(name)\(kind)  "
    }

    private static func counts(of finished: ExhaustiveRuns.Finished) -> String {
        let search = finished.search
        let schedules =
            search.isComplete ? "every schedule, \(rounded(search.schedules)) in " : ""
        return "\(schedules)\(search.states) states, \(search.ends) ends, at most \(search.depth) "
            + "steps, \(tenths(finished.seconds)) s"
    }

    /// Large counts with two digits, as in `1.3e+09`.
    static func rounded(_ count: Double) -> String {
        guard count >= 1e6 else { return "\(Int(count))" }
        var (mantissa, exponent) = (count, 0)
        while mantissa >= 10 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
        return "\(tenths(mantissa))e\(exponent)"
    }

    /// The search as one JSON object.
    static func json(_ finished: ExhaustiveRuns.Finished) -> String {
        let search = finished.search
        var members = [
            "\"scenario\":\(text(finished.file.scenario.name))", "\"search\":\"exhaustive\"",
            "\"verdict\":\"\(word(of: search))\"", "\"schedules\":\(search.schedules)",
            "\"states\":\(search.states)", "\"transitions\":\(search.transitions)",
            "\"ends\":\(search.ends)", "\"depth\":\(search.depth)",
        ]
        if let failure = search.failure {
            let lines = problems(of: failure).map { text(String($0.drop { $0 == " " })) }
            members.append("\"violates\":\"\(failure.kind.rawValue)\"")
            members.append("\"problems\":[\(lines.joined(separator: ","))]")
        }
        if let command = finished.command { members.append("\"reproduce\":\(text(command))") }
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func word(of search: ExhaustiveSearch) -> String {
        if search.failure != nil { return Verdict.invalid.rawValue }
        return (search.isComplete ? Verdict.valid : .unknown).rawValue
    }

    private static func text(_ string: String) -> String { JSONWriter.text(of: .string(string)) }
}
