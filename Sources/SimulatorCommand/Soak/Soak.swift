internal import ClusterAdministration
internal import ClusterSimulator
internal import CommandLineKit
internal import DataTree
internal import EventLoop
internal import JSONText
internal import LoadTools

/// `hearth soak`: real nodes under real faults, and a check for losses.
struct Soak {
    static let verb = Verb(
        "soak",
        "Writes to a cluster of its own while nodes are killed, paused and lose their disks; then "
            + "checks that nothing acknowledged was lost.",
        options: [nodes, clients, seconds, bulk, durability, checks, html, seed, history, json],
        examples: [
            "hearth soak", "hearth soak --nodes 5 --seconds 600 --seed 7 --history soak.jsonl",
            "hearth soak --checks", "hearth soak --checks --html reports",
        ]
    ) { (invocation) throws(CommandError) in
        let count = try invocation.integer(nodes, in: 3...15) ?? 5
        let durability = invocation[durability] ?? "commit"
        if invocation.has(checks), invocation.has(history) {
            throw invocation.usageError(
                "\(invocation.name): --checks keeps no --history",
                fix: "leave one of them out; a check shows the requests that it found wrong")
        }
        if !invocation.has(checks), invocation[html] != nil {
            throw invocation.usageError(
                "\(invocation.name): only a soak with --checks records what nodes do",
                fix: "add --checks, or leave --html out")
        }
        if invocation.has(checks), invocation[bulk] != nil {
            throw invocation.usageError(
                "\(invocation.name): --checks loads no --bulk records",
                fix:
                    "leave one of them out; nodes record each turn, and the records would be in each"
            )
        }
        return try TemporaryCluster.with(
            count, durability: durability, recording: invocation.has(checks)
        ) { (cluster) throws(CommandError) in
            var soak = try Soak(cluster, invocation)
            return try invocation.has(checks) ? soak.evaluate() : soak.load()
        }
    }

    private static let nodes = Option("nodes", "NUMBER", "How many nodes; 5.")
    private static let clients = Option("clients", "NUMBER", "How many clients write; 8.")
    private static let seconds = Option("seconds", "SECONDS", "How long they write; 60.")
    private static let bulk = Option(
        "bulk", "RECORDS",
        "How many records to load first, so that a lost disk takes a while to replace; 200000, and none with --checks."
    )
    private static let durability = NodeOptions.durability
    private static let checks = Option(
        flag: "checks",
        "Have nodes record each turn, and judge all by the simulator's checks; clients then send one "
            + "request after the other, at most 20,000 in all.")
    private static let html = Option(
        "html", "FOLDER",
        "With --checks: also write a report of the run to this folder, as one page.",
        values: .file)
    private static let seed = Option(
        "seed", "N", "Draws the faults and the clients' work; by default from the time.")
    private static let history = Option(
        "history", "FILE",
        "Write each request and its outcome to a file, one JSON object a line.",
        values: .file)
    private static let json = Option(flag: "json", "Print one JSON object a claim.")

    private let cluster: Cluster
    /// The folder of the nodes' records.
    private let records: String
    private let invocation: Invocation
    private let duration: Duration
    private let clientCount: Int
    private let bulkCount: Int
    private let seed: UInt64
    private var start = ContinuousClock.now
    private var startMicroseconds = SoakClock.microseconds

    private init(_ cluster: TemporaryCluster, _ invocation: Invocation) throws(CommandError) {
        self.cluster = cluster.cluster
        records = cluster.records
        self.invocation = invocation
        duration = try invocation.duration(Soak.seconds) ?? .seconds(60)
        clientCount = try invocation.integer(Soak.clients, in: 1...100) ?? 8
        bulkCount = try invocation.integer(Soak.bulk, in: 0...10_000_000) ?? 200_000
        let given = try invocation.integer(Soak.seed, in: 0...Int.max)
        seed = given.map { UInt64($0) } ?? Loop.wallClockMilliseconds
    }

    /// Runs clients and faults until quiescence; returns the trees of the nodes then.
    private func drive(
        _ workers: [any SoakWorker], _ faults: inout SoakFaults
    ) throws(CommandError) -> [(node: String, tree: Value)] {
        var progress = Progress(of: Int(duration / .seconds(1)), "seconds")
        var ticks = 0
        while start.duration(to: .now) < duration {
            try StopRequest.check()
            try faults.advance()
            for worker in workers { worker.work() }
            // Every third of a second, one of the clients moves.
            ticks += 1
            if ticks.isMultiple(of: 17) { workers[ticks / 17 % workers.count].move() }
            progress.show(Int(start.duration(to: .now) / .seconds(1)))
            pause(milliseconds: 20)
        }
        progress.finish(Int(duration / .seconds(1)))
        try faults.endAll()
        for worker in workers { worker.finish(within: .seconds(20)) }
        let trees = try cluster.stableTrees()
        try faults.countLastRepairs()
        return trees
    }
}

// MARK: - Claims about values

