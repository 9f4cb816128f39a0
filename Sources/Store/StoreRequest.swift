public import DataTree
public import SyncProtocol

/// A request of a replica to its store besides commits. A driver executes each after all earlier turns.
///
/// Indirect, because some are large and all are rare: otherwise they would make every output of a replica large.
public indirect enum StoreRequest: Equatable, Sendable {
    /// Read batches for a peer.
    case readBatches(LogRead)
    /// Read batches for a client.
    case searchLog(LogSearch)
    /// Write a checkpoint, in slices.
    case writeCheckpoint(Checkpoint)
    /// Write the next slice of a checkpoint, or complete it: only the store itself requests this.
    case continueCheckpoint
    /// Remove each origin's batches up to this sequence, in pieces.
    case truncate(VersionVector)
    /// Read rows of this node's checkpoint for a peer.
    case readRows(RowRead)
    /// Store rows of a peer's checkpoint beside this node's; the first ones replace all that were received
    /// before.
    case receive([CheckpointRow], areFirst: Bool)
    /// Make the received rows this node's checkpoint, with what the log has beyond it; together they include
    /// what the replica holds, unless the disk has lost something.
    case install(head: [UInt8], keepsLog: Bool, holding: VersionVector)
    /// Keep an origin's batches after this sequence as orphans; they end with what the replica holds, unless
    /// the disk has lost something.
    case keepOrphans(WriterID, after: UInt64, through: UInt64)
}

/// The result of a request; indirect, as requests are.
public indirect enum StoreReply: Sendable {
    /// Batches in order, up to a damaged one; the first holds the sequence requested.
    case batches([[UInt8]], for: LogRead)
    /// Batches in about the order in which nodes took them, and whether the log has no more.
    case log([[UInt8]], isLast: Bool, for: LogSearch)
    /// The checkpoint is complete.
    case checkpointed
    /// Rows of the checkpoint, if there is one.
    case rows(CheckpointChunk, for: RowRead)
    /// The peer's rows are stored.
    case received
    /// The peer's checkpoint has become this node's own. The batches of the log continue it, in about the order in
    /// which they were accepted. Nil if rows are missing or damaged.
    case installed((RestoredCheckpoint, log: [[UInt8]])?)
    /// All orphaned batches.
    case orphans([[UInt8]])
}

/// How far a request has come.
public enum StoreProgress: Sendable {
    case done
    case replied(StoreReply)
    /// The rest is this request; turns that have arrived meanwhile may be committed first.
    case unfinished(StoreRequest)
}

/// A request to read the operations `from...through` of an origin for a member.
public struct LogRead: Equatable, Sendable {
    /// The member to send the batches to.
    public var member: String
    /// The origin of the operations.
    public var origin: WriterID
    /// The first sequence to read.
    public var from: UInt64
    /// The last sequence to read.
    public var through: UInt64
    /// Stop after this many bytes; at least one batch is read.
    public var byteLimit: Int

    /// A request with all of its parts.
    public init(
        member: String, origin: WriterID, from: UInt64, through: UInt64, byteLimit: Int
    ) {
        self.member = member
        self.origin = origin
        self.from = from
        self.through = through
        self.byteLimit = byteLimit
    }
}

/// A request to read what the log holds of all origins beyond some operations, for a client.
public struct LogSearch: Equatable, Sendable {
    /// The client that asks.
    public var session: SessionID
    /// The id of the request.
    public var id: UInt64
    /// Read what is beyond these.
    public var held: VersionVector
    /// Stop after this many bytes; at least one batch is read.
    public var byteLimit: Int
    /// The location that the client wants explained; nil if it wants a list of all writes.
    public var path: Path?

    /// A request with all of its parts.
    public init(
        session: SessionID, id: UInt64, held: VersionVector, byteLimit: Int, path: Path? = nil
    ) {
        self.path = path
        self.session = session
        self.id = id
        self.held = held
        self.byteLimit = byteLimit
    }
}

/// A request to read rows of this node's checkpoint for a member.
public struct RowRead: Equatable, Sendable {
    /// The member to send the rows to.
    public var member: String
    /// The last row ID of the checkpoint that the peer's rows belong to; if this node's checkpoint is another
    /// one by now, reading starts at its first row.
    public var checkpoint: UInt64
    /// Read the rows after this one.
    public var after: UInt64
    /// Stop after this many bytes; at least one row is read.
    public var byteLimit: Int

    /// A request with all of its parts.
    public init(member: String, checkpoint: UInt64, after: UInt64, byteLimit: Int) {
        self.member = member
        self.checkpoint = checkpoint
        self.after = after
        self.byteLimit = byteLimit
    }
}
