internal import ClusterAdministration
package import CommandLineKit

extension Verb {
    package static let bench = Verb(
        "bench", "Measures a cluster of its own, or the simulator, on this machine.",
        verbs: [
            benchAppend, benchFanout, benchChat, benchQuery, benchTransaction, benchRecovery,
            benchStall,
            benchConnections,
            benchSimulation,
        ],
        examples: ["hearth bench append", "hearth bench append --durability interval --json"])

    private static let durability = NodeOptions.durability

    private static let benchSimulation = Verb(
        "sim",
        "Runs fixed scenarios of the simulator on one thread, by whose processor time all rates are.",
        in: .simulator, examples: ["hearth bench sim"])

    // MARK: append

    private static let appends = Option(
        "appends", "NUMBER", "How many records the largest work appends; 100000.")

    private static let benchAppend = Verb(
        "append",
        "Appends records to one list of a three-node cluster, with a listener on each other node.",
        options: [durability, appends] + BenchReport.options + RulesBenchmark.options,
        examples: [
            "hearth bench append", "hearth bench append --durability interval --json",
            "hearth bench append --rules typical --rounds 10",
            "hearth bench append --rules rules.json --as ada",
            "hearth bench append --html append.html",
        ]
    ) { (invocation) throws(CommandError) in
        let appends = try invocation.integer(appends, in: 1000...10_000_000) ?? 100_000
        let durability = invocation[durability] ?? "commit"
        var report = BenchReport(invocation)
        let rules = try RulesBenchmark(invocation, appends: appends, durability: durability)
        report.begin("durability \(durability); latencies in microseconds")
        if let rules {
            try rules.run(showing: &report)
            return try report.end()
        }
        for (number, work) in AppendBenchmark.works(appends: appends).enumerated() {
            // A fresh cluster each time, so that no work pays for what another left behind.
            let measurement = try TemporaryCluster.with(3, durability: durability) {
                (cluster) throws(CommandError) in
                try AppendBenchmark(cluster: cluster, durability: durability)
                    .run(work, number: number)
            }
            report.show(measurement.fields)
        }
        return try report.end()
    }

    // MARK: fanout

    private static let subscribers = Option(
        "subscribers", "NUMBER", "How many connections listen to the list; 1000.")
    private static let writes = Option("writes", "NUMBER", "How many records are written; 2000.")
    private static let rate = Option("rate", "NUMBER", "How many records a second; 200.")
    private static let listenProtocol = Option(
        "protocol", "NAME", "How they listen: \(ListenProtocol.names); native.")

    private static let benchFanout = Verb(
        "fanout",
        "Writes to one list at a fixed pace, to which many connections at one node listen.",
        options: [durability, subscribers, writes, rate, listenProtocol] + BenchReport.options,
        examples: [
            "hearth bench fanout", "hearth bench fanout --durability interval --subscribers 100",
            "hearth bench fanout --protocol events --subscribers 10000 --rate 20 --writes 200",
        ]
    ) { (invocation) throws(CommandError) in
        let benchmark = FanoutBenchmark(
            subscribers: try invocation.integer(subscribers, in: 1...500_000) ?? 1_000,
            writes: try invocation.integer(writes, in: 1...1_000_000) ?? 2_000,
            writesPerSecond: try invocation.integer(rate, in: 1...100_000) ?? 200,
            listenProtocol: try ListenProtocol(invocation, listenProtocol) ?? .native)
        let durability = invocation[durability] ?? "commit"
        var report = BenchReport(invocation)
        report.begin("durability \(durability); latencies in microseconds")
        report.show(try benchmark.run(durability: durability).fields)
        return try report.end()
    }

    // MARK: query

    private static let records = Option(
        "records", "NUMBER", "How many records the list has; 1000000.")
    private static let queries = Option("queries", "NUMBER", "How many queries are asked; 50000.")

    private static let benchQuery = Verb(
        "query",
        "Asks a node for a hundred records of a long list at a time, by key and by a field.",
        options: [records, queries] + BenchReport.options,
        examples: ["hearth bench query", "hearth bench query --records 100000 --json"]
    ) { (invocation) throws(CommandError) in
        let benchmark = QueryBenchmark(
            records: try invocation.integer(records, in: 100...10_000_000) ?? 1_000_000,
            queries: try invocation.integer(queries, in: 10...10_000_000) ?? 50_000)
        var report = BenchReport(invocation)
        report.begin("one node with \(benchmark.records) records; latencies in microseconds")
        try TemporaryCluster.with(1, durability: "interval") { (cluster) throws(CommandError) in
            try benchmark.load(cluster)
            for work in QueryBenchmark.Work.allCases {
                report.show(try benchmark.run(work, on: cluster).fields)
            }
        }
        return try report.end()
    }

    // MARK: transaction

    private static let transactions = Option(
        "transactions", "NUMBER", "How many transactions each work commits; 5000.")

