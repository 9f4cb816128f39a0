import DataTree
import GatewayCore
import NodeCore
import ReplicaCore
import SyncProtocol

@testable import ClusterSimulator

/// A cluster without faults for one client: frames between nodes, disks and the client's bytes take a few milliseconds each,
/// drawn from a seed, and keep their order.
struct OneClientCluster {
    /// An event at a node or at the client.
    private enum Event {
        case input(NodeInput)
        case turn
        /// The client receives a message on a connection.
        case told(SessionID, OneClientConnection.Told)
    }

    private struct Scheduled {
        let milliseconds: UInt64
        let number: Int
        let node: Int
        let event: Event
    }

    private var cores: [NodeCore]
    /// How long everything takes.
    var random = SplitMix64(seed: 0)
    private var scheduled: [Scheduled] = []
    private var lastNumber = 0
    /// When the last event of each channel is due.
    private var channels: [String: UInt64] = [:]
    private var elapsed: UInt64 = 0
    private var lastConnection: UInt64 = 0
    /// The messages that the client has not read.
    private var told: [(SessionID, OneClientConnection.Told)] = []

    init(nodes count: Int) {
        let names = (1...count).map { "n\($0)" }
        cores = names.enumerated().map { index, name in
            let replica = ReplicaConfiguration(
                cluster: "one", member: name, peers: names, durability: .commit,
                seed: UInt64(index + 1))
            var gateway = GatewayConfiguration()
            gateway.hosts = [name]
            gateway.nameSeed = name
            return NodeCore(Replica(replica, properties: []), gateway)
        }
        run(milliseconds: 6_000)
    }

    /// The trees of all nodes.
    var values: [Value] { cores.map(\.replica.value) }

    private var now: Moment {
        Moment(wallMilliseconds: 1_700_000_000_000 + elapsed, elapsedMilliseconds: elapsed)
    }

    // MARK: The client

    /// Connects the client to a node's HTTP port.
    mutating func connect(to node: Int) -> SessionID {
        lastConnection += 1
        let id = SessionID(number: lastConnection)
        let address = RemoteAddress(host: "127.0.0.1", isLoopback: true)
        schedule(.gateway(.opened(id, from: address)), at: node, on: "client \(id.number)")
        return id
    }

    mutating func send(_ bytes: [UInt8], to node: Int, on id: SessionID) {
        schedule(.gateway(.received(id, bytes)), at: node, on: "client \(id.number)")
    }

    /// Sends a frame of a native client.
    mutating func send(frame: [UInt8], to node: Int, on id: SessionID) {
        schedule(.replica(.requested(frame, by: id)), at: node, on: "client \(id.number)")
    }

    mutating func close(_ id: SessionID, at node: Int, isNative: Bool) {
        schedule(
            isNative ? .replica(.closed(id)) : .gateway(.closed(id)), at: node,
            on: "client \(id.number)")
    }

    /// Removes and returns the messages to the client.
    mutating func removeTold() -> [(SessionID, OneClientConnection.Told)] {
        defer { told = [] }
        return told
    }

    // MARK: Time

    /// Lets time pass; nodes have a turn every 25 ms at least.
    mutating func run(milliseconds: UInt64) {
        let end = elapsed + milliseconds
        while elapsed < end {
            elapsed += 1
            let due = scheduled.filter { $0.milliseconds <= elapsed }
                .sorted { ($0.milliseconds, $0.number) < ($1.milliseconds, $1.number) }
            scheduled.removeAll { $0.milliseconds <= elapsed }
            for one in due { perform(one) }
            if elapsed.isMultiple(of: 25) {
                for node in cores.indices { turn(node) }
            }
        }
    }

    private mutating func schedule(_ input: NodeInput, at node: Int, on channel: String) {
        schedule(.input(input), at: node, on: channel)
    }

    private mutating func schedule(_ event: Event, at node: Int, on channel: String) {
        let due = elapsed + 1 + random.number(below: 8)
        let ordered = max(due, channels[channel] ?? 0)
        channels[channel] = ordered
        lastNumber += 1
        scheduled.append(
            Scheduled(milliseconds: ordered, number: lastNumber, node: node, event: event))
    }

    private mutating func perform(_ one: Scheduled) {
        switch one.event {
        case .told(let id, let what): told.append((id, what))
        case .input(let input): turn(one.node, input)
        case .turn: turn(one.node)
        }
    }

    // MARK: A node's turn

    private mutating func turn(_ node: Int, _ input: NodeInput? = nil) {
        for input in [.turnBegan(now), input, .turnEnded].compactMap(\.self) {
            for output in cores[node].step(input) { perform(output, of: node) }
        }
        if cores[node].hasBacklog { schedule(.turn, at: node, on: "backlog \(node)") }
    }

    private mutating func perform(_ output: NodeOutput, of node: Int) {
        switch output {
        case .replica(.store(let turn), _):
            schedule(.replica(.stored(turn: turn.number)), at: node, on: "disk \(node)")
        case .replica(.publish(let frame, _), _):
            for peer in cores.indices where peer != node {
                schedule(
                    .replica(.published(frame)), at: peer, on: "published \(node) \(peer)")
            }
        case .replica(.ask(let name, let frame), _):
            let peer = index(of: name)
            let input = Input.asked(frame, by: "n\(node + 1)")
            schedule(.replica(input), at: peer, on: "asked \(node) \(peer)")
        case .replica(.answer(let name, let frame), _):
            let peer = index(of: name)
            let input = Input.answered(frame, from: "n\(node + 1)")
            schedule(.replica(input), at: peer, on: "answered \(node) \(peer)")
        case .replica(.reply(let id, let frame), _):
            schedule(.told(id, .frame(frame)), at: node, on: "answers \(id.number)")
        case .replica(.replyLarge(let id, let frame), _):
            schedule(.told(id, .frame(frame.encoded)), at: node, on: "answers \(id.number)")
        case .gateway(.send(let id, let bytes)):
            schedule(.told(id, .bytes(bytes)), at: node, on: "answers \(id.number)")
        case .gateway(.reportWritable(let id)): _ = cores[node].step(.unsent(id, bytes: 0))
        default: break
        }
    }

    private func index(of name: String) -> Int { Int(name.dropFirst())! - 1 }
}
