internal import HTTPText
internal import SyncProtocol

/// `/.inspect/coverage`: a page with the values of the parts of a node's rules. It loads and executes nothing.
struct CoveragePage {
    private(set) var text = ""

    init(_ report: CoverageReport) {
        text = CoveragePage.start
        add("<h1>Coverage of the rules at \(CoveragePage.escaped(report.node))</h1>")
        add(summary(of: report))
        for rule in report.rules { add(rule) }
        if report.omittedParts > 0 {
            add("<p class=note>\(report.omittedParts) parts of later rules are left out.</p>")
        }
        add("</body></html>")
    }

    private mutating func add(_ line: String) { text += line + "\n" }

    private func summary(of report: CoverageReport) -> String {
        guard !report.digest.isEmpty else { return "<p class=note>The database has no rules.</p>" }
        let rules = "Rules <code>\(CoveragePage.escaped(report.digest))</code>"
        guard report.isCounting, let since = report.sinceMilliseconds else {
            return "<p class=note>\(rules). The node does not count: "
                + "<code>POST /.inspect/coverage.json</code> starts it.</p>"
        }
        let date = HTTPDate(unixSeconds: min(max(0, Int64(since) / 1_000), 253_402_300_799)).text
        return "<p class=note>\(rules), counted since \(date): "
            + "\(report.judged) operations of users, \(report.outcomesSeen) of \(report.outcomes) outcomes seen. "
            + "<code>DELETE /.inspect/coverage.json</code> ends it.</p>"
    }

    private mutating func add(_ rule: CoverageReport.CountedRule) {
        let name = CoveragePage.escaped("\(rule.kind) of \(rule.location)")
        add("<h2>\(name) <span class=note>line \(rule.line), column \(rule.column)</span></h2>")
        add("<pre>\(CoveragePage.escaped(rule.expression))</pre>")
        let outcomes = ["true", "false", "error"].map { "<th class=number>\($0)" }
        add("<table><tr><th>part\(outcomes.joined())<th></tr>")
        if rule.parts.isEmpty {
            add(
                row(
                    rule.expression, rule.counts,
                    gap: rule.counts.isEmpty ? "was never reached" : nil))
        }
        for part in rule.parts { add(row(part.text, part.counts, gap: part.gap)) }
        add("</table>")
    }

    private func row(_ part: String, _ counts: CoverageReport.Counts, gap: String?) -> String {
        let cells = [counts.isTrue, counts.isFalse, counts.fails].map { "<td class=number>\($0)" }
        let kind = counts.isEmpty ? "never" : gap == nil ? "seen" : "half"
        return "<tr class=\(kind)><td><code>\(CoveragePage.escaped(part))</code>"
            + cells.joined() + "<td>\(CoveragePage.escaped(gap ?? ""))</tr>"
    }

    /// Returns text with escaped HTML characters.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static let start = """
        <!doctype html>
        <html lang=en><head><meta charset=utf-8><title>Coverage of rules</title>
        <meta name=viewport content="width=device-width">
        <style>
        body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
        h1 { font-size: 1.4rem } h2 { font-size: 1.05rem; margin: 2rem 0 .3rem }
        .note { color: #666; font-weight: normal; font-size: .9rem }
        pre, code { font: 13px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
        pre { background: #f5f5f5; padding: .6rem .8rem; margin: .3rem 0 .6rem }
        table { border-collapse: collapse; width: 100%; table-layout: fixed }
        th { text-align: left; font-weight: normal; color: #666 } th, td { padding: .2rem .6rem; vertical-align: top }
        th:first-child { width: 45% } th:last-child { width: 25% }
        tr { border-bottom: 1px solid #ddd } .number, th.number { text-align: right; font-variant-numeric: tabular-nums }
        .seen { background: #eaf6ea } .half { background: #fdf3d8 } .never { background: #fbe4e1 }
        </style></head><body>

        """
}

extension Answer {
    /// The answer with the page of a report.
    init(page report: CoverageReport) {
        let page = CoveragePage(report)
        self.init(AnswerText(Array(page.text.utf8)), type: "text/html; charset=utf-8")
        append(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
                + "frame-ancestors 'none'")
    }
}
