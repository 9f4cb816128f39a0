public import SyncProtocol

/// What a replica wants of its store beside commits; a driver performs each after all turns before it.
public enum StoreRequest: Equatable, Sendable {
    /// Read batches for a peer.
    case readBatches(LogRead)
    /// Write a checkpoint, in slices.
    case writeCheckpoint(Checkpoint)
    /// Write the next slice of a checkpoint, or complete it: what a store asks for itself.
    case continueCheckpoint
    /// Remove batches from the log: of each origin those up to this sequence, in pieces.
    case truncate(VersionVector)
    /// Read rows of this node's checkpoint for a peer.
    case readRows(RowRead)
    /// Keep rows of a peer's checkpoint beside those of this node's, in place of all that were kept
    /// before if they are the first.
    case receive([CheckpointRow], areFirst: Bool)
    /// Make the rows that were received this node's checkpoint, with what the log has beyond it; together
    /// they hold all that the replica does, unless the disk has lost something.
    case install(head: [UInt8], keepsLog: Bool, holding: VersionVector)
    /// Keep the batches of an origin that come after this sequence as orphans.
    case keepOrphans(WriterID, after: UInt64)
}

/// What became of a request.
public enum StoreReply: Sendable {
    /// Batches in order, the first of which holds the sequence asked for, up to one that is damaged.
    case batches([[UInt8]], for: LogRead)
    /// The last checkpoint is complete.
    case checkpointed
    /// Rows of the checkpoint, if there is one.
    case rows(CheckpointChunk, for: RowRead)
    /// The rows of a peer are kept.
    case received
    /// The checkpoint of a peer is this node's own now, and the batches of the log go on from it, in about the
    /// order in which they were accepted; nil if rows are missing or damaged.
    case installed((RestoredCheckpoint, log: [[UInt8]])?)
    /// All orphaned batches.
    case orphans([[UInt8]])
}

/// How far a request has come.
public enum StoreProgress: Sendable {
    case done
    case replied(StoreReply)
    /// The rest is this request, which may wait for the turns that have come meanwhile.
    case unfinished(StoreRequest)
}

/// A wish for the operations `from...through` of an origin, to be sent to a member.
public struct LogRead: Equatable, Sendable {
    public var member: String
    public var origin: WriterID
    public var from: UInt64
    public var through: UInt64
    /// Stop after this many bytes; at least one batch is read.
    public var byteLimit: Int

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

    public init(member: String, checkpoint: UInt64, after: UInt64, byteLimit: Int) {
        self.member = member
        self.checkpoint = checkpoint
        self.after = after
        self.byteLimit = byteLimit
    }
}
