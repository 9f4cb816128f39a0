internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import TLS

/// The works W1 and W2 of the benchmarks, on a cluster of three nodes of its own.
///
/// W1: eight connections append as fast as they can, and at a fixed pace. W2: each connection waits for
/// its acknowledgement. One listener on each of the other two nodes waits for every record.
struct AppendBenchmark {
    /// One line of the report.
    struct Measurement {
        var work: String
        var durability: String
        var clients: Int
        var acknowledgedPerSecond: Double
        /// Appends that reached both listeners, per second.
        var deliveredPerSecond: Double
        var acknowledgements: Latencies
        var events: Latencies
        /// Processor time of all three nodes for 100,000 appends.
        var serverSecondsPer100k: Double
        /// The most memory that one node ever held.
        var peakMegabytes: Double
    }

    /// A work of the benchmark.
    struct Work {
        var name: String
        var clients: Int
        var appends: Int
        var pace: AppendLoad.Pace
    }

    static func works(appends: Int) -> [Work] {
        [
            Work(name: "W1", clients: 8, appends: appends, pace: .pipelined(window: 1000)),
            Work(name: "W1 at 2000/s", clients: 8, appends: 10_000, pace: .fixed(perSecond: 2000)),
            Work(name: "W2", clients: 1, appends: appends / 20, pace: .pipelined(window: 1)),
            Work(name: "W2", clients: 8, appends: appends / 5, pace: .pipelined(window: 1)),
            Work(name: "W2", clients: 64, appends: appends / 2, pace: .pipelined(window: 1)),
        ]
    }

    let cluster: TemporaryCluster
    let durability: String
    var identities = AppendLoad.Identities()

    func run(_ work: Work, number: Int) throws(CommandError) -> Measurement {
        try run(work, in: Path([Key(unchecked: "bench"), Key(unchecked: "list\(number)")]))
    }

    func run(_ work: Work, in list: Path) throws(CommandError) -> Measurement {
        let before = ProcessUsage.total(of: cluster.processes)
        var load = try makeLoad(work, list)
        let result = try load.run()
        let after = ProcessUsage.total(of: cluster.processes)
        let appends = Double(work.appends)
        return Measurement(
            work: work.name, durability: durability, clients: work.clients,
            acknowledgedPerSecond: appends / result.acknowledgedSeconds,
            deliveredPerSecond: appends / result.deliveredSeconds,
            acknowledgements: result.acknowledgements, events: result.events,
            serverSecondsPer100k: (after.cpuSeconds - before.cpuSeconds) / appends * 100_000,
            peakMegabytes: after.peakMegabytes)
    }

    private func makeLoad(_ work: Work, _ list: Path) throws(CommandError) -> AppendLoad {
        try AppendLoad(
            to: cluster.addresses[0], listeningAt: Array(cluster.addresses.dropFirst()),
            connections: work.clients, list: list, appends: work.appends, pace: work.pace,
            as: identities)
    }
}

extension AppendLoad {
    /// The credentials of the connections that append, and of the listeners.
    struct Identities {
        var writers: Secret?
        var listeners: Secret?
    }
}
