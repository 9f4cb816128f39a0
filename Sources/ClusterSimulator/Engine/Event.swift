import ReplicaCore
import SyncProtocol

/// One thing that happens in a run, at one virtual time.
///
/// An event of one process of a node carries that process's number, and has no effect on the next
/// process.
enum Event {
    case turn(node: Int, incarnation: Int)
    case tick(node: Int, incarnation: Int)
    /// A frame arrives over PUB/SUB.
    case published(PeerFrame)
    case asked(PeerFrame)
    case answered(PeerFrame)
    /// A disk finishes its work.
    case diskWorked(node: Int, incarnation: Int)
    /// A process ends at a step of its disk, or soon after.
    case interrupted(node: Int, incarnation: Int)

    /// A frame arrives at a node, or at a client.
    case requested(connection: Int, frame: [UInt8])
    case replied(connection: Int, frame: [UInt8])
    /// A node or a client notices the end of a connection.
    case nodeLost(connection: Int)
    case clientLost(connection: Int)

    case clientActs(Int)
    /// A client has waited long enough for the answer to a request.
    case clientGivesUp(Int, request: UInt64)
    case clientMoves(Int)
    /// The library of a client takes a turn.
    case clientTurns(Int)
    /// The library of a client is given a value that was read from its file.
    case clientRecalls(Int)

    case duplicateTurns(Int)
    case scripted(Int)
    /// A flapping direction changes, in this round of faults.
    case flapped(from: Int, to: Int, round: Int)
    /// All clients stop and all faults end.
    case quiescence
    case quiescenceChecked
}

/// A frame between two nodes, and the connection that it travels on.
struct PeerFrame {
    var from: Int
    var to: Int
    var epoch: Int
    var bytes: [UInt8]
}
