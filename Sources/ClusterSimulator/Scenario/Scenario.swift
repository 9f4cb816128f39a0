import DataTree
import ReplicaCore

/// A claim about a cluster, and the circumstances under which it must hold: what a `.scenario` file
/// says. `Simulations/README.md` describes the format; `Scenario(parsing:name:)` reads it.
public struct Scenario: Sendable {
    /// The name of the file, without its ending: the behaviour that is claimed.
    public let name: String
    /// The first lines of comment: the claim in words.
    public internal(set) var claim = ""
    /// The seeds to run by default.
    public internal(set) var seeds: ClosedRange<UInt64> = 1...10
    /// The checks to judge a run by.
    public internal(set) var checks: [Check] = []

    /// Settings that the file does not name are drawn from the seed, which may leave a check without anything to check.
    public internal(set) var isSwarm = false

    var cluster = Cluster()
    var network = Network()
    var clients = Clients()
    var workload = Workload()
    var clocks = Clocks()
    var faults = RandomFaults()
    var script: [Scripted] = []
    /// The settings that the file names, as in `network loss`.
    var named: Set<String> = []
    /// When clients stop and faults end.
    var until: Microseconds = .seconds(10)
    /// How long the cluster may go without progress after all faults before it counts as stuck: a client searches
    /// ten seconds for a node that holds what it saw, and as long for the outcome of an open request.
    var quiescence: Microseconds = .seconds(30)

    init(name: String) { self.name = name }
}

extension Scenario {
    struct Cluster: Sendable {
        var replicas = 3
        var durability = Durability.commit
        /// How long a disk takes to make writes durable.
        var sync = TimeRange(.milliseconds(1), .milliseconds(6))
        /// The retry window: how long after its stamp nodes accept a client's write.
        var retryWindow: Microseconds = .seconds(1)
        /// How long a node takes from its start to its first turn.
        var start = TimeRange(.milliseconds(100), .milliseconds(400))
        /// How many of the last replicas are not members at first.
        var newcomers = 0
        /// How many of the first replicas also speak the next protocol version, as during an upgrade.
        var newer = 0
        /// A log with more operations does not wait for members that are away.
        var logLimit = 10_000_000
        /// How long the coordinator of transactions may decide after it was last renewed.
        var lease: Microseconds = .milliseconds(800)
    }

    struct Network: Sendable {
        /// How every connection between two nodes is, where no fault makes it another one.
        var link = LinkQuality()
        /// The chance that a frame between a client and a node ends their connection.
        var breaks = Probability.zero
        /// How long it takes until a publisher knows of a subscriber that connects again.
        var join = TimeRange(.milliseconds(20), .milliseconds(200))
    }

    struct Clients: Sendable {
        var count = 3
        /// How many of them, the last ones, are protocol clients.
        var protocolClients = 0
        var listeners = 0
        /// Programs that listen to queries, write, transact, go offline and come back.
        var applications = 0
        /// More of them that only leave an on-disconnect write, and stay.
        var idle = 0
        /// Programs like applications that speak Firebase's WebSocket protocol.
        var firebase = 0
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
        /// The steps of all applications and Firebase clients together.
        var applications = 0
        /// The chance that a step of an application is a transaction, besides one in ten.
        var transactions = Probability.zero
        var weights = [Int](repeating: 0, count: Kind.allCases.count)
        var lists = 1
        var counters = 1
        /// The chance that a write has the concern `majority` or `all`.
        var concern = Probability.zero

        enum Kind: String, CaseIterable, Sendable {
            /// Puts a value under a key that the client makes, as the SDK does.
            case push
            /// Pushes a value under a key that the node makes, for a protocol client.
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
        /// At each draw, by the names under which faults are drawn.
        private var chances: [String: Probability] = [:]

        subscript(name: String) -> Probability {
            get { chances[name] ?? .zero }
            set { chances[name] = newValue }
        }
    }

    /// An action at a time that the scenario names, or at one that is drawn from a range.
    struct Scripted: Sendable {
        var times: TimeRange
        var action: Action

        init(at times: TimeRange, _ action: Action) {
            self.times = times
            self.action = action
        }

        init(at time: Microseconds, _ action: Action) {
            self.init(at: TimeRange(time, time), action)
        }

        enum Action: Sendable {
            case fault(any Fault)
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
