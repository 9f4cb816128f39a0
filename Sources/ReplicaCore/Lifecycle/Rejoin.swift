import SyncProtocol

/// How an evicted replica rejoins: with the data of another member, as another writer, and with what it alone had
/// replayed afterwards.
struct Rejoin: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// Until all rows of another member's checkpoint are here.
        case transferring
        /// Until so many ends of logs, which that checkpoint does not cover, are kept beside the log.
        case keepingOrphans(Int)
        /// Until the checkpoint has taken the place of all else.
        case installing
        /// Until the others wait for this member again.
        case awaitingMembers
    }

    /// From one try to the next.
    static let patienceMilliseconds: UInt64 = 1_000

    var phase: Phase
    /// What it still waits for before it takes clients; nil if it takes them.
    var startup: Startup?
    /// How the checkpoint of another member comes.
    var transfer: CheckpointTransfer?
    /// The incarnations of this member that are over.
    var ended: [Eviction] = []
    /// The member asked last, and when the next one may be asked.
    var source = ""
    var nextMilliseconds: UInt64 = 0
    /// What clients that are gone wanted written.
    var left: [[Write]] = []

    init(
        phase: Phase, startup: Startup? = nil, transfer: CheckpointTransfer? = nil,
        left: [[Write]] = []
    ) {
        self.phase = phase
        self.startup = startup
        self.transfer = transfer
        self.left = left
    }

    /// The live member to ask for its checkpoint next: one after the other, of those that know all that is over.
    func nextSource(of peers: Peers, at milliseconds: UInt64) -> String? {
        guard milliseconds >= nextMilliseconds else { return nil }
        let sources = peers.members.filter { peer in
            guard let heartbeat = peer.heartbeat else { return false }
            return peers.isLive(peer, at: milliseconds)
                && ended.allSatisfy { heartbeat.evictions.hasOver($0) }
        }
        return (sources.first { $0.member > source } ?? sources.first)?.member
    }
}
