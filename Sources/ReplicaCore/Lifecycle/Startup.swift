import Marks
import SyncProtocol

/// The conditions under which a replica begins to accept clients.
struct Startup: Equatable, Sendable {
    /// Without all peers, a replica begins to serve after this long.
    static let patienceMilliseconds: UInt64 = 1_500

    /// Whether an incarnation on this disk has served: since then it has all data that this node ever had.
    let hasRecovered: Bool
    private var startedMilliseconds: UInt64?
    /// Whether the disk held operations at the start. One that has served and holds none may have lost them, as
    /// when its write-ahead log was cut off.
    private var heldAny = true
    /// The operations that a replica that has not recovered, or wakes, must hold before it serves, and the time of its last
    /// progress.
    private var target: VersionVector?
    private var heldCount: UInt64 = 0
    private var progressMilliseconds: UInt64 = 0
    /// Whether operations of peers are accepted: a replica that has not recovered must first learn what its
    /// predecessors knew of evictions.
    private(set) var isReceiving: Bool

    /// Set for the replica of a database that wakes. It serves once it holds what its peers have announced first.
    private let waking: ReplicaConfiguration.Waking?

    init(hasRecovered: Bool, waking: ReplicaConfiguration.Waking? = nil) {
        self.hasRecovered = hasRecovered
        self.waking = waking
        isReceiving = hasRecovered
    }

    /// A replica's view of itself and its peers when it checks whether it can serve.
    struct Situation {
        var milliseconds: UInt64
        var writer: WriterID
        var vector: VersionVector
        /// The operations on the disk.
        var durable: VersionVector
        var peers: Peers
        /// Whether the transfer of a peer's checkpoint is under way.
        var isTransferring: Bool
    }

    /// Continues to wait. Returns whether clients can be accepted: once heartbeats of all peers have arrived, or
    /// after a second and a half without some.
    ///
    /// A replica that has not recovered may be a member that lost its disk. Other members may still rely on its
    /// earlier closed timestamps. Once a peer announces the new incarnation, no member uses those timestamps to
    /// advance the stable time, because all must agree on the set of closed writers. All stable operations are
    /// older than that announcement.
    mutating func advance(_ situation: Situation) -> Bool {
        let started = begin(situation)
        let members = situation.peers.remaining.filter { !isAway($0.member) }
        let liveCount = members.count {
            situation.peers.isLive($0, at: situation.milliseconds)
        }
        if liveCount == members.count { isReceiving = true }
        let hearsAll = liveCount == members.count && members.allSatisfy(\.isGreeted)
        if !hearsAll {
            guard situation.milliseconds >= started + Startup.patienceMilliseconds,
                hasRecovered || liveCount > 0
            else { return false }
            sometimes(.servesWithoutAllPeers)
        }
        isReceiving = true
        if hasRecovered, heldAny || liveCount == 0 { return waking == nil || catchUp(situation) }
        return situation.isKnown(toAll: hearsAll) && catchUp(situation)
    }

    /// Whether the replica does not wait for a member. One that has not recovered waits for all.
    private func isAway(_ member: String) -> Bool {
        hasRecovered && waking?.awayMembers.contains(member) == true
    }

    /// Returns when the replica has checked this first, and records what its disk held then.
    private mutating func begin(_ situation: Situation) -> UInt64 {
        if let startedMilliseconds { return startedMilliseconds }
        startedMilliseconds = situation.milliseconds
        heldAny = situation.durable.total > 0
        return situation.milliseconds
    }

    /// Returns whether a replica that has not recovered, or has just woken, holds what its peers had in their first heartbeats, or makes no
    /// progress and no live member may have what it misses.
    private mutating func catchUp(_ situation: Situation) -> Bool {
        if target == nil {
            var target = VersionVector()
            for peer in situation.peers.all {
                for (origin, sequence) in peer.heartbeat?.vector.entries ?? [] {
                    target[origin] = max(target[origin], sequence)
                }
            }
            self.target = target
            progressMilliseconds = situation.milliseconds
        }
        if situation.vector.covers(target ?? VersionVector()) { return true }
        if situation.isTransferring || situation.vector.total != heldCount {
            heldCount = situation.vector.total
            progressMilliseconds = situation.milliseconds
        }
        return situation.milliseconds >= progressMilliseconds + Startup.patienceMilliseconds
    }
}

extension Startup.Situation {
    /// Whether the live peers, all or some of them, know this incarnation.
    fileprivate func isKnown(toAll: Bool) -> Bool {
        let live = peers.remaining.filter { peers.isLive($0, at: milliseconds) }
        let knowing = live.count { $0.heartbeat?.writers.contains(writer) == true }
        return toAll ? knowing == live.count : knowing > 0
    }
}
