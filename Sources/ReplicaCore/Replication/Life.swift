import SyncProtocol

// How a replica begins to serve.

/// What a replica knows of its own past when it starts.
struct Life: Sendable {
    /// Whether there was a life before.
    var hasPast: Bool
    var startedMilliseconds: UInt64?
    /// What a life without a past has to hold before it serves, and when it last came closer to that.
    var target: Vector?
    var heldCount: UInt64 = 0
    var progressMilliseconds: UInt64 = 0
    var isServing = false
    /// Whether operations of peers are taken: what its predecessor knew of lives that are over, a life without
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
    /// A replica without a past may be a member that lost its disk, and made promises that others still count
    /// on. Once a peer tells that it knows of the new life, nobody settles anything by them any more, as all have
    /// to agree on who is closed; and all that was settled is older than what that peer tells.
    mutating func serveWhenReady() {
        guard !life.isServing else { return }
        let started = life.startedMilliseconds ?? now.elapsedMilliseconds
        life.startedMilliseconds = started
        let liveCount = peers.liveCount(at: now.elapsedMilliseconds)
        let members = peers.members
        if liveCount == members.count { life.mayTake = true }
        let hearsAll = liveCount == members.count && members.allSatisfy(\.isGreeted)
        if !hearsAll {
            guard now.elapsedMilliseconds >= started + Replica.patienceMilliseconds,
                life.hasPast || liveCount > 0
            else { return }
        }
        life.mayTake = true
        guard life.hasPast || isKnown(toAll: hearsAll) && isCaughtUp() else { return }
        life.isServing = true
        // What such a life's predecessor promised, only its peers know.
        if !life.hasPast { promised = max(promised, clock.last) }
        listens.buildNamedIndexes(in: tree.value, at: now.elapsedMilliseconds)
        turn.urgent.append(.serve)
    }

    /// Whether the peers that are there, or some of them, know of this life.
    private func isKnown(toAll: Bool) -> Bool {
        let live = peers.members.filter { peers.isLive($0, at: now.elapsedMilliseconds) }
        let knowing = live.count { $0.beat?.writers.contains(writer) == true }
        return toAll ? knowing == live.count : knowing > 0
    }

    /// Whether a replica without a past holds what its peers had when it heard them first; or gets no
    /// further, and what it misses may be with nobody who is there.
    private mutating func isCaughtUp() -> Bool {
        if life.target == nil {
            var target = Vector()
            for peer in peers.all {
                for (origin, sequence) in peer.beat?.vector.entries ?? [] {
                    target[origin] = max(target[origin], sequence)
                }
            }
            life.target = target
            life.progressMilliseconds = now.elapsedMilliseconds
        }
        if vector.covers(life.target ?? Vector()) { return true }
        if joining != nil || vector.total != life.heldCount {
            life.heldCount = vector.total
            life.progressMilliseconds = now.elapsedMilliseconds
        }
        return now.elapsedMilliseconds >= life.progressMilliseconds + Replica.patienceMilliseconds
    }

    /// Goes on as another writer.
    mutating func beginLife() {
        endConcerns()
        writer = WriterID(bits: random.next() | 1)
        batched = Vector()
        batch = BatchWriter(origin: writer)
        peers.change(own: writer)
        coordination.election.change(own: writer)
        coordination.dropAll()
        dropClosed()
    }
}
