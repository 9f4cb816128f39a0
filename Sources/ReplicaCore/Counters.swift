/// Counters of a replica since its start.
public struct Counters: Equatable, Sendable {
    /// Operations of clients that this node accepted.
    public var accepted: UInt64 = 0
    /// Operations of peers that were applied.
    public var received: UInt64 = 0
    /// Operations that arrived by repair, because their publication was missed.
    public var repaired: UInt64 = 0
    /// The bytes of everything that arrived by repair, including what was held already.
    public var repairedBytes: UInt64 = 0
    /// Operations that arrived although they were held already.
    public var duplicates: UInt64 = 0
    /// Writes that had lost against a concurrent write of another writer when they were applied: that one has the later
    /// stamp, and covers their location.
    public var overwritten: UInt64 = 0
    /// Operations dropped because the reorder buffer was full, or for others that can be applied sooner; repair brings them again.
    public var dropped: UInt64 = 0
    /// Checkpoints of peers that replaced this replica's data.
    public var installed: UInt64 = 0
    /// How often this node rejoined after an eviction.
    public var returns: UInt64 = 0
    /// Operations that this node replayed after an eviction.
    public var replayed: UInt64 = 0
    /// Operations that this node quarantined under `/_conflicts` after an eviction.
    public var quarantined: UInt64 = 0
    /// Trees of peers that were compared with this replica's, and those of them that differed.
    public var comparedTrees: UInt64 = 0
    public var differingTrees: UInt64 = 0
    /// Writes that clients repeated although they were done.
    public var repeated: UInt64 = 0
    /// Transactions that this node has decided.
    public var decided: UInt64 = 0
    /// Client requests that were refused.
    public var refused: UInt64 = 0
    /// Frames from peers that could not be decoded.
    public var malformedFrames: UInt64 = 0
    /// Messages from another cluster or from members that are not configured, and operations that no
    /// member can have made.
    public var unknownPeers: UInt64 = 0

    /// Counters of a replica that has just started.
    public init() {}
}
