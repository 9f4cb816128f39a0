import SyncProtocol

// How a replica begins to serve.

/// What a replica knows of its own past when it starts.
struct Startup: Sendable {
    /// Whether there was an incarnation before.
    var hasPast: Bool
    var startedMilliseconds: UInt64?
    /// What an incarnation without a past has to hold before it serves, and when it last came closer to that.
    var target: VersionVector?
    var heldCount: UInt64 = 0
    var progressMilliseconds: UInt64 = 0
    var isServing = false
    /// Whether operations of peers are taken: what its predecessor knew of incarnations that are over, an incarnation without
    /// a past has to hear first.
    var mayTake: Bool

    init(hasPast: Bool) {
        self.hasPast = hasPast
        mayTake = hasPast
    }
}

extension Replica {
    /// Without all peers, a replica begins to serve after this long.
    static let patienceMilliseconds: UInt64 = 1_500

    /// Clients are taken once all peers were heard, or after a second and a half without some.
    ///
    /// A replica without a past may be a member that lost its disk, and made closed timestamps that others still count
    /// on. Once a peer tells that it knows of the new incarnation, nobody settles anything by them any more, as all have
    /// to agree on who is closed; and all that was stable is older than what that peer tells.
    mutating func serveWhenReady() {
        guard !startup.isServing else { return }
        let started = startup.startedMilliseconds ?? now.elapsedMilliseconds
        startup.startedMilliseconds = started
        let liveCount = peers.liveCount(at: now.elapsedMilliseconds)
        let members = peers.members
        if liveCount == members.count { startup.mayTake = true }
        let hearsAll = liveCount == members.count && members.allSatisfy(\.isGreeted)
        if !hearsAll {
            guard now.elapsedMilliseconds >= started + Replica.patienceMilliseconds,
                startup.hasPast || liveCount > 0
            else { return }
        }
        startup.mayTake = true
        guard startup.hasPast || isKnown(toAll: hearsAll) && isCaughtUp() else { return }
        startup.isServing = true
        // What such an incarnation's predecessor promised, only its peers know.
        if !startup.hasPast { closedTimestamp = max(closedTimestamp, clock.last) }
        listens.buildNamedIndexes(in: tree.value, at: now.elapsedMilliseconds)
        turn.immediate.append(.serve)
    }

    /// Whether the peers that are there, or some of them, know of this incarnation.
    private func isKnown(toAll: Bool) -> Bool {
        let live = peers.members.filter { peers.isLive($0, at: now.elapsedMilliseconds) }
        let knowing = live.count { $0.heartbeat?.writers.contains(writer) == true }
        return toAll ? knowing == live.count : knowing > 0
    }

    /// Whether a replica without a past holds what its peers had when it heard them first; or gets no
    /// further, and what it misses may be with nobody who is there.
    private mutating func isCaughtUp() -> Bool {
        if startup.target == nil {
            var target = VersionVector()
            for peer in peers.all {
                for (origin, sequence) in peer.heartbeat?.vector.entries ?? [] {
                    target[origin] = max(target[origin], sequence)
                }
            }
            startup.target = target
            startup.progressMilliseconds = now.elapsedMilliseconds
        }
        if vector.covers(startup.target ?? VersionVector()) { return true }
        if transfer != nil || vector.total != startup.heldCount {
            startup.heldCount = vector.total
            startup.progressMilliseconds = now.elapsedMilliseconds
        }
        return now.elapsedMilliseconds >= startup.progressMilliseconds
            + Replica.patienceMilliseconds
    }

    /// Goes on as another writer.
    mutating func beginIncarnation() {
        endWriteConcernWaiters()
        writer = WriterID(bits: random.next() | 1)
        batched = VersionVector()
        batch = BatchWriter(origin: writer)
        peers.change(own: writer)
        coordination.election.change(own: writer)
        coordination.dropAll()
        dropClosed()
    }
}
