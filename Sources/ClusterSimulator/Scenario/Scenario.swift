import DataTree
import ReplicaCore

/// A claim about a cluster, and the circumstances under which it must hold: what a `.scenario` file
/// says. `Simulations/README.md` describes the format; `Scenario(parsing:name:)` reads it.
public struct Scenario: Sendable {
    /// The name of the file, without its ending: the behaviour that is claimed.
    public let name: String
    /// The first lines of comment: the claim in words.
    public internal(set) var claim = ""
    /// The seeds to run when nobody names others.
    public internal(set) var seeds: ClosedRange<UInt64> = 1...10
    /// What must hold in the end.
    public internal(set) var checks: [Check] = []

    var cluster = Cluster()
    var network = Network()
    var clients = Clients()
    var workload = Workload()
    var clocks = Clocks()
    var faults = RandomFaults()
    var script: [Scripted] = []
    /// When clients stop and faults end.
    var until: Microseconds = .seconds(10)
    /// How long the calm cluster may go without progress before it counts as stuck.
    var settle: Microseconds = .seconds(20)

    init(name: String) { self.name = name }
}

extension Scenario {
    struct Cluster: Sendable {
        var replicas = 3
        var durability = Durability.commit
        /// How long a disk takes to make writes durable.
        var sync = TimeRange(.milliseconds(1), .milliseconds(6))
        /// How long a node takes from its start to its first turn.
        var start = TimeRange(.milliseconds(100), .milliseconds(400))
    }

    struct Network: Sendable {
        var delay = TimeRange(.milliseconds(1), .milliseconds(10))
        var loss = Probability.zero
        var duplicate = Probability.zero
        var reorder = Probability.zero
        /// The chance that a frame between a client and a node ends their connection.
        var breaks = Probability.zero
        /// Bytes a second from a node to another; 0 for no limit.
        var bandwidth = 0
        /// Published frames on their way to one subscriber, beyond which more are dropped; 0 for no
        /// limit.
        var queue = 0
        /// How long it takes until a publisher knows of a subscriber that connects again.
        var join = TimeRange(.milliseconds(20), .milliseconds(200))
    }

    struct Clients: Sendable {
        var count = 3
        var listeners = 0
        /// From an answer to the next request.
        var pace = TimeRange(.milliseconds(5), .milliseconds(50))
        /// From one node to the next; none if a client stays where it is.
        var move: TimeRange?
        /// Without an answer for this long, a client goes to another node.
        var patience: Microseconds = .seconds(1)
        /// How far a client's clock may be from the true time, either way.
        var skew: Microseconds = 0
    }

    struct Workload: Sendable {
        /// Of all clients together.
        var operations = 0
        var weights = [Int](repeating: 0, count: Kind.allCases.count)
        var lists = 1
        var counters = 1

        enum Kind: String, CaseIterable, Sendable {
            /// Puts a value under a key that the client makes, as the SDK does.
            case push
            /// Pushes a value under a key that the node makes.
            case append
            case set, update, remove, increment, get
        }
    }

    struct Clocks: Sendable {
        /// How far a node's clock may be from the true time, either way.
        var skew: Microseconds = 0
        /// How far a node's clock may drift, either way, in millionths.
        var drift = 0
    }

    struct RandomFaults: Sendable {
        var every: Microseconds = .seconds(1)
        var lasts = TimeRange(.milliseconds(200), .seconds(2))
        var crash = Probability.zero
        var partition = Probability.zero
        var pause = Probability.zero
        /// A clock jumps by up to a second, forward or back.
        var step = Probability.zero
    }

    /// Something that happens at a time that the scenario names.
    struct Scripted: Sendable {
        var time: Microseconds
        var action: Action

        enum Action: Sendable {
            case fault(Fault)
            case request(client: Int, ScriptedRequest)
        }
    }
}

/// What a scenario tells one client to do.
enum ScriptedRequest: Equatable, Sendable {
    case set(Path, Value)
    case push(Path, Value)
    case remove(Path)
    case increment(Path, Int64)
}

/// What a scenario does to the cluster. Nodes and clients are counted from 0.
enum Fault: Equatable, Sendable {
    /// The power goes: what is not synced is lost.
    case crash(Int)
    case restart(Int)
    /// A clean stop, as at SIGTERM.
    case stop(Int)
    /// The process stands still, and its connections stay.
    case pause(Int)
    case resume(Int)
    /// Members of different groups cannot reach each other.
    case partition([[Endpoint]])
    /// Nothing gets from one to the other; the way back stays open.
    case cut(from: Endpoint, to: Endpoint)
    /// Every partition and cut ends.
    case heal
    /// A node's clock jumps.
    case step(Int, milliseconds: Int64)
}

/// An end of a connection.
enum Endpoint: Equatable, Sendable {
    case node(Int)
    case client(Int)
}
