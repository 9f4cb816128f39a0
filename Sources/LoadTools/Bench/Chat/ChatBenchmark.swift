internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import SyncProtocol
internal import TLS

/// The work W6: a chat room of one cluster. Each client signs in with a token and listens to the last messages. Some of
/// them write, at a fixed pace all together, and rules validate each message.
///
/// A client that writes has a second connection for its writes, of the native protocol.
struct ChatBenchmark {
    struct Measurement {
        var durability: String
        var listenProtocol: ListenProtocol
        var nodes: Int
        var clients: Int
        /// From the first connection until all clients listen.
        var signInSeconds: Double
        var messagesPerSecond: Double
        var acknowledgements: Latencies
        /// From the write of a message to its event, each of all clients.
        var events: Latencies
        /// Processor time of all nodes for a delivery.
        var microsecondsPerDelivery: Double
        /// The most memory that one node ever held.
        var peakMegabytes: Double
    }

    private static let writerLimit = 50

    let nodes: Int
    let clients: Int
    let messages: Int
    let messagesPerSecond: Int
    let listenProtocol: ListenProtocol

    func run(durability: String) throws(CommandError) -> Measurement {
        try ListenerPool.allow(clients)
        return try TemporaryCluster.with(
            nodes, durability: durability,
            settings: ListenerPool.settings(forConnections: clients), owner: RulesBenchmark.owner
        ) { (cluster) throws(CommandError) in
            try prepare(cluster)
            return try run(on: cluster, durability: durability)
        }
    }

    /// Sets the rules, and writes the members and the older messages at all nodes.
    private func prepare(_ cluster: TemporaryCluster) throws(CommandError) {
        try RulesBenchmark.set(ChatRoom.rules, of: cluster)
        let socket = try NodeSocket(
            loading: cluster.addresses[0], showing: RulesBenchmark.owner)
        let content = ChatRoom(clients: clients).content
        socket.send(
            ClientMessage.put(id: 1, path: ChatRoom.path, value: content, concern: .all).frame)
        _ = try socket.acknowledgements()
    }

    private func run(
        on cluster: TemporaryCluster, durability: String
    ) throws(CommandError) -> Measurement {
        let start = monotonicNanoseconds()
        let pools = try connect(to: cluster.addresses)
        let signInSeconds = Double(monotonicNanoseconds() - start) / 1e9
        let writers = try writers(at: cluster.addresses)
        var load = try FanoutLoad(pools, writers: writers, to: ChatRoom.messages) { number in
            ChatRoom.message(from: number % writers.count)
        }
        let before = ProcessUsage.total(of: cluster.processes)
        let seconds = try load.write(messages, perSecond: messagesPerSecond)
        let after = ProcessUsage.total(of: cluster.processes)
        return Measurement(
            durability: durability, listenProtocol: listenProtocol, nodes: nodes, clients: clients,
            signInSeconds: signInSeconds, messagesPerSecond: Double(messages) / seconds,
            acknowledgements: load.acknowledgements, events: load.events,
            microsecondsPerDelivery: (after.cpuSeconds - before.cpuSeconds)
                / Double(messages * clients) * 1e6,
            peakMegabytes: after.peakMegabytes)
    }

    /// Connects the clients in turn to all nodes, until all listen.
    private func connect(to addresses: [String]) throws(CommandError) -> [ListenerPool] {
        let target = ListenTarget(path: ChatRoom.messages, lastChildren: ChatRoom.shown)
        var pools: [ListenerPool] = []
        for (node, address) in addresses.enumerated() {
            var pool = ListenerPool(at: address, target, by: listenProtocol) { index in
                ChatBenchmark.token(of: node + index * addresses.count)
            }
            _ = try pool.connect((clients - node + addresses.count - 1) / addresses.count)
            pools.append(pool)
        }
        return pools
    }

    private func writers(at addresses: [String]) throws(CommandError) -> [NodeSocket] {
        try (0..<min(clients, Self.writerLimit)).map { client throws(CommandError) in
            try NodeSocket(
                loading: addresses[client % addresses.count], showing: Self.token(of: client))
        }
    }

    private static func token(of client: Int) -> Secret {
        RulesBenchmark.token(of: ChatRoom.user(client))
    }
}
