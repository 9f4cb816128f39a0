import Convergence
import DataTree
import Store
import SyncProtocol

/// The replicated tree, and all that keeps it equal to those of the peers: clock, operations, repair and
/// membership.
///
/// It knows nothing of clients. Operations reach its tree in two ways: `accept` makes one, `applyNext` applies
/// one that a peer has made.
struct Replication: Sendable {
    let configuration: ReplicaConfiguration
    /// When this turn began, as far as the clock follows that.
    private(set) var now = Moment(wallMilliseconds: 0, elapsedMilliseconds: 0)
    /// What the wall clock shows, whether it is followed or not.
    private(set) var shownMilliseconds: UInt64 = 0
    var clock: HybridClock
    var clockBound: ClockBound
    var closedTimestamp: ClosedTimestamp
    /// All operations with stamps up to this time have arrived.
    var stableTime = HybridTime.zero
    var tree = ConvergentTree()
    /// How much of each origin is applied.
    var vector = VersionVector()
    var deduplicationTable = DeduplicationTable()
    /// The operations of this incarnation since its last batch.
    var ownBatch: OwnBatch
    /// The batch whose operations are being applied.
    var arriving: ArrivingBatch?
    var reorderBuffer = ReorderBuffer()
    var repair = Repair()
    var peers: Peers
    /// The list of members that is to be kept on disk; nil once it is.
    var unstoredMembers: MemberList?
    var refusals = Refusals()
    /// The batches that this member held when it was evicted, beyond what another one held, origin by origin.
    var orphans: [[UInt8]]
    var identifiers: IdentifierSource
    /// What this turn has to store and to send.
    var turn = OpenTurn()
    var counters = Counters()

    /// Begins an incarnation with a writer of its own.
    ///
    /// The data may be an older copy, and peers may hold, or have yet to hear, what came after it: a writer that
    /// never goes on cannot contradict itself.
    init(
        _ configuration: ReplicaConfiguration, clockBound: UInt64, evictions: [Eviction],
        members last: MemberList?, orphans: [[UInt8]]
    ) {
        self.configuration = configuration
        identifiers = IdentifierSource(seed: configuration.seed)
        let writer = identifiers.nextWriter()
        clock = HybridClock(after: HybridTime(milliseconds: clockBound))
        self.clockBound = ClockBound(milliseconds: clockBound)
        closedTimestamp = ClosedTimestamp(
            clock.last, lagMilliseconds: configuration.retryWindowMilliseconds)
        ownBatch = OwnBatch(of: writer)
        peers = Peers(
            members: configuration.peers.filter { $0 != configuration.member },
            of: configuration.member, own: writer)
        self.orphans = orphans
        peers.evictions.restore(evictions)
        compareMembers(with: last)
    }

    /// Who this replica is to its peers, in this incarnation.
    var writer: WriterID { ownBatch.origin }

    /// What sessions and coordination see of this moment.
    var view: ReplicationView {
        ReplicationView(
            now: now, tree: tree.value, vector: vector, time: clock.last, stableTime: stableTime)
    }

    /// Learns what the driver's clocks show.
    mutating func beginTurn(at moment: Moment) {
        now = clock.followed(moment)
        shownMilliseconds = moment.wallMilliseconds
    }
}

/// What sessions and coordination see of replication: values, through which neither can change it.
///
/// They hand back what they want done, such as `Submission`, and `Replica` does it.
struct ReplicationView: Sendable {
    let now: Moment
    /// What readers see.
    let tree: Value
    /// How much of each origin is applied.
    let vector: VersionVector
    /// The newest time that the clock has issued or seen.
    let time: HybridTime
    /// All operations with stamps up to this time have arrived.
    let stableTime: HybridTime
}
