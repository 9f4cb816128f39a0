public import Store
import SyncProtocol

/// When something happens, as the driver's clocks show it.
public struct Moment: Equatable, Sendable {
    /// Wall clock: milliseconds since 1970; may step.
    public var wallMilliseconds: UInt64
    /// Monotonic clock: milliseconds since some start.
    public var elapsedMilliseconds: UInt64

    public init(wallMilliseconds: UInt64, elapsedMilliseconds: UInt64) {
        self.wallMilliseconds = wallMilliseconds
        self.elapsedMilliseconds = elapsedMilliseconds
    }
}

/// One client's connection to this node, as the driver numbers them.
public struct SessionID: Hashable, Comparable, Sendable {
    /// No client's: of what a replica does by itself.
    public static let none = SessionID(number: 0)

    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    public static func < (a: SessionID, b: SessionID) -> Bool { a.number < b.number }
}

/// What happens to a replica. A turn begins, takes what has arrived, and ends.
public enum Input: Sendable {
    case turnBegan(Moment)
    /// A frame that a peer published to all.
    case published([UInt8])
    /// A frame with which a peer asks something of this node.
    case asked([UInt8], by: String)
    /// A frame with which a peer answers this node.
    case answered([UInt8], from: String)
    /// A frame of a client.
    case requested([UInt8], by: SessionID)
    /// A client is gone.
    case closed(SessionID)
    /// A client reads so slowly that too much waits for it; from now on nothing of its listens does.
    case backpressured(SessionID)
    /// Nothing waits for a client any more that did so.
    case writable(SessionID)
    /// The turn with this number is durable; turns become so in order.
    case stored(turn: UInt64)
    /// What became of a request to the store.
    case storeReplied(StoreReply)
    /// What a `backUp` came to: the path of the copy, or why there is none.
    case backedUp(Result<String, BackupFailure>, id: UInt64, for: SessionID)
    /// The disk takes nothing, and is tried again and again.
    case storageFailed(problem: String, fix: String)
    /// The disk works again.
    case storageWorks
    case turnEnded
}

/// What a driver must do for a replica, in order.
public enum Output: Equatable, Sendable {
    /// Have the store commit this, then report `stored`.
    case store(Turn)
    /// Send a frame to all peers; it may get lost.
    case publish([UInt8])
    /// Ask a peer; the frame may get lost.
    case ask(String, [UInt8])
    /// Answer a peer that asked.
    case answer(String, [UInt8])
    /// Send a frame to a client.
    case reply(SessionID, [UInt8])
    /// Have the store perform this after all turns before it; where the rest of it is another request, that too,
    /// in between the turns that follow; then report `storeReplied` if there is a reply.
    case perform(StoreRequest)
    /// Write a copy of the database to a file of this name, then report `backedUp`.
    case backUp(name: String, id: UInt64, for: SessionID)
    /// End, and say why: this node must not be a member.
    case giveUp(problem: String, fix: String)
    /// Begin to take clients: this replica knows its peers, or has waited for them long enough.
    case serve
}

/// Why a database was not copied.
public struct BackupFailure: Error, Equatable, Sendable {
    public var problem: String
    public var fix: String

    public init(problem: String, fix: String) {
        self.problem = problem
        self.fix = fix
    }
}

/// What an evicted node does, when it is back, with the operations that it alone had.
public enum OrphanPolicy: String, CaseIterable, Sendable {
    /// What is in nobody's way is done again: new children of lists, and increments. The rest is kept under
    /// `/_conflicts/NODE`.
    case replay
    /// All of it is kept there, for somebody to decide.
    case keep
}

/// When a write counts as durable, and so may be acknowledged, published and shown.
public enum Durability: String, CaseIterable, Sendable {
    /// Once it is synced to disk.
    case commit
    /// At once; it is synced within a second.
    case interval
    /// At once; nothing is kept on disk.
    case memory
}
