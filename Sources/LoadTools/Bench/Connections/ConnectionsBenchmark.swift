internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Sockets

/// Many connections at one node, of which each listens to one location and receives nothing; then all of them at once are lost and
/// connect again.
struct ConnectionsBenchmark {
    struct Measurement {
        var listenProtocol: ListenProtocol
        var connections: Int
        var connectSeconds: Double
        /// The node's memory for a connection.
        var kilobytes: Double
        /// The node's processor time while nothing happens, in percent of one processor.
        var idlePercent: Double
        /// From the loss of all connections until all clients listen again.
        var reconnectSeconds: Double
        /// Connections that the node refused or closed.
        var refused: Int
        /// The waits of other clients while all clients connect again.
        var waits: StallProbes.Result
    }

    let connections: Int
    let idleSeconds: Int

    private static let target = ListenTarget(
        path: Path([Key(unchecked: "bench"), Key(unchecked: "connections")]))

    func run(_ listenProtocol: ListenProtocol) throws(CommandError) -> Measurement {
        try ListenerPool.allow(connections)
        return try TemporaryCluster.with(
            1, durability: "interval",
            settings: ListenerPool.settings(forConnections: connections)
        ) { (cluster) throws(CommandError) in try measure(listenProtocol, cluster) }
    }

    private func measure(
        _ listenProtocol: ListenProtocol, _ cluster: TemporaryCluster
    ) throws(CommandError) -> Measurement {
        let (process, address) = (cluster.processes[0], cluster.addresses[0])
        let target = ConnectionsBenchmark.target
        // The first connections allocate memory that does not depend on their number.
        var pool = ListenerPool(at: address, target, by: listenProtocol, generation: 2)
        _ = try pool.connect(10)
        let empty = ProcessUsage(of: process)
        pool = ListenerPool(at: address, target, by: listenProtocol)
        let connectSeconds = try pool.connect(connections)
        try idle(seconds: 2)
        let full = ProcessUsage(of: process)
        try idle(seconds: idleSeconds)
        let later = ProcessUsage(of: process)
        var refused = pool.refused
        let (seconds, waits) = try reconnect(&pool, at: address, listenProtocol)
        refused += pool.refused
        return Measurement(
            listenProtocol: listenProtocol, connections: connections,
            connectSeconds: connectSeconds,
            kilobytes: (full.residentMegabytes - empty.residentMegabytes) * 1024
                / Double(connections),
            idlePercent: (later.cpuSeconds - full.cpuSeconds) / Double(idleSeconds) * 100,
            reconnectSeconds: seconds, refused: refused, waits: waits)
    }

    /// Closes all connections at once, and connects as many anew while other clients send small requests.
    private func reconnect(
        _ pool: inout ListenerPool, at node: String, _ listenProtocol: ListenProtocol
    ) throws(CommandError) -> (seconds: Double, waits: StallProbes.Result) {
        let probes = try StallProbes(to: HTTPAddress(node).map { [$0] } ?? [], showing: nil)
        pause(milliseconds: 300)
        let start = monotonicNanoseconds()
        pool.close()
        pool = ListenerPool(
            at: node, ConnectionsBenchmark.target, by: listenProtocol, generation: 1)
        do throws(CommandError) {
            _ = try pool.connect(connections)
        } catch {
            _ = probes.finish()
            throw error
        }
        return (Double(monotonicNanoseconds() - start) / 1e9, probes.finish())
    }

    private func idle(seconds: Int) throws(CommandError) {
        for _ in 0..<seconds * 10 {
            try StopRequest.check()
            pause(milliseconds: 100)
        }
    }
}
