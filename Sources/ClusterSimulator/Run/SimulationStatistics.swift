/// The counts of a run.
public struct SimulationStatistics: Equatable, Sendable {
    package internal(set) var events: UInt64 = 0
    /// The requests of clients, reads included, by their outcomes.
    public internal(set) var operations = 0
    package internal(set) var acknowledged = 0
    package internal(set) var unknown = 0
    /// Acknowledged writes that may be missing, because the durability mode allows their loss.
    public internal(set) var permitted = 0
    package internal(set) var failed = 0
    /// Changes that listeners received.
    public internal(set) var changes = 0
    /// How often a client went to another node.
    public internal(set) var moves = 0

    package internal(set) var framesSent: UInt64 = 0
    package internal(set) var framesDropped: UInt64 = 0
    package internal(set) var framesDuplicated: UInt64 = 0
    package internal(set) var framesReordered: UInt64 = 0
    package internal(set) var framesReplayed: UInt64 = 0
    package internal(set) var framesDamaged: UInt64 = 0
    /// Operations that replicas got by requesting them, and operations that they got again.
    public internal(set) var repaired: UInt64 = 0
    package internal(set) var duplicates: UInt64 = 0

    package internal(set) var crashes = 0
    /// Checkpoints that were completed.
    public internal(set) var checkpoints = 0
    /// Checkpoints of peers that nodes installed.
    public internal(set) var installations = 0
    /// How often an evicted node rejoined.
    public internal(set) var returns = 0
    /// Turns that crashes undid.
    public internal(set) var lostTurns = 0
    package internal(set) var stops = 0
    package internal(set) var pauses = 0
    package internal(set) var partitions = 0
    /// Jumps of clocks, and clocks that froze or strobed.
    public internal(set) var clockSteps = 0
    /// Directions that were backpressured, flapping, broken or bad.
    public internal(set) var badLinks = 0
    package internal(set) var diskTroubles = 0
    /// Processes that became slow, or ran out of file handles.
    public internal(set) var shortages = 0
    /// Processes that ended because a sync had failed.
    public internal(set) var failedSyncs = 0
    /// Databases that were found damaged at a start, and moved aside.
    public internal(set) var damagedDisks = 0
    /// Processes that were started under the name of another.
    public internal(set) var duplicateNodes = 0
    /// The processes with priorities, and the steps before all faults ended.
    package internal(set) var processes = 0
    package internal(set) var steps = 0
    /// How often the list of nodes changed, or one was lost for good.
    public internal(set) var memberChanges = 0
}
