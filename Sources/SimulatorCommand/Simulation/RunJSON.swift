internal import ClusterSimulator
internal import JSONText

/// A run as one JSON object.
enum RunJSON {
    /// The object, with the command that repeats a failure.
    static func object(
        _ report: SimulationReport, _ verdict: RunVerdict, reproducedBy command: String
    ) -> String {
        let failure = report.failure.map { "\"failure\":\(text($0))," } ?? ""
        let kind =
            verdict.failure.map { "\"violates\":\"\($0)\",\"reproduce\":\(text(command))," } ?? ""
        return "{\"scenario\":\(text(report.scenario)),"
            + "\"seed\":\(report.seed),\"verdict\":\"\(report.verdict.rawValue)\",\(kind)"
            + "\"traceHash\":\"\(report.traceHashText)\",\"events\":\(report.events),"
            + "\"simulatedSeconds\":\(report.simulatedSeconds),"
            + "\"operations\":\(report.statistics.operations),"
            + "\"acknowledged\":\(report.statistics.acknowledged),"
            + "\"permitted\":\(report.statistics.permitted),"
            + failure + "\"checks\":[\(report.checks.map(object).joined(separator: ","))]}"
    }

    private static func object(_ result: CheckResult) -> String {
        let witness = result.witness.map(text).joined(separator: ",")
        return "{\"check\":\"\(result.check.name)\",\"verdict\":\"\(result.verdict.rawValue)\","
            + "\"isExcused\":\(result.isExcused),"
            + "\"details\":\(text(result.details)),\"witness\":[\(witness)]}"
    }

    private static func text(_ string: String) -> String { JSONWriter.text(of: .string(string)) }
}
