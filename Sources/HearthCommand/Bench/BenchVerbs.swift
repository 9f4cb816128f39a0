internal import DataTree
internal import JSONText

extension Verb {
    static let bench = Verb(
        "bench", "Measures a cluster of its own, on this machine.",
        verbs: [benchAppend, benchRecovery],
        examples: ["hearth bench append", "hearth bench append --durability interval --json"])

    private static let durability = Option(
        "durability", "MODE",
        "When a write counts as done: commit (on disk), interval (on disk within a second) or "
            + "memory (never on disk); commit.",
        values: .oneOf(["commit", "interval", "memory"]))
    private static let appends = Option(
        "appends", "NUMBER", "How many records the largest work appends; 100000.")
    private static let json = Option(flag: "json", "One JSON object a line.")

    private static let benchAppend = Verb(
        "append",
        "Appends records to one list of a three-node cluster, with a listener on each other node.",
        options: [durability, appends, json],
        examples: [
            "hearth bench append", "hearth bench append --durability interval --json",
        ]
    ) { (invocation) throws(CommandError) in
        let appends = try invocation.integer(appends, in: 1000...10_000_000) ?? 100_000
        let durability = invocation[durability] ?? "commit"
        let report = AppendReport(isJSON: invocation.has(json))
        report.begin(durability: durability)
        for (number, work) in AppendBenchmark.works(appends: appends).enumerated() {
            // A fresh cluster each time, so that no work pays for what another left behind.
            let measurement = try TemporaryCluster.with(3, durability: durability) {
                (cluster) throws(CommandError) in
                try AppendBenchmark(cluster: cluster, durability: durability)
                    .run(work, number: number)
            }
            report.show(measurement)
        }
        return .success
    }
}

extension Verb {
    private static let records = Option(
        "records", "NUMBER", "How many records are on disk; 1000000.")

    private static let benchRecovery = Verb(
        "recovery", "Starts a node with many records on disk, three times.",
        options: [records, durability, json],
        examples: ["hearth bench recovery", "hearth bench recovery --records 100000 --json"]
    ) { (invocation) throws(CommandError) in
        let records = try invocation.integer(records, in: 1...100_000_000) ?? 1_000_000
        let durability = invocation[durability] ?? "commit"
        try TemporaryCluster.with(1, durability: durability) { (cluster) throws(CommandError) in
            let benchmark = RecoveryBenchmark(cluster: cluster)
            try benchmark.fill(with: records)
            for _ in 0..<3 {
                let measurement = try benchmark.restart()
                StandardOutput.shared.print(
                    invocation.has(json) ? measurement.json(records: records) : measurement.row)
                StandardOutput.shared.flush()
            }
        }
        return .success
    }
}

/// Prints measurements as they come, for people or for programs.
private struct AppendReport {
    let isJSON: Bool

    func begin(durability: String) {
        guard !isJSON else { return }
        print("durability \(durability); latencies in microseconds, 50th / 99th percentile", [])
        print("", [])
        print(
            "work",
            [
                "clients", "acked/s", "delivered/s", "ack p50", "p99", "event p50", "p99",
                "CPU s/100k", "peak MB",
            ])
    }

    func show(_ measurement: AppendBenchmark.Measurement) {
        isJSON ? showJSON(measurement) : showRow(measurement)
        StandardOutput.shared.flush()
    }

    private func showRow(_ measurement: AppendBenchmark.Measurement) {
        var measurement = measurement
        print(
            measurement.work,
            [
                String(measurement.clients), whole(measurement.acknowledgedPerSecond),
                whole(measurement.deliveredPerSecond),
                text(measurement.acknowledgements.percentile(0.5)),
                text(measurement.acknowledgements.percentile(0.99)),
                text(measurement.events.percentile(0.5)),
                text(measurement.events.percentile(0.99)),
                hundredths(measurement.serverSecondsPer100k), whole(measurement.peakMegabytes),
            ])
    }

    private func showJSON(_ measurement: AppendBenchmark.Measurement) {
        var measurement = measurement
        let members: [(String, Value)] = [
            ("work", .string(measurement.work)),
            ("durability", .string(measurement.durability)),
            ("clients", .integer(Int64(measurement.clients))),
            ("ackedPerSecond", number(measurement.acknowledgedPerSecond)),
            ("deliveredPerSecond", number(measurement.deliveredPerSecond)),
            ("ackMicrosecondsP50", number(measurement.acknowledgements.percentile(0.5))),
            ("ackMicrosecondsP99", number(measurement.acknowledgements.percentile(0.99))),
            ("eventMicrosecondsP50", number(measurement.events.percentile(0.5))),
            ("eventMicrosecondsP99", number(measurement.events.percentile(0.99))),
            (
                "serverCPUSecondsPer100k",
                Number.double((measurement.serverSecondsPer100k * 1000).rounded() / 1000).value
            ),
            ("peakMegabytes", number(measurement.peakMegabytes)),
        ]
        // In the order of the columns, which an object of the data model does not keep.
        let text = members.map { "\"\($0)\":" + JSONWriter.text(of: $1) }
        StandardOutput.shared.print("{" + text.joined(separator: ",") + "}")
    }

    private func print(_ name: String, _ cells: [String]) {
        let padded = cells.map { String(repeating: " ", count: max(0, 12 - $0.count)) + $0 }
        let spaces = cells.isEmpty ? "" : String(repeating: " ", count: max(0, 14 - name.count))
        StandardOutput.shared.print(name + spaces + padded.joined())
        StandardOutput.shared.flush()
    }

    private func number(_ number: Double) -> Value { Number.double(number.rounded()).value }
    private func number(_ number: UInt32?) -> Value { number.map { .integer(Int64($0)) } ?? .null }
    private func whole(_ number: Double) -> String { String(Int(number.rounded())) }
    private func text(_ number: UInt32?) -> String { number.map { String($0) } ?? "-" }

    private func hundredths(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100)." + (rest < 10 ? "0\(rest)" : "\(rest)")
    }
}
