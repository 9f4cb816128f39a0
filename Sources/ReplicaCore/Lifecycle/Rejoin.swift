import SyncProtocol

/// How an evicted replica rejoins: with the data of another member, as another writer, and with the operations
/// replayed that no other member holds.
struct Rejoin: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        /// Until the checkpoint of another member has replaced all else. The phases of this are those of the transfer.
        case transferring
        /// Until the other members wait for this one again.
        case awaitingMembers
        /// Until enough members have been heard: a peer remembered that this replica began on an old disk.
        case recovering
    }

    /// The interval between attempts.
    static let patienceMilliseconds: UInt64 = 1_000

    var phase: Phase
    /// The conditions for accepting clients; nil if it accepts them.
    var startup: Startup?
    /// The unmet conditions of a replica that serves on an old disk; nil if it had its latest disk.
    var recovery: Startup?
    /// The transfer of another member's checkpoint.
    var transfer: CheckpointTransfer?
    /// The incarnations of this member that have ended.
    var ended: [Eviction] = []
    /// Those among them that ended by a decision of this replica, of which no other member knows yet.
    var endedAlone: [Eviction] = []
    /// The member asked last, and when the next one may be asked.
    var source = ""
    var nextMilliseconds: UInt64 = 0
    /// The on-disconnect writes of sessions that have closed meanwhile.
    var left: [PermittedWrites] = []

    init(
        phase: Phase, startup: Startup? = nil, transfer: CheckpointTransfer? = nil,
        left: [PermittedWrites] = []
    ) {
        self.phase = phase
        self.startup = startup
        self.transfer = transfer
        self.left = left
    }

    /// The live member to ask for its checkpoint next, in rotation among those that know all ended incarnations.
    func nextSource(of peers: Peers, at milliseconds: UInt64) -> String? {
        guard milliseconds >= nextMilliseconds else { return nil }
        let sources = peers.remaining.filter { peer in
            guard let heartbeat = peer.heartbeat else { return false }
            return peers.isLive(peer, at: milliseconds) && isKnown(by: heartbeat.evictions)
                && (endedAlone.isEmpty || peer.disk.isWhole)
        }
        return (sources.first { $0.member > source } ?? sources.first)?.member
    }

    /// Whether a member with these evictions knows all ended incarnations. One that does not has other data, or has lost its own
    /// since it was asked: its checkpoint must not replace what is here.
    func isKnown(by evictions: [Eviction]) -> Bool {
        ended.allSatisfy { endedAlone.contains($0) || evictions.hasOver($0) }
    }

    /// Whether all other members are live, and none has even voted against an ended incarnation: those that had have lost their disks.
    func isForgotten(by peers: Peers, at milliseconds: UInt64) -> Bool {
        endedAlone.isEmpty
            && peers.remaining.allSatisfy { peer in
                guard let heartbeat = peer.heartbeat, peers.isLive(peer, at: milliseconds) else {
                    return false
                }
                return !ended.contains { heartbeat.evictions.has($0, from: .wanted) }
            }
    }
}
