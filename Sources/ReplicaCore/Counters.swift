/// What a replica counts since it started.
public struct Counters: Equatable, Sendable {
    /// Operations that clients gave to this node.
    public var accepted: UInt64 = 0
    /// Operations that came from peers and were applied.
    public var received: UInt64 = 0
    /// Operations that came by repair, because they were missed when they were published.
    public var repaired: UInt64 = 0
    /// The bytes of all that came by repair, held already or not.
    public var repairedBytes: UInt64 = 0
    /// Operations that came although they were held already.
    public var duplicates: UInt64 = 0
    /// Operations for which there was no room to wait; repair brings them again.
    public var dropped: UInt64 = 0
    /// Checkpoints of peers that took the place of what was here.
    public var installed: UInt64 = 0
    /// How often it came back after an eviction.
    public var returns: UInt64 = 0
    /// Operations that this node did again after an eviction, and those that it kept for somebody to
    /// decide.
    public var rebased: UInt64 = 0
    public var quarantined: UInt64 = 0
    /// Writes that clients asked for again although they were done.
    public var repeated: UInt64 = 0
    /// Transactions that this node has decided.
    public var decided: UInt64 = 0
    /// Client requests that were refused.
    public var refused: UInt64 = 0
    /// Frames from peers that could not be read.
    public var malformedFrames: UInt64 = 0
    /// What came from another cluster or from a member that is not configured, and operations that no
    /// member can have made.
    public var unknownPeers: UInt64 = 0

    public init() {}
}
