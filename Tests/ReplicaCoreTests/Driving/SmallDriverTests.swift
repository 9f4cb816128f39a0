import DataTree
import ReplicaCore
import Store
import SyncProtocol
import Testing

/// The driver that `driving.md` shows.
@Suite struct `The small driver` {
    /// Drivers of all members, joined by a network that loses nothing.
    private struct Network {
        var drivers: [String: SmallDriver] = [:]
        var replies: [NodeMessage] = []
        private var now = Moment(wallMilliseconds: 1_700_000_000_000, elapsedMilliseconds: 0)
        private var seed: UInt64 = 0

        mutating func start(
            _ name: String, of members: [String], durability: Durability = .commit,
            on disk: MemoryTables = MemoryTables()
        ) throws {
            seed += 1
            let configuration = ReplicaConfiguration(
                cluster: "test", member: name, peers: members, durability: durability, seed: seed)
            drivers[name] = try SmallDriver(configuration, on: disk)
        }

        /// Delivers an input, and all frames that follow from it.
        mutating func deliver(_ inputs: [Input], to name: String) throws {
            for frame in try drivers[name]?.run(inputs, at: now) ?? [] {
                switch frame {
                case .toPeers(let bytes):
                    for peer in drivers.keys.sorted() where peer != name {
                        try deliver([.published(bytes)], to: peer)
                    }
                case .request(let bytes, let peer):
                    try deliver([.asked(bytes, by: name)], to: peer)
                case .answer(let bytes, let peer):
                    try deliver([.answered(bytes, from: name)], to: peer)
                case .toClient(let bytes, _):
                    for case .message(let reply) in try FrameReader<NodeMessage>.messages(in: bytes)
                    {
                        replies.append(reply)
                    }
                }
            }
        }

        /// The requests that nodes have answered with success.
        var acknowledged: [UInt64] {
            replies.compactMap { if case .ok(let id) = $0 { id } else { nil } }
        }

        /// Runs a turn of each node every 50 ms.
        mutating func pass(milliseconds: UInt64) throws {
            for _ in 0..<milliseconds / 50 {
                now.wallMilliseconds += 50
                now.elapsedMilliseconds += 50
                for name in drivers.keys.sorted() { try deliver([], to: name) }
            }
        }
    }

    private static let client = SessionID(number: 1)

    @Test(arguments: Durability.allCases)
    func `two nodes serve, and a write at one is acknowledged and reaches the other`(
        durability: Durability
    ) throws {
        var network = Network()
        try network.start("n1", of: ["n1", "n2"], durability: durability)
        try network.start("n2", of: ["n1", "n2"], durability: durability)
        try network.pass(milliseconds: 3_000)
        #expect(network.drivers.values.map(\.isServing) == [true, true])

        let put = ClientMessage.put(id: 7, path: "greeting", value: .string("hello"))
        try network.deliver([.requested(put.frame, by: Self.client)], to: "n1")
        #expect(network.acknowledged == [7])
        #expect(network.drivers["n2"]?.replica.value["greeting" as Path] == .string("hello"))
    }

    @Test func `a restarted node has its acknowledged writes`() throws {
        var network = Network()
        try network.start("n1", of: ["n1"])
        try network.pass(milliseconds: 1_000)
        let put = ClientMessage.put(id: 7, path: "greeting", value: .string("hello"))
        try network.deliver([.requested(put.frame, by: Self.client)], to: "n1")
        let disk = try #require(network.drivers["n1"]?.store.tables)
        try network.start("n1", of: ["n1"], on: disk)
        #expect(network.drivers["n1"]?.replica.value["greeting" as Path] == .string("hello"))
    }

    @Test func `a node with another list of members is told to exit`() throws {
        var network = Network()
        try network.start("n1", of: ["n1", "n2"])
        try network.pass(milliseconds: 1_000)
        try network.start("n2", of: ["n1", "n2", "n3"])
        try network.pass(milliseconds: 1_000)
        #expect(network.drivers["n2"]?.exitReason?.contains("n3") == true)
    }
}
