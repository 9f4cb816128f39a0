import DataTree
import Store
import SyncProtocol

/// A client of a run: a program that speaks one protocol with the nodes.
///
/// The run calls the mutating requirements with itself. Meanwhile the actor is not among the clients of the run.
protocol ClientActor {
    /// Its number among all clients.
    var index: Int { get }
    /// The node to which it was connected last.
    var lastNode: Int? { get }
    /// The identity that it shows on a connection of frames.
    var identity: UserIdentity { get }
    /// Whether the rules decide what it may do.
    var isUser: Bool { get }
    /// Whether it leaves no on-disconnect writes.
    var onlyListens: Bool { get }
    /// Whether its machine or its process has vanished.
    var isGone: Bool { get }
    /// Whether the run has a timer for its turns.
    var hasTimer: Bool { get }
    /// Whether its node may hold back changes from it.
    var isLagging: Bool { get }
    /// Whether a gateway may have a session of Firebase's protocol for it.
    var mayHaveRealtimeSession: Bool { get }
    /// Its listeners, for a comparison with its node.
    var observedListeners: [ObservedListener] { get }

    /// Whether it uses this connection now.
    func uses(_ connection: Int) -> Bool
    /// The reason why it is not at rest; nil if it is.
    func unrest(in run: SimulatedRun) -> String?

    mutating func begin(in run: inout SimulatedRun)
    /// Takes the next step of its program.
    mutating func act(in run: inout SimulatedRun)
    /// Its timer rings.
    mutating func turn(in run: inout SimulatedRun)
    /// A value from its file has been read.
    mutating func takeRecalls(in run: inout SimulatedRun)
    /// Its patience with a request is over.
    mutating func giveUp(_ request: UInt64, in run: inout SimulatedRun)
    /// Its time at a node is over.
    mutating func move(in run: inout SimulatedRun)
    /// The script adds a request.
    mutating func add(_ request: ScriptedRequest)
    /// A frame or bytes arrive on a connection that it uses.
    mutating func takeReply(_ frame: [UInt8], on connection: Int, in run: inout SimulatedRun)
    /// A connection that it uses has ended.
    mutating func loseNode(on connection: Int, isOrderly: Bool, in run: inout SimulatedRun)
    /// Its machine vanishes without a word, or goes on only to accept frames.
    mutating func vanish(takingFrames: Bool, in run: inout SimulatedRun)
    /// A node ended a turn in which it may have sent all held-back changes.
    mutating func noteCaughtUp(at node: Int, in run: inout SimulatedRun)
    /// The trusted keys of a node changed.
    mutating func noteKeys(of node: Int, in run: inout SimulatedRun)
    /// It sends no further requests of its own.
    mutating func stop(in run: inout SimulatedRun)
}

extension ClientActor {
    var identity: UserIdentity { .administrator }
    var isUser: Bool { false }
    var onlyListens: Bool { false }
    var isGone: Bool { false }
    var hasTimer: Bool { false }
    var isLagging: Bool { false }
    var mayHaveRealtimeSession: Bool { false }
    var observedListeners: [ObservedListener] { [] }

    mutating func turn(in run: inout SimulatedRun) {}
    mutating func takeRecalls(in run: inout SimulatedRun) {}
    mutating func giveUp(_ request: UInt64, in run: inout SimulatedRun) {}
    mutating func move(in run: inout SimulatedRun) {}
    mutating func add(_ request: ScriptedRequest) {
        preconditionFailure("a script has a request of \(index.clientName)")
    }
    mutating func vanish(takingFrames: Bool, in run: inout SimulatedRun) {}
    mutating func noteCaughtUp(at node: Int, in run: inout SimulatedRun) {}
    mutating func noteKeys(of node: Int, in run: inout SimulatedRun) {}
}

/// The place of an actor while it acts.
struct ActingClient: ClientActor {
    let index: Int
    var lastNode: Int? { nil }

    func uses(_ connection: Int) -> Bool { false }
    func unrest(in run: SimulatedRun) -> String? { nil }
    mutating func begin(in run: inout SimulatedRun) {}
    mutating func act(in run: inout SimulatedRun) {}
    mutating func takeReply(_ frame: [UInt8], on connection: Int, in run: inout SimulatedRun) {}
    mutating func loseNode(on connection: Int, isOrderly: Bool, in run: inout SimulatedRun) {}
    mutating func stop(in run: inout SimulatedRun) {}
}
