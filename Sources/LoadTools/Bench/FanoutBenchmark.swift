internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree

/// The work W3: one writer appends to a list at a fixed pace, and many connections listen to it, all at
/// one node of three.
struct FanoutBenchmark {
    struct Measurement {
        var durability: String
        var listenProtocol: ListenProtocol
        var subscribers: Int
        var writesPerSecond: Double
        var deliveriesPerSecond: Double
        var acknowledgements: Latencies
        /// From the write to its event, each of all listeners.
        var events: Latencies
        /// Processor time of all three nodes for a delivery.
        var microsecondsPerDelivery: Double
        var peakMegabytes: Double
    }

    let subscribers: Int
    let writes: Int
    let writesPerSecond: Int
    let listenProtocol: ListenProtocol

    private static let list = Path([Key(unchecked: "bench"), Key(unchecked: "fanout")])
    private static let record: Children = {
        var record = Children()
        record[Key(unchecked: "text")] = .string(
            "a message of the length that people type into a chat, most of the time and some more")
        return record
    }()

    func run(durability: String) throws(CommandError) -> Measurement {
        try ListenerPool.allow(subscribers)
        return try TemporaryCluster.with(
            3, durability: durability,
            settings: ListenerPool.settings(forConnections: subscribers)
        ) { (cluster) throws(CommandError) in
            try run(on: cluster, durability: durability)
        }
    }

    private func run(
        on cluster: TemporaryCluster, durability: String
    ) throws(CommandError) -> Measurement {
        let node = cluster.addresses[0]
        var pool = ListenerPool(
            at: node, ListenTarget(path: FanoutBenchmark.list), by: listenProtocol)
        _ = try pool.connect(subscribers)
        var load = try FanoutLoad(
            [pool], writers: [try NodeSocket(loading: node)], to: FanoutBenchmark.list
        ) { _ in FanoutBenchmark.record }
        let before = ProcessUsage.total(of: cluster.processes)
        let seconds = try load.write(writes, perSecond: writesPerSecond)
        let after = ProcessUsage.total(of: cluster.processes)
        let deliveries = Double(writes * subscribers)
        return Measurement(
            durability: durability, listenProtocol: listenProtocol, subscribers: subscribers,
            writesPerSecond: Double(writes) / seconds,
            deliveriesPerSecond: deliveries / seconds, acknowledgements: load.acknowledgements,
            events: load.events,
            microsecondsPerDelivery: (after.cpuSeconds - before.cpuSeconds) / deliveries * 1e6,
            peakMegabytes: after.peakMegabytes)
    }
}
