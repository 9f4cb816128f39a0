internal import CommandLineKit
internal import DataTree
internal import JSONText

/// The page of a benchmark (`--html FILE`): the figures of all measurements, and plots of those that have latencies.
struct BenchPage {
    let path: String
    var heading = ""
    /// The result in one sentence, if the benchmark has one.
    var sentence: String?
    private let title: String
    private var columns: [String] = []
    private var rows: [String] = []

    init(of title: String, in path: String) { (self.title, self.path) = (title, path) }

    /// Adds a measurement, whose first field names it.
    mutating func append(_ fields: [BenchReport.Field]) {
        columns = fields.map(\.title)
        let clients = fields.first { $0.title == "clients" }.map { ", \($0.text) clients" } ?? ""
        let lines = fields.compactMap(\.latencies).map(BenchPage.line)
        rows.append(
            BenchPage.object([
                ("name", BenchPage.text((fields.first?.text ?? "") + clients)),
                ("texts", BenchPage.array(fields.map { BenchPage.text($0.text) })),
                ("values", BenchPage.array(fields.map { JSONWriter.text(of: $0.value) })),
                ("series", BenchPage.array(lines)),
            ]))
    }

    /// Writes the file.
    func write() throws(CommandError) {
        let file = try OutputFile(path)
        let html = ReportPage(.benchmark, title: title, records: [json]).html
        try file.write(Array(html.utf8))
        try file.finish()
    }

    /// The record that `pages/bench.js` shows.
    var json: String {
        let command = (["hearth"] + CommandLine.arguments.dropFirst()).joined(separator: " ")
        return BenchPage.object([
            ("title", BenchPage.text(title)), ("heading", BenchPage.text(heading)),
            ("sentence", sentence.map(BenchPage.text) ?? "null"),
            ("command", BenchPage.text(command)),
            ("columns", BenchPage.array(columns.map(BenchPage.text))),
            ("rows", BenchPage.array(rows)),
        ])
    }

    private static func line(_ name: String, _ latencies: Latencies) -> String {
        object([
            ("name", text(name)),
            (
                "latencies",
                array(latencies.percentiles.map { array(["\($0.nines)", "\($0.microseconds)"]) })
            ),
            ("rates", array(latencies.rates.map { array(["\($0.seconds)", "\($0.perSecond)"]) })),
        ])
    }

    // An object of the data model has no arrays of arrays, and does not keep the order of members.

    private static func text(_ text: String) -> String { JSONWriter.text(of: .string(text)) }

    private static func array(_ elements: [String]) -> String {
        "[\(elements.joined(separator: ","))]"
    }

    private static func object(_ members: [(name: String, json: String)]) -> String {
        "{\(members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}"
    }
}
