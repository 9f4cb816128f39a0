public import SyncProtocol

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
    /// What a `read` found: batches in order, the first of which holds the sequence asked for, up to one
    /// that is damaged.
    case found([[UInt8]], for: LogRead)
    /// The last checkpoint is durable.
    case checkpointed
    /// What a `readRows` found.
    case foundRows(CheckpointChunk, for: RowRead)
    /// The rows of the last `stage` are kept.
    case rowsReceived
    /// What an `install` made of the rows: the checkpoint, which is the node's own now, and the batches
    /// of the log that it does not cover, origin by origin; nil if rows are missing or damaged.
    case installed((RestoredCheckpoint, log: [[UInt8]])?)
    /// The batches that are kept beside the log.
    case keepOrphans([[UInt8]])
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
    /// Write this to disk in one transaction, then report `stored`.
    case store(Turn)
    /// Send a frame to all peers; it may get lost.
    case publish([UInt8])
    /// Ask a peer; the frame may get lost.
    case ask(String, [UInt8])
    /// Answer a peer that asked.
    case answer(String, [UInt8])
    /// Send a frame to a client.
    case reply(SessionID, [UInt8])
    /// Read batches from disk, then report `found`.
    case read(LogRead)
    /// Write this with a `CheckpointWriter`, after all turns before it and in between those that
    /// follow, then report `checkpointed`.
    case checkpoint(Checkpoint)
    /// Take batches from the log: of each origin those up to this sequence.
    case truncate(VersionVector)
    /// Read rows of this node's checkpoint, then report `foundRows`.
    case readRows(RowRead)
    /// Keep rows of a peer's checkpoint beside those of this node's, in place of all that were kept
    /// before if they are the first; then report `staged`.
    case receiveRows([CheckpointRow], areFirst: Bool)
    /// Make a checkpoint of the rows that were kept this node's own, with what the log has beyond it, then
    /// report `installed`; together they hold all that this replica does, unless the disk has lost something.
    case install(head: [UInt8], keepsLog: Bool, holding: VersionVector)
    /// Keep the batches of an origin that come after this sequence beside the log, then report
    /// `setAside` with all that is kept so.
    case keepOrphans(WriterID, after: UInt64)
    /// Write a copy of the database to a file of this name, then report `backedUp`.
    case backUp(name: String, id: UInt64, for: SessionID)
    /// End, and say why: this node must not be a member.
    case giveUp(problem: String, fix: String)
    /// Begin to take clients: this replica knows its peers, or has waited for them long enough.
    case serve
}

/// What one turn leaves on disk: all of it or nothing.
public struct Turn: Equatable, Sendable {
    public var number: UInt64
    public var batches: [LogEntry]
    /// Named values to replace.
    public var properties: [Property]
    /// Whether what was set aside is in this turn's batches, so that it can go.
    public var clearsOrphans = false
}

/// A batch in the log: the operations `first...last` of one origin, in the bytes that travel.
public struct LogEntry: Equatable, Sendable {
    public var origin: WriterID
    public var first: UInt64
    public var last: UInt64
    public var bytes: [UInt8]

    public init(origin: WriterID, first: UInt64, last: UInt64, bytes: [UInt8]) {
        self.origin = origin
        self.first = first
        self.last = last
        self.bytes = bytes
    }
}

extension LogEntry {
    /// The entry of an encoded batch.
    ///
    /// - Throws: when the bytes do not begin as a batch does.
    public init(_ bytes: [UInt8]) throws(FrameError) {
        let head = try BatchCoding.decodeHead(bytes)
        self.init(origin: head.origin, first: head.first, last: head.last, bytes: bytes)
    }
}

/// A small fact that a node keeps beside its log.
public struct Property: Equatable, Sendable {
    public enum Name: String, CaseIterable, Sendable {
        /// No stamp above this time was ever promised.
        case clockBound
        /// What this node knows of incarnations that are over by decision: `[member, subject, stage, …]`.
        case evictions
        /// The members of the cluster as its configuration last said, names in ascending order.
        case members
        /// Which vote for the coordinator this node has given last (see `Lease`).
        case vote
    }

    public var name: Name
    /// A number is little-endian, in 8 bytes.
    public var bytes: [UInt8]

    public init(_ name: Name, _ value: UInt64) {
        self.name = name
        bytes = withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    public init(_ name: Name, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The number, if it is one.
    var number: UInt64? { bytes.count == 8 ? Property.number(of: bytes[...]) : nil }

    private static func number(of bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// A wish for the operations `from...through` of an origin, to be sent to a member.
public struct LogRead: Equatable, Sendable {
    public var member: String
    public var origin: WriterID
    public var from: UInt64
    public var through: UInt64
    /// Stop after this many bytes; at least one batch is read.
    public var byteLimit: Int
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

/// A wish for rows of this node's checkpoint, to be sent to a member.
public struct RowRead: Equatable, Sendable {
    public var member: String
    /// The highest row of the checkpoint that the rows before belong to; if this node's is another
    /// one by now, its rows are read from the first on.
    public var checkpoint: UInt64
    /// Read the rows that come after this one.
    public var after: UInt64
    /// Stop after this many bytes; at least one row is read.
    public var byteLimit: Int
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
