internal import ClusterAdministration
internal import CommandLineKit

extension Verb {
    private static let records = Option(
        "records", "NUMBER",
        "How many records the list has; 100000. Fewer scale the requests down, too.")
    private static let seconds = Option(
        "seconds", "NUMBER", "How long the row mixed takes; 10.")
    private static let only = Option(
        "only", "ROW", "The rows to run, separated by commas: " + StallRow.help + ".")

    static let benchStall = Verb(
        "stall",
        "Measures the longest wait of small requests while another client sends expensive ones.",
        options: [records, seconds, only] + BenchReport.options,
        examples: [
            "hearth bench stall", "hearth bench stall --only orders,patch --records 1000000",
            "hearth bench stall --only mixed --seconds 3600",
        ]
    ) { (invocation) throws(CommandError) in
        let rows = try rows(of: invocation)
        let benchmark = StallBenchmark(
            records: try invocation.integer(records, in: 10...10_000_000) ?? 100_000,
            seconds: try invocation.integer(seconds, in: 1...86_400) ?? 10,
            progress: StallProgress())
        var report = BenchReport(invocation)
        report.begin(
            "three nodes, \(benchmark.records) records; the longest waits, in milliseconds")
        for row in rows { report.show(try benchmark.run(row).fields) }
        return try report.end()
    }

    private static func rows(of invocation: Invocation) throws(CommandError) -> [StallRow] {
        guard let names = invocation[only] else { return StallRow.allCases }
        return try names.split(separator: ",").map { name throws(CommandError) in
            guard let row = StallRow(rawValue: String(name)) else {
                let rows = StallRow.allCases.map(\.rawValue).joined(separator: ", ")
                throw invocation.usageError(
                    "--only \(name) is no row", fix: "name one of \(rows)")
            }
            return row
        }
    }
}

extension StallBenchmark.Measurement {
    fileprivate var fields: [BenchReport.Field] {
        [
            .name("row", "row", row.rawValue),
            .fraction("get", "getMilliseconds", waits.get.milliseconds),
            .fraction("set", "setMilliseconds", waits.set.milliseconds),
            .fraction("peer get", "peerGetMilliseconds", waits.peers.milliseconds),
            .fraction("health", "healthMilliseconds", waits.health.milliseconds),
            .fraction("own pause", "ownPauseMilliseconds", Double(waits.ownNanoseconds) / 1e6),
            .whole("failed", "failed", Double(waits.failures)),
            .whole("contacts", "lostContacts", Double(lostContacts)),
            .whole("leases", "lostLeases", Double(lostLeases)),
            .whole("refused", "refused", Double(refused)),
            .fraction("CPU s", "serverCPUSeconds", cpuSeconds),
            .whole("peak MB", "peakMegabytes", peakMegabytes),
        ]
    }
}
