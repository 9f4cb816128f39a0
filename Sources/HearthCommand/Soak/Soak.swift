internal import DataTree
internal import Glibc
internal import JSONText

/// `hearth soak`: real nodes under real faults, and whether anything was lost.
struct Soak {
    static let verb = Verb(
        "soak",
        "Writes to a cluster of its own while nodes are killed, paused and robbed of their disks; then "
            + "checks that nothing acknowledged was lost.",
        options: [nodes, clients, seconds, durability, seed, history, json],
        examples: [
            "hearth soak", "hearth soak --nodes 5 --seconds 600 --seed 7 --history soak.jsonl",
        ]
    ) { (invocation) throws(CommandError) in
        let count = try invocation.integer(nodes, in: 3...15) ?? 5
        let durability = invocation[durability] ?? "commit"
        return try TemporaryCluster.with(count, durability: durability) {
            (cluster) throws(CommandError) in
            try Soak(cluster: cluster.cluster, invocation).run()
        }
    }

    private static let nodes = Option("nodes", "NUMBER", "How many nodes; 5.")
    private static let clients = Option("clients", "NUMBER", "How many clients write; 8.")
    private static let seconds = Option("seconds", "SECONDS", "How long they write; 60.")
    private static let durability = Option(
        "durability", "MODE", "The nodes' durability mode; commit.",
        values: .oneOf(["commit", "interval", "memory"]))
    private static let seed = Option(
        "seed", "N", "Draws the faults and the clients' work; by default from the time.")
    private static let history = Option(
        "history", "FILE",
        "Write what each client asked, and what came of it, one JSON object a line.",
        values: .file)
    private static let json = Option(flag: "json", "Print one JSON object a claim.")

    private let cluster: Cluster
    private let invocation: Invocation
    private let duration: Duration
    private let seed: UInt64
    private let start = ContinuousClock.now

    private init(cluster: Cluster, _ invocation: Invocation) throws(CommandError) {
        self.cluster = cluster
        self.invocation = invocation
        duration = try invocation.duration(Soak.seconds) ?? .seconds(60)
        let given = try invocation.integer(Soak.seed, in: 0...Int.max)
        seed = given.map { UInt64($0) } ?? wallClockMilliseconds()
    }

    private func run() throws(CommandError) -> ExitStatus {
        var clients: [SoakClient] = []
        let count = try invocation.integer(Soak.clients, in: 1...100) ?? 8
        for index in 0..<count {
            let seed = seed &+ UInt64(index) &* 7919
            clients.append(try SoakClient(index, of: cluster.file.nodes, seed: seed, since: start))
        }
        var faults = SoakFaults(cluster, seed: seed)
        try write(clients, &faults)
        try faults.endAll()
        for client in clients { client.finish(within: .seconds(20)) }
        let trees = try settledTrees()
        try faults.countLastRepairs()
        let check = SoakCheck(
            records: clients.flatMap(\.records), reads: clients.flatMap(\.reads), trees: trees,
            wipes: faults.wipes.map {
                .init(
                    node: $0.node, milliseconds: Int(start.duration(to: $0.time) / .milliseconds(1))
                )
            })
        try save(check)
        return report(check, faults)
    }

    private func write(_ clients: [SoakClient], _ faults: inout SoakFaults) throws(CommandError) {
        var progress = Progress(of: Int(duration / .seconds(1)), "seconds")
        var ticks = 0
        while start.duration(to: .now) < duration {
            try StopRequest.check()
            try faults.advance()
            for client in clients { client.write() }
            // One of the clients moves, each third of a second.
            ticks += 1
            if ticks.isMultiple(of: 17) { clients[ticks / 17 % clients.count].move() }
            progress.show(Int(start.duration(to: .now) / .seconds(1)))
            pause(milliseconds: 20)
        }
        progress.finish(Int(duration / .seconds(1)))
    }

    /// All trees, once they are equal, or after a minute.
    private func settledTrees() throws(CommandError) -> [(node: String, tree: Value)] {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            try StopRequest.check()
            var trees: [(node: String, tree: Value)] = []
            for node in cluster.file.nodes {
                let tree = try? NodeClient(nodes: [node.client]).get(.root)
                trees.append((node.id, tree ?? .null))
            }
            let areEqual = trees.allSatisfy { $0.tree == trees[0].tree && !$0.tree.isNull }
            if areEqual || ContinuousClock.now > deadline { return trees }
            pause(milliseconds: 200)
        }
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
        let counts = SoakFaults.Kind.allCases.map { "\(faults.counts[$0] ?? 0) \($0.rawValue)s" }
        if !invocation.has(Soak.json) {
            StandardOutput.shared.print(
                "\(records.count { $0.outcome == .acknowledged }) of \(records.count) writes "
                    + "acknowledged, \(records.count { $0.outcome == .unknown }) unknown, "
                    + "\(records.count { $0.outcome == .done }) done without most nodes; "
                    + counts.joined(separator: ", ")
                    + "; \(faults.repairs); \(check.exemptedCount) left out because the "
                    + "disk of their node was lost within two seconds; seed \(seed)")
        }
        return findings.allSatisfy(\.holds) ? .success : .checkFailed
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
