import SyncProtocol

/// What a replica waits for before it takes clients.
struct Startup: Equatable, Sendable {
    /// Without all peers, a replica begins to serve after this long.
    static let patienceMilliseconds: UInt64 = 1_500

    /// Whether there was an incarnation before.
    let hasPast: Bool
    private var startedMilliseconds: UInt64?
    /// What an incarnation without a past has to hold before it serves, and when it last came closer to that.
    private var target: VersionVector?
    private var heldCount: UInt64 = 0
    private var progressMilliseconds: UInt64 = 0
    /// Whether operations of peers are taken: an incarnation without a past has to hear first what its
    /// predecessor knew of evictions.
    private(set) var isReceiving: Bool

    init(hasPast: Bool) {
        self.hasPast = hasPast
        isReceiving = hasPast
    }

    /// What a replica knows of itself and its peers when it looks whether it can serve.
    struct Situation {
        var milliseconds: UInt64
        var writer: WriterID
        var vector: VersionVector
        var peers: Peers
        /// Whether the checkpoint of a peer is on its way.
        var isTransferring: Bool
    }

    /// Goes on waiting. Returns whether clients can be taken: once all peers were heard, or after a second and a
    /// half without some.
    ///
    /// A replica without a past may be a member that lost its disk, and whose closed timestamps others still
    /// count on. Once a peer tells that it knows of the new incarnation, nobody takes anything for stable by them
    /// any more, as all have to agree on who is closed; and all that was stable is older than what that peer
    /// tells.
    mutating func advance(_ situation: Situation) -> Bool {
        let started = startedMilliseconds ?? situation.milliseconds
        startedMilliseconds = started
        let members = situation.peers.members
        let liveCount = situation.peers.liveCount(at: situation.milliseconds)
        if liveCount == members.count { isReceiving = true }
        let hearsAll = liveCount == members.count && members.allSatisfy(\.isGreeted)
        if !hearsAll {
            guard situation.milliseconds >= started + Startup.patienceMilliseconds,
                hasPast || liveCount > 0
            else { return false }
        }
        isReceiving = true
        return hasPast || situation.isKnown(toAll: hearsAll) && catchUp(situation)
    }

    /// Returns whether a replica without a past holds what its peers had when it heard them first; or gets no
    /// further, and no member that is there may have what it misses.
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
    /// Whether the peers that are there, or some of them, know of this incarnation.
    fileprivate func isKnown(toAll: Bool) -> Bool {
        let live = peers.members.filter { peers.isLive($0, at: milliseconds) }
        let knowing = live.count { $0.heartbeat?.writers.contains(writer) == true }
        return toAll ? knowing == live.count : knowing > 0
    }
}
