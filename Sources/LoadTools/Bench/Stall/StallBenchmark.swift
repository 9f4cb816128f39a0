internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import Sockets
internal import SyncProtocol
internal import TLS

/// How long other clients wait while one client sends expensive requests, on a cluster of three nodes of its own.
struct StallBenchmark {
    struct Measurement {
        var row: StallRow
        var waits: StallProbes.Result
        /// Requests of the hostile client that were refused, or whose connection ended.
        var refused: Int
        /// How often a node lost contact with a peer.
        var lostContacts: Int
        /// How often the coordinator's lease ended.
        var lostLeases: Int
        /// Processor time of all nodes.
        var cpuSeconds: Double
        /// The most memory that one node held.
        var peakMegabytes: Double
    }

    /// The records of the list; fewer than 100,000 scale the number of requests down.
    let records: Int
    /// How long the row `mixed` takes.
    let seconds: Int
    let progress: StallProgress

    private static let patience = Duration.seconds(90)

    func run(_ row: StallRow) throws(CommandError) -> Measurement {
        progress.show("\(row.rawValue): starting three nodes")
        let owner = row == .rules ? RulesBenchmark.owner : nil
        return try TemporaryCluster.with(3, durability: "commit", owner: owner) {
            (cluster) throws(CommandError) in
            defer { progress.clear() }
            var load = StallLoad(
                on: cluster, records: records, seconds: seconds, showing: owner)
            try load.prepare(row) { progress.show("\(row.rawValue): \($0)") }
            progress.show("\(row.rawValue): waiting until all nodes hold the list")
            let nodes = StalledNodes(cluster, showing: owner)
            try nodes.waitUntilSettled(records)
            progress.show("\(row.rawValue): \(row.summary)")
            return try measure(row, &load, nodes, cluster, owner)
        }
    }

    private func measure(
        _ row: StallRow, _ load: inout StallLoad, _ nodes: StalledNodes,
        _ cluster: TemporaryCluster, _ owner: Secret?
    ) throws(CommandError) -> Measurement {
        let before = (nodes.lostContacts, nodes.term, ProcessUsage.total(of: cluster.processes))
        let probes = try StallProbes(to: nodes.addresses, showing: owner)
        pause(milliseconds: 300)
        var failure: CommandError?
        do throws(CommandError) {
            try load.send(row)
            try nodes.waitUntilIdle(within: Self.patience)
        } catch {
            failure = error
        }
        let waits = probes.finish()
        if let failure { throw failure }
        let usage = ProcessUsage.total(of: cluster.processes)
        return Measurement(
            row: row, waits: waits, refused: load.refused,
            lostContacts: nodes.lostContacts - before.0, lostLeases: nodes.term - before.1,
            cpuSeconds: usage.cpuSeconds - before.2.cpuSeconds,
            peakMegabytes: usage.peakMegabytes)
    }
}

/// Shows on a terminal what a long benchmark does at the moment.
struct StallProgress {
    private let terminal = Terminal.standardError

    func show(_ text: String) {
        if terminal.isInteractive { terminal.write("\r\(text)\u{1B}[K") }
    }

    func clear() { show("") }
}

/// The nodes that the benchmark observes.
struct StalledNodes {
    let addresses: [HTTPAddress]
    private let cluster: TemporaryCluster
    private let probe: StatusProbe

    init(_ cluster: TemporaryCluster, showing secret: Secret?) {
        self.cluster = cluster
        addresses = cluster.addresses.compactMap { HTTPAddress($0) }
        probe = StatusProbe(showing: secret)
    }

    /// How often the nodes' logs say that a node lost contact with a peer.
    var lostContacts: Int {
        cluster.cluster.file.nodes.map { node in
            let log = readFile(cluster.cluster.log(of: node)) ?? []
            return String(decoding: log, as: UTF8.self).split(separator: "\n")
                .count { $0.contains("lost contact with") }
        }.reduce(0, +)
    }

    /// The number of the newest lease that a node knows.
    var term: Int { statuses.compactMap { $0?.coordination.term }.max() ?? 0 }

    private var statuses: [NodeStatus?] {
        probe.answers(of: addresses, within: .seconds(5)).map(\.outcome.report)
    }

    /// Waits until all nodes hold the same, know a coordinator and are idle; with many records, also until the nodes
    /// remember no writes.
    func waitUntilSettled(_ records: Int) throws(CommandError) {
        let deadline = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < deadline {
            try StopRequest.check()
            let reports = statuses.compactMap(\.self)
            let isEqual =
                reports.count == addresses.count
                && Set(reports.map(\.data.operations)).count == 1
                && reports.allSatisfy { $0.data.lag == 0 && $0.coordination.coordinator != nil }
            let isStable = records < 10_000 || reports.allSatisfy { $0.data.registers < 100 }
            if isEqual, isStable { break }
            pause(milliseconds: 100)
        }
        try waitUntilIdle(within: .seconds(60))
    }

    /// Waits until the nodes have used little processor time for a second.
    func waitUntilIdle(within limit: Duration) throws(CommandError) {
        let deadline = ContinuousClock.now + limit
        var used = ProcessUsage.total(of: cluster.processes).cpuSeconds
        while ContinuousClock.now < deadline {
            try StopRequest.check()
            pause(milliseconds: 1_000)
            let now = ProcessUsage.total(of: cluster.processes).cpuSeconds
            if now - used < Self.idleSeconds { return }
            used = now
        }
    }

    /// The processor time that three nodes may use in a second while the benchmark's own small requests continue.
    private static let idleSeconds = 0.6
}
