import ReplicaCore
import SyncProtocol

/// Replicas with disks that sync at once, joined by a network that delivers at once.
struct Nodes {
    let names: [String]
    private var replicas: [String: Replica] = [:]
    /// Frames for clients that are not delivered yet.
    private var replies: [(session: SessionID, frame: [UInt8])] = []
    private var now = Moment(wallMilliseconds: 1_700_000_000_000, elapsedMilliseconds: 0)

    init(_ count: Int) {
        names = (1...count).map { "n\($0)" }
        for (seed, name) in names.enumerated() {
            let configuration = ReplicaConfiguration(
                cluster: "test", member: name, peers: names, durability: .commit,
                seed: UInt64(seed + 1))
            replicas[name] = Replica(configuration, properties: [])
        }
        advance(milliseconds: 3_000)
    }

    subscript(name: String) -> Replica { replicas[name]! }

    mutating func advance(milliseconds: UInt64) {
        for _ in 0..<(milliseconds + 49) / 50 {
            now.wallMilliseconds += 50
            now.elapsedMilliseconds += 50
            for name in names { turn(name) }
        }
    }

    /// Advances the clock without a turn of any node.
    mutating func pass(milliseconds: UInt64) {
        now.wallMilliseconds += milliseconds
        now.elapsedMilliseconds += milliseconds
    }

    /// A turn of one node in which it takes these inputs.
    mutating func turn(_ name: String, _ inputs: Input...) {
        for input in [.turnBegan(now)] + inputs + [.turnEnded] { step(name, input) }
    }

    mutating func takeReplies() -> [(session: SessionID, frame: [UInt8])] {
        defer { replies = [] }
        return replies
    }

    private mutating func step(_ name: String, _ input: Input) {
        for output in replicas[name]!.step(input) { perform(output, of: name) }
    }

    private mutating func perform(_ output: Output, of name: String) {
        switch output {
        case .store(let turn): step(name, .stored(turn: turn.number))
        case .publish(let frame, _):
            for peer in names where peer != name { turn(peer, .published(frame)) }
        case .ask(let peer, let frame): turn(peer, .asked(frame, by: name))
        case .answer(let peer, let frame): turn(peer, .answered(frame, from: name))
        case .reply(let session, let frame): replies.append((session, frame))
        default: break
        }
    }
}
