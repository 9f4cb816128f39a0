import Convergence
import DataTree
import Store
import SyncProtocol

/// The replicated tree, and what keeps it equal to those of the peers: clock, operations, repair and membership.
///
/// It knows nothing of clients. Operations reach its tree in two ways: `accept` makes one, `applyNext` applies
/// one of a peer.
struct Replication: Sendable {
    let configuration: ReplicaConfiguration
    /// When this turn began, as far as the clock follows the wall clock.
    private(set) var now = Moment(wallMilliseconds: 0, elapsedMilliseconds: 0)
    /// The time of the wall clock, whether the clock follows it or not.
    private(set) var shownMilliseconds: UInt64 = 0
    var clock: HybridClock
    var clockBound: ClockBound
    var closedTimestamp: ClosedTimestamp
    var closedBound: ClosedBound
    /// This incarnation has made no operation with a stamp up to this time, and makes none.
    private(set) var floor: HybridTime
    /// The earlier incarnations of this member, by its disk.
    var incarnations: Incarnations
    /// The earliest stamp of an operation that this incarnation has made.
    private var earliestOwn: HybridTime?
    /// All operations with stamps up to this time have arrived.
    var stableTime = HybridTime.zero
    var tree = ConvergentTree()
    /// Operations that the replica holds, and the tree does not show yet.
    var largeOperations = LargeOperations()
    /// The rules of the cluster: the latest record of those that have arrived.
    private(set) var rules: RulesRecord?
    /// The last rules that have arrived.
    var rulesHistory = RulesHistory()
    /// A vector whose holders also hold the rules.
    private(set) var rulesVector = VersionVector()
    /// The highest time of an applied operation since the start.
    var lastAppliedTime = HybridTime.zero
    /// The on-disconnect writes of all sessions of the cluster.
    var disconnectRecords = DisconnectRecords()
    /// How much of each origin is applied.
    var vector = VersionVector()
    var deduplicationTable: DeduplicationTable
    /// The operations of this incarnation since its last batch.
    var ownBatch: OwnBatch
    /// The batch whose operations are being applied.
    var arriving: ArrivingBatch?
    var reorderBuffer: ReorderBuffer
    var repair: Repair
    var peers: Peers
    /// The list of members to be stored; nil once it is.
    var unstoredMembers: MemberList?
    var refusals = RefusedMembers()
    /// The batches that this member held when it was evicted and the installed checkpoint does not cover, origin
    /// by origin.
    var orphans: [[UInt8]]
    var identifiers: IdentifierSource
    /// The effects of this turn: data to store and to send.
    var turn = OpenTurn()
    var counters = Counters()

    /// Begins an incarnation with a writer of its own.
    ///
    /// The data may be an older copy, and peers may hold operations made after it: a writer that no other
    /// incarnation continues cannot contradict itself.
    init(
        _ configuration: ReplicaConfiguration, clockBound: UInt64, closedBound: UInt64,
        evictions: [Eviction], members last: MemberList?, remembering memories: PeerMemories,
        after incarnations: Incarnations, orphans: [[UInt8]]
    ) {
        self.configuration = configuration
        deduplicationTable = DeduplicationTable(within: configuration.limits)
        reorderBuffer = ReorderBuffer(within: configuration.limits)
        repair = Repair(within: configuration.limits)
        identifiers = IdentifierSource(seed: configuration.seed)
        let writer = identifiers.nextWriter()
        clock = HybridClock(after: HybridTime(milliseconds: clockBound))
        self.clockBound = ClockBound(milliseconds: clockBound)
        self.closedBound = ClosedBound(milliseconds: closedBound)
        self.incarnations = incarnations
        self.incarnations.isSynchronous = configuration.durability == .commit
        self.incarnations.begin(writer)
        floor = HybridTime(milliseconds: closedBound)
        closedTimestamp = ClosedTimestamp(
            floor, lagMilliseconds: configuration.retryWindowMilliseconds)
        ownBatch = OwnBatch(of: writer, within: configuration.limits)
        peers = Peers(
            members: configuration.peers.filter { $0 != configuration.member },
            of: configuration.member, own: writer, remembering: memories)
        self.orphans = orphans
        peers.evictions.restore(evictions)
        compareMembers(with: last)
    }

    /// The writer of this incarnation.
    var writer: WriterID { ownBatch.origin }

    /// Records the stamp of an operation that this incarnation makes.
    mutating func recordOwn(_ time: HybridTime) { earliestOwn = min(earliestOwn ?? time, time) }

    /// Makes no operation up to a time; returns false if this incarnation has made one.
    mutating func raiseFloor(to time: HybridTime) -> Bool {
        guard time > floor else { return true }
        if let earliestOwn, earliestOwn <= time { return false }
        floor = time
        clock.observe(time)
        closedTimestamp.raise(to: time)
        return true
    }

    /// Counts from the closed timestamp again, as another writer.
    mutating func resetFloor() { (floor, earliestOwn) = (closedTimestamp.time, nil) }

    /// The view of this moment for sessions and coordination.
    var view: ReplicationView {
        ReplicationView(
            now: now, tree: tree.value, registers: tree.registers, vector: vector, time: clock.last,
            stableTime: shownStableTime,
            unshownBeyond: largeOperations.shownVector)
    }

    /// All operations with stamps up to this time show.
    var shownStableTime: HybridTime {
        min(stableTime, largeOperations.timeBefore ?? stableTime)
    }

    /// Records the time of the driver's clocks.
    mutating func beginTurn(at moment: Moment) {
        now = clock.followed(moment)
        shownMilliseconds = moment.wallMilliseconds
    }

    /// Learns of rules; those with the latest stamp count, whatever the order in which they arrive.
    ///
    /// - Parameter sequence: Members with the origin's operations up to it hold these rules.
    mutating func learn(_ record: RulesRecord, of origin: WriterID, through sequence: UInt64) {
        rulesHistory.insert(record, of: name(of: record.stamp.writer))
        guard isNewest(record) else { return }
        rules = record
        rulesVector = VersionVector()
        rulesVector[origin] = sequence
    }

    /// Whether rules are later than those that count.
    func isNewest(_ record: RulesRecord) -> Bool { rules.map { $0.stamp < record.stamp } ?? true }

    /// Replaces the rules by those of a checkpoint.
    mutating func restore(rules record: RulesRecord?) {
        (rules, rulesVector) = (record, vector)
        if let record { rulesHistory.insert(record, of: name(of: record.stamp.writer)) }
    }
}

/// A read-only view of replication for sessions and coordination.
///
/// They return the changes that they request, such as `Submission`, and `Replica` executes them.
struct ReplicationView: Sendable {
    let now: Moment
    /// The tree as readers see it.
    let tree: Value
    /// The registers of its locations.
    let registers: Registers
    /// How much of each origin is applied.
    let vector: VersionVector
    /// The newest time that the clock has issued or seen.
    let time: HybridTime
    /// All operations with stamps up to this time have arrived.
    let stableTime: HybridTime
    /// The tree shows all operations in this vector, and not yet all others; nil if it shows all.
    var unshownBeyond: VersionVector?

    /// Whether the tree shows what a client has seen.
    func shows(_ seen: VersionVector) -> Bool { (unshownBeyond ?? vector).covers(seen) }
}
