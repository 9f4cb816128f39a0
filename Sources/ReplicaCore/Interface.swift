public import Convergence
public import Rules
public import Store
public import SyncProtocol

/// An input of a replica. A turn begins, processes its inputs, and ends.
public enum Input: Sendable {
    case turnBegan(Moment)
    /// A frame that a peer published to all.
    case published([UInt8])
    /// A request of a peer to this node.
    case asked([UInt8], by: String)
    /// A peer's answer to this node.
    case answered([UInt8], from: String)
    /// A frame of a client.
    case requested([UInt8], by: SessionID)
    /// A session begins whose requests and answers are values; sessions of frames need no such input.
    case opened(SessionID)
    /// A client's identity, from its next request on. Without it, `ReplicaConfiguration.unidentified` applies.
    case identified(SessionID, Principal)
    /// Requests of a session of values.
    case requestedMessages([ClientMessage], by: SessionID)
    /// A client's connection has ended.
    case closed(SessionID)
    /// A client reads too slowly; from now on nothing of its listens is queued.
    case backpressured(SessionID)
    /// The queue of a backpressured client is empty again.
    case writable(SessionID)
    /// The turn with this number is durable; turns become durable in order.
    case stored(turn: UInt64)
    /// The result of a request to the store.
    case storeReplied(StoreReply)
    /// The result of a `backUp`: the path of the copy, or why there is none.
    case backedUp(Result<String, BackupFailure>, id: UInt64, for: SessionID)
    /// The disk accepts no writes; the driver keeps trying.
    case storageFailed(problem: String, fix: String)
    /// The disk works again.
    case storageWorks
    case turnEnded
}

/// A task of the driver; the driver executes them in order.
public enum Output: Equatable, Sendable {
    /// Have the store commit this, and report `stored` once that is durable. Outside the mode `commit` it may wait for
    /// further turns, until `synchronize`.
    case store(Turn)
    /// Have the store make all turns so far durable, and report `stored`; outside the mode `commit` only.
    case synchronize
    /// Send a frame to all peers; it may be lost.
    case publish([UInt8], Urgency)
    /// Send a request to a peer; it may be lost.
    case ask(String, [UInt8])
    /// Send an answer to a peer that has asked; it may be lost.
    case answer(String, [UInt8])
    /// Send a frame to a client.
    case reply(SessionID, [UInt8])
    /// Send a frame with large values to a client; its parts are to be encoded as the client reads them.
    case replyLarge(SessionID, LargeFrame)
    /// Give a session of values its answers of this turn.
    case replyMessages(SessionID, [SessionAnswer])
    /// Read nothing more from a client until `resumeReading`: much of what it has sent waits for its share of turns. Its end is
    /// still to be reported.
    case pauseReading(SessionID)
    /// Read from a client again.
    case resumeReading(SessionID)
    /// Have the store perform this after all earlier turns. If it leaves a further request, perform that too,
    /// between the following turns. Then report `storeReplied` if there is a reply.
    case perform(StoreRequest)
    /// Write a copy of the database to a file of this name, then report `backedUp`.
    case backUp(name: String, id: UInt64, for: SessionID)
    /// Exit with this reason: the node must not be a member.
    case giveUp(problem: String, fix: String)
    /// Free these parts on another thread, because that takes long.
    case free(DroppedParts)
    /// Begin to accept clients: this replica knows its peers, or has waited long enough for them.
    case serve
}

/// How soon a published frame has to leave.
public enum Urgency: Equatable, Sendable {
    /// Frames of later turns may join it first, for a millisecond or two.
    case gathered
    /// With all that was published before it: a client or a peer may wait for it.
    case awaited
}

/// Why a backup failed.
public struct BackupFailure: Error, Equatable, Sendable {
    /// The problem, with the name of the file.
    public var problem: String
    /// The remedy for the user.
    public var fix: String

    /// A failure with its problem and fix.
    public init(problem: String, fix: String) {
        self.problem = problem
        self.fix = fix
    }
}

extension [Output] {
    /// Appends the outputs of a step: most steps have none, and most turns those of one step.
    package mutating func append(all outputs: [Output]) {
        if outputs.isEmpty { return }
        if isEmpty { self = outputs } else { self += outputs }
    }
}