    private static let benchTransaction = Verb(
        "transaction",
        "Increments counters by transactions at all three nodes: a counter for each client, then one for all.",
        options: [durability, transactions] + BenchReport.options,
        examples: [
            "hearth bench transaction", "hearth bench transaction --durability interval --json",
        ]
    ) { (invocation) throws(CommandError) in
        let durability = invocation[durability] ?? "commit"
        let benchmark = TransactionBenchmark(
            transactions: try invocation.integer(transactions, in: 100...10_000_000) ?? 5_000,
            durability: durability)
        var report = BenchReport(invocation)
        report.begin("durability \(durability); latencies in microseconds")
        for work in TransactionBenchmark.works {
            let measurement = try TemporaryCluster.with(3, durability: durability) {
                (cluster) throws(CommandError) in
                try benchmark.run(work, on: cluster)
            }
            report.show(measurement.fields)
        }
        return try report.end()
    }

    // MARK: recovery

    private static let recoveredRecords = Option(
        "records", "NUMBER", "How many records are on disk; 1000000.")

    private static let benchRecovery = Verb(
        "recovery",
        "Starts a node with many records on disk: right after they were written, and later.",
        options: [recoveredRecords, durability] + BenchReport.options,
        examples: ["hearth bench recovery", "hearth bench recovery --records 100000 --json"]
    ) { (invocation) throws(CommandError) in
        let records = try invocation.integer(recoveredRecords, in: 1...100_000_000) ?? 1_000_000
        let durability = invocation[durability] ?? "commit"
        var report = BenchReport(invocation)
        report.begin("durability \(durability)")
        try TemporaryCluster.with(1, durability: durability) { (cluster) throws(CommandError) in
            let benchmark = RecoveryBenchmark(cluster: cluster)
            try benchmark.fill(with: records)
            for _ in 0..<3 {
                report.show(try benchmark.restart().fields("W5 at once", records: records))
            }
            try benchmark.quiesce(records)
            for _ in 0..<3 {
                report.show(try benchmark.restart().fields("W5 later", records: records))
            }
        }
        return try report.end()
    }
}

// MARK: - Columns

extension AppendBenchmark.Measurement {
    var fields: [BenchReport.Field] {
        [
            .name("work", "work", work), .name("durability", "durability", durability),
            .whole("clients", "clients", Double(clients)),
            .whole("acked/s", "ackedPerSecond", acknowledgedPerSecond),
            .whole("delivered/s", "deliveredPerSecond", deliveredPerSecond),
        ] + .latencies("ack", "ack", acknowledgements) + .latencies("event", "event", events) + [
            .fraction("CPU s/100k", "serverCPUSecondsPer100k", serverSecondsPer100k),
            .whole("peak MB", "peakMegabytes", peakMegabytes),
        ]
    }
}

extension FanoutBenchmark.Measurement {
    fileprivate var fields: [BenchReport.Field] {
        [
            .name("work", "work", "W3"), .name("durability", "durability", durability),
            .name("protocol", "protocol", listenProtocol.rawValue),
            .whole("subscribers", "subscribers", Double(subscribers)),
            .whole("writes/s", "writesPerSecond", writesPerSecond),
            .whole("delivered/s", "deliveredPerSecond", deliveriesPerSecond),
        ] + .latencies("ack", "ack", acknowledgements) + .latencies("event", "event", events) + [
            .fraction("CPU us/event", "serverCPUMicrosecondsPerEvent", microsecondsPerDelivery),
            .whole("peak MB", "peakMegabytes", peakMegabytes),
        ]
    }
}

extension QueryBenchmark.Measurement {
    fileprivate var fields: [BenchReport.Field] {
        [
            .name("work", "work", work.rawValue), .whole("clients", "clients", Double(clients)),
            .whole("queries/s", "queriesPerSecond", queriesPerSecond),
        ] + .latencies("answer", "answer", answers) + [
            .fraction("first ms", "firstMilliseconds", firstMilliseconds),
            .fraction("CPU us/query", "serverCPUMicrosecondsPerQuery", serverMicrosecondsPerQuery),
            .whole("peak MB", "peakMegabytes", peakMegabytes),
        ]
    }
}

extension TransactionBenchmark.Measurement {
    fileprivate var fields: [BenchReport.Field] {
        [
            .name("work", "work", work.name), .name("durability", "durability", durability),
            .whole("clients", "clients", Double(work.clients)),
            .whole("commits/s", "committedPerSecond", committedPerSecond),
            .fraction("refused", "refusedPerCommit", refusedPerCommit),
        ] + .latencies("commit", "commit", commits) + [
            .fraction("CPU us", "serverCPUMicrosecondsPerCommit", serverMicrosecondsPerCommit)
        ]
    }
}

extension [BenchReport.Field] {
    fileprivate static func latencies(
        _ title: String, _ name: String, _ latencies: Latencies
    ) -> [BenchReport.Field] { BenchReport.Field.latencies(title, name, latencies) }
}

extension RecoveryBenchmark.Measurement {
    fileprivate func fields(_ work: String, records: Int) -> [BenchReport.Field] {
        [
            .name("work", "work", work), .whole("records", "records", Double(records)),
            .whole("answer ms", "milliseconds", milliseconds),
            .whole("CPU ms", "cpuMilliseconds", cpuSeconds * 1000),
            .whole("MB", "megabytes", megabytes), .whole("disk MB", "diskMegabytes", diskMegabytes),
        ]
    }
}
