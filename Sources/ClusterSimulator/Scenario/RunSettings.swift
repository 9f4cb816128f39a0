import DataTree
import ReplicaCore
import SyncProtocol

// The settings of a scenario for each part of a run, with their defaults. Each part of the run
// knows only its own settings.

/// The nodes of a scenario.
struct ClusterSettings: Sendable {
    var replicas = 3
    var durability = Durability.commit
    /// How long a disk takes to make writes durable.
    var sync = TimeRange(.milliseconds(1), .milliseconds(6))
    /// The retry window: how long after its stamp nodes accept a client's write.
    var retryWindow: Microseconds = .seconds(1)
    /// How often the nodes compare their trees.
    var compare: Microseconds = .seconds(30)
    /// After so long a silence of a node the coordinator does the on-disconnect writes of its clients; 0: never.
    var presence: Microseconds = .seconds(30)
    /// How long a node takes from its start to its first turn.
    var start = TimeRange(.milliseconds(100), .milliseconds(400))
    /// How many of the last replicas are not members at first.
    var newcomers = 0
    /// How many of the first replicas also speak the next protocol version, as during an upgrade.
    var newer = 0
    /// How many bytes change between one checkpoint and the next.
    var checkpointBytes = 2_000
    /// How much a slow client is sent in one turn.
    var catchUpBytes = 100
    /// The units of work for clients in a turn of a node.
    var turnUnits = 10_000
    /// A log with more operations does not wait for members that are away.
    var logLimit = 10_000_000
    /// How long a node may take to serve after its start while all others serve, by the check `nodes-serve-in-time`.
    var serve: Microseconds = .milliseconds(1_200)
    /// How long the coordinator of transactions may decide after it was last renewed.
    var lease: Microseconds = .milliseconds(800)
}

/// The databases of a scenario that is about several of them.
struct DatabaseSettings: Sendable {
    /// How many there are, with the default one; clients add up to two, and remove them. 0 in other scenarios.
    var count = 0
    /// After how long without use they sleep; a seed draws one time.
    var sleep = TimeRange(.milliseconds(600), .milliseconds(1_500))
    /// The pause between two commands that place databases on nodes; nil if there are none.
    var moves: TimeRange?
    /// The chance that such a command leaves a node behind, as if that were evicted, or missing in the list of the command.
    var leaves = Probability.zero
}

/// The network of a scenario.
struct NetworkSettings: Sendable {
    /// How every connection between two nodes is, where no fault makes it another one.
    var link = LinkQuality()
    /// The chance that a frame between a client and a node ends their connection.
    var breaks = Probability.zero
    /// How long it takes until a publisher knows of a subscriber that connects again.
    var join = TimeRange(.milliseconds(20), .milliseconds(200))
}

/// The clients of a scenario.
struct ClientSettings: Sendable {
    var count = 3
    /// How many of them, the last ones, are protocol clients.
    var protocolClients = 0
    var listeners = 0
    /// The location of all listens; by default four locations in turn.
    var listen: Path?
    /// Programs that listen to queries, write, transact, go offline and come back.
    var applications = 0
    /// Programs that do all that the SDK offers, at few places.
    var dense = 0
    /// More of them that only leave an on-disconnect write, and stay.
    var idle = 0
    /// Programs like applications that speak Firebase's WebSocket protocol.
    var firebase = 0
    /// How many of them, the last ones, poll at first.
    var polls = 0
    /// Programs that use REST.
    var rest = 0
    /// Programs that listen over REST by server-sent events.
    var streams = 0
    /// Clients with identities, whose requests are judged by rules: each fourth one speaks the native protocol, Firebase's
    /// WebSocket protocol, REST, or listens by streams of events.
    var users = 0
    /// Sessions at each node that send the requests which cost it most, and never wait for answers.
    var hostile = 0
    /// From an answer to the next request.
    var pace = TimeRange(.milliseconds(5), .milliseconds(50))
    /// From one node to the next; none if a client stays where it is.
    var move: TimeRange?
    /// Without an answer for this long, a client goes to another node.
    var patience: Microseconds = .seconds(1)
    /// The longest time that a client waits for an outcome, by the check `answers-in-time`.
    var answer: Microseconds = .seconds(5)
    /// How long a client may be without a node while all serve, by the check `clients-connect-in-time`.
    var connect: Microseconds = .milliseconds(2_500)
    /// How far a client's clock may be from the true time, either way.
    var skew: Microseconds = 0
}

/// The work of the clients of a scenario.
struct WorkloadSettings: Sendable {
    /// The operations of all clients together.
    var operations = 0
    /// The steps of all applications and Firebase clients together.
    var applications = 0
    /// The steps of all dense programs together.
    var dense = 0
    /// The steps of all clients of REST and of streams together.
    var rest = 0
    /// The steps of all clients with identities together.
    var users = 0
    /// The children of a long list, in which dense programs write and to whose middle they listen.
    var children = 0
    /// The chance that a step of an application is a transaction, besides one in ten.
    var transactions = Probability.zero
    /// The chance that a Firebase client sends a succession of writes besides a step.
    var successions = Probability.zero
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

/// The clocks of a scenario.
struct ClockSettings: Sendable {
    /// How far a node's clock may be from the true time, either way.
    var skew: Microseconds = 0
    /// How far a node's clock may drift, either way, in millionths.
    var drift = 0
}

/// The faults that a scenario draws.
struct FaultSettings: Sendable {
    var every: Microseconds = .seconds(1)
    var lasts = TimeRange(.milliseconds(200), .seconds(2))
    /// At each draw, by the names under which faults are drawn.
    private var chances: [String: Probability] = [:]

    /// Whether none is ever drawn.
    var areNone: Bool { chances.values.allSatisfy { $0 == .zero } }

    subscript(name: String) -> Probability {
        get { chances[name] ?? .zero }
        set { chances[name] = newValue }
    }
}
