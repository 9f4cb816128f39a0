import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

@testable import ClusterSimulator

/// A cluster without faults for one client: frames between nodes, disks and the client's bytes take a few milliseconds each,
/// drawn from a seed, and keep their order.
struct OneClientCluster {
    /// An event at a node or at the client.
    private enum Event {
        case input(Input)
        case connected(SessionID)
        case bytes(SessionID, [UInt8])
        case closed(SessionID)
        case turn
        /// The client is told something on a connection.
        case told(SessionID, OneClientConnection.Told)
    }

    private struct Scheduled {
        let milliseconds: UInt64
        let number: Int
        let node: Int
        let event: Event
    }

    private var replicas: [Replica]
    private var ports: [VirtualPort]
    /// How long everything takes.
    var random = SplitMix64(seed: 0)
    private var scheduled: [Scheduled] = []
    private var lastNumber = 0
    /// When the last event of each channel is due.
    private var channels: [String: UInt64] = [:]
    private var elapsed: UInt64 = 0
    private var lastConnection: UInt64 = 0
    /// What the client was told and has not read.
    private var told: [(SessionID, OneClientConnection.Told)] = []

    init(nodes count: Int) {
        let names = (1...count).map { "n\($0)" }
        replicas = names.enumerated().map { index, name in
            let configuration = ReplicaConfiguration(
                cluster: "one", member: name, peers: names, durability: .commit,
                seed: UInt64(index + 1))
            return Replica(configuration, properties: [])
        }
        ports = names.map { name in
            var configuration = GatewayConfiguration()
            configuration.hosts = [name]
            configuration.nameSeed = name
            return VirtualPort(configuration)
        }
        run(milliseconds: 6_000)
    }

    /// The trees of all nodes.
    var values: [Value] { replicas.map(\.value) }

    private var now: Moment {
        Moment(wallMilliseconds: 1_700_000_000_000 + elapsed, elapsedMilliseconds: elapsed)
    }

    // MARK: The client

    /// Connects the client to a node's HTTP port.
    mutating func connect(to node: Int) -> SessionID {
        lastConnection += 1
        let id = SessionID(number: lastConnection)
        schedule(.connected(id), at: node, on: "client \(id.number)")
        return id
    }

    mutating func send(_ bytes: [UInt8], to node: Int, on id: SessionID) {
        schedule(.bytes(id, bytes), at: node, on: "client \(id.number)")
    }

    /// Sends a frame of a native client.
    mutating func send(frame: [UInt8], to node: Int, on id: SessionID) {
        schedule(.input(.requested(frame, by: id)), at: node, on: "client \(id.number)")
    }

    mutating func close(_ id: SessionID, at node: Int, isNative: Bool) {
        schedule(
            isNative ? .input(.closed(id)) : .closed(id), at: node, on: "client \(id.number)")
    }

    /// Removes and returns what the client was told.
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
                for node in replicas.indices { turn(node, .turn) }
            }
        }
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
        if case .told(let id, let what) = one.event {
            told.append((id, what))
        } else {
            turn(one.node, one.event)
        }
    }

    // MARK: A node's turn

    private mutating func turn(_ node: Int, _ event: Event) {
        step(node, .turnBegan(now))
        for input in ports[node].resume(at: now) { step(node, input) }
        switch event {
        case .input(let input): step(node, input)
        case .connected(let id):
            port(node, .opened(id, from: RemoteAddress(host: "127.0.0.1", isLoopback: true)))
        case .bytes(let id, let bytes): port(node, .received(id, bytes))
        case .closed(let id): port(node, .closed(id))
        case .turn, .told: break
        }
        step(node, .turnEnded)
        for output in ports[node].endTurn() { perform(output, of: node) }
        if ports[node].hasBacklog { schedule(.turn, at: node, on: "backlog \(node)") }
    }

    private mutating func port(_ node: Int, _ input: GatewayInput) {
        for input in ports[node].step(input, at: now) { step(node, input) }
    }

    private mutating func step(_ node: Int, _ input: Input) {
        for output in replicas[node].step(input) { perform(output, of: node) }
    }

    private mutating func perform(_ output: GatewayOutput, of node: Int) {
        switch output {
        case .send(let id, let bytes):
            schedule(.told(id, .bytes(bytes)), at: node, on: "answers \(id.number)")
        case .reportWritable(let id): ports[node].reportWritable(id)
        default: break
        }
    }

    private mutating func perform(_ output: Output, of node: Int) {
        switch output {
        case .store(let turn):
            schedule(.input(.stored(turn: turn.number)), at: node, on: "disk \(node)")
        case .publish(let frame, _):
            for peer in replicas.indices where peer != node {
                schedule(.input(.published(frame)), at: peer, on: "published \(node) \(peer)")
            }
        case .ask(let name, let frame):
            let peer = index(of: name)
            let input = Input.asked(frame, by: "n\(node + 1)")
            schedule(.input(input), at: peer, on: "asked \(node) \(peer)")
        case .answer(let name, let frame):
            let peer = index(of: name)
            let input = Input.answered(frame, from: "n\(node + 1)")
            schedule(.input(input), at: peer, on: "answered \(node) \(peer)")
        case .reply(let id, let frame):
            schedule(.told(id, .frame(frame)), at: node, on: "answers \(id.number)")
        case .replyLarge(let id, let frame):
            schedule(.told(id, .frame(frame.encoded)), at: node, on: "answers \(id.number)")
        case .replyMessages(let session, let answers):
            ports[node].answer(answers, to: session, at: now)
        case .serve: port(node, .became(.serving))
        case .synchronize, .perform, .backUp, .giveUp, .free, .pauseReading, .resumeReading: break
        }
    }

    private func index(of name: String) -> Int { Int(name.dropFirst())! - 1 }
}