extension Soak {
    /// Many writes at a time, judged by the nodes' trees at the end.
    private mutating func load() throws(CommandError) -> ExitStatus {
        let bulk = bulkCount > 0 ? SoakBulk(of: bulkCount) : nil
        try bulk?.load(into: cluster.file.nodes)
        (start, startMicroseconds) = (.now, SoakClock.microseconds)
        bulk?.beginReading(at: cluster.file.nodes, seed: seed, since: start)
        defer { _ = bulk?.end() }
        var clients: [SoakClient] = []
        for index in 0..<clientCount {
            let seed = seed &+ UInt64(index) &* 7919
            clients.append(try SoakClient(index, of: cluster.file.nodes, seed: seed, since: start))
        }
        var faults = SoakFaults(cluster, seed: seed)
        let trees = try drive(clients, &faults)
        let check = SoakCheck(
            records: clients.flatMap(\.records), reads: clients.flatMap(\.reads), trees: trees,
            wipes: faults.wipes.map {
                .init(node: $0.node, milliseconds: Int(($0.time - startMicroseconds) / 1_000))
            }, bulk: bulk?.end())
        try save(check)
        return report(check, faults)
    }

    private func save(_ check: SoakCheck) throws(CommandError) {
        guard let file = invocation[Soak.history] else { return }
        let lines = (check.records.map(\.json) + check.reads.map(\.json)).map { $0 + "\n" }.joined()
        try writeFile(file, Array(lines.utf8))
    }

    private func report(_ check: SoakCheck, _ faults: SoakFaults) -> ExitStatus {
        let findings = check.findings
        for finding in findings {
            StandardOutput.shared.print(
                invocation.has(Soak.json) ? finding.json : finding.line)
        }
        let records = check.records
        if !invocation.has(Soak.json) {
            StandardOutput.shared.print(
                "\(records.count { $0.outcome == .acknowledged }) of \(records.count) writes "
                    + "acknowledged, \(records.count { $0.outcome == .unknown }) unknown, "
                    + "\(records.count { $0.outcome == .done }) done on fewer nodes than asked for; "
                    + "\(told(faults)); \(check.exemptedCount) left out because the "
                    + "disk of their node was lost within two seconds; seed \(seed)")
        }
        return findings.allSatisfy(\.holds) ? .success : .checkFailed
    }

    private func told(_ faults: SoakFaults) -> String {
        let counts = SoakFaults.Kind.allCases.map { "\(faults.counts[$0] ?? 0) \($0.rawValue)s" }
        return counts.joined(separator: ", ") + "; \(faults.repairs)"
    }
}

// MARK: - The simulator's checks

extension Soak {
    /// The most requests: the checks judge the state of each node after each turn.
    private static let requestsLimit = 20_000

    /// One request after the other, judged by the records of nodes and clients.
    private func evaluate() throws(CommandError) -> ExitStatus {
        let share = Soak.requestsLimit / clientCount
        let pace = UInt64(duration / .microseconds(1)) / UInt64(share)
        var witnesses: [SoakWitness] = []
        for index in 0..<clientCount {
            witnesses.append(
                try SoakWitness(
                    index, of: clientCount, at: cluster.file.nodes.map(\.client),
                    seed: seed &+ UInt64(index) &* 7919, pace: pace))
        }
        var faults = SoakFaults(cluster, seed: seed)
        let trees = try drive(witnesses, &faults)
        let judgement = try SoakJudgement(
            of: witnesses.map(\.testimony), cluster, recordsIn: records,
            (faults.kills, faults.wipes), durability: invocation[Soak.durability] ?? "commit"
        ) { $0.evaluate(trees: trees.map(\.tree)) }
        for result in judgement.results {
            StandardOutput.shared.print(
                invocation.has(Soak.json) ? result.finding.json : result.finding.line)
        }
        if !invocation.has(Soak.json) {
            StandardOutput.shared.print("\(judgement); \(told(faults)); seed \(seed)")
        }
        try writeReport(judgement, trees: trees.map(\.tree))
        return judgement.results.allSatisfy { $0.verdict == .valid } ? .success : .checkFailed
    }
}

extension Soak {
    /// Writes the report of the run to the folder that the command names.
    private func writeReport(
        _ judgement: SoakJudgement, trees: [Value]
    ) throws(CommandError) {
        guard let folder = invocation[Soak.html] else { return }
        let command =
            "hearth soak --checks --nodes \(cluster.file.nodes.count) --clients \(clientCount) "
            + "--seconds \(Int(duration / .seconds(1))) --seed \(seed)"
        let record = judgement.run.record(
            trees: trees, judgement.results, seed: seed, repeatedBy: command)
        try ReportFolder.make(folder)
        let path = try ReportFolder.write(
            ReportPage(.run, title: "soak, seed \(seed)", records: [record.json]),
            named: "soak-seed-\(seed)", to: folder)
        Terminal.standardError.print("report: \(path)")
    }
}

extension CheckResult {
    fileprivate var finding: SoakCheck.Finding {
        .init(
            claim: check.name, details: ([details] + witness).joined(separator: "\n    "),
            holds: verdict == .valid)
    }
}

extension SoakCheck.Finding {
    fileprivate var line: String {
        let terminal = Terminal.standardOutput
        let mark = holds ? terminal.coloured("ok", .green) : terminal.coloured("VIOLATED", .red)
        return "\(mark)  \(claim): \(details)"
    }

    fileprivate var json: String {
        #"{"claim":"\#(claim)","holds":\#(holds),"details":\#(JSONWriter.text(of: .string(details)))}"#
    }
}
