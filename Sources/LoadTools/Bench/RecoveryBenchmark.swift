internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import Sockets
internal import SyncProtocol

/// The work W5 of the benchmarks: how long a node takes to start with many records on disk.
///
/// From the start of the process to its first answer to a client.
struct RecoveryBenchmark {
    struct Measurement {
        var milliseconds: Double
        /// Processor time until that answer.
        var cpuSeconds: Double
        var megabytes: Double
        var diskMegabytes: Double
    }

    private static let patience = Duration.seconds(120)

    let cluster: TemporaryCluster

    private var node: Cluster.Node { cluster.cluster.file.nodes[0] }

    /// Appends records to one list, and ends the node in order.
    func fill(with records: Int) throws(CommandError) {
        let list = Path([Key(unchecked: "bench"), Key(unchecked: "list")])
        var load = try AppendLoad(
            to: node.client, listeningAt: [], connections: 8, list: list, appends: records,
            pace: .pipelined(window: 1_000))
        _ = try load.run()
    }

    /// Waits until the node has forgotten its registers, and has written a checkpoint without them. This takes 20 s
    /// for each million records, and not much less for fewer. A few thousand are too few for a checkpoint.
    func quiesce(_ records: Int) throws(CommandError) {
        for _ in 0..<(records < 5_000 ? 2 : max(20, records / 50_000)) {
            pause(milliseconds: 1_000)
            try StopRequest.check()
        }
    }

    /// Restarts the node, and waits until it answers.
    func restart() throws(CommandError) -> Measurement {
        cluster.cluster.stop([node], within: .seconds(60)) { _, _ in }
        let start = ContinuousClock.now
        try cluster.cluster.start(node)
        try waitForAnswer()
        let elapsed = start.duration(to: .now)
        let usage = ProcessUsage.total(of: cluster.processes)
        return Measurement(
            milliseconds: elapsed / .milliseconds(1), cpuSeconds: usage.cpuSeconds,
            megabytes: usage.peakMegabytes, diskMegabytes: diskBytes / 1_048_576)
    }

    private func waitForAnswer() throws(CommandError) {
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            try StopRequest.check()
            if let address = HTTPAddress(node.client), let socket = try? NodeSocket(to: address) {
                socket.send(ClientMessage.ping(id: 1).frame)
                if socket.frame(until: deadline) != nil { return }
            }
            // Nothing listens there yet.
            pause(milliseconds: 5)
        }
        throw CommandError(
            .unavailable, "the node did not answer within \(Self.patience)",
            fix: "append fewer records with --records")
    }

    private var diskBytes: Double {
        ["", "-wal"].reduce(0) { sum, suffix in
            var status = stat()
            let path = cluster.cluster.folder(of: node) + "/log.sqlite" + suffix
            return stat(path, &status) == 0 ? sum + Double(status.st_size) : sum
        }
    }
}
