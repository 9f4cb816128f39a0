import Marks
import SyncProtocol

/// The conditions under which a replica begins to accept clients, or accepts writes again.
struct Startup: Equatable, Sendable {
    /// Without all peers, a replica with its whole disk begins to serve after this long.
    static let patienceMilliseconds: UInt64 = 1_500

    /// The state of the disk at the start.
    enum Disk: Equatable, Sendable {
        /// It has all data that this node ever had.
        case whole
        /// It is empty: either this node is new, or it has lost its disk. Peers know.
        case empty
        /// It is known to lack the latest data: a restored copy, or a disk from which an incarnation has not recovered.
        case old
    }

    /// The result of a check.
    enum Progress: Equatable {
        case waiting
        case ready
        /// This replica holds operations that no other member may still accept: it must rejoin as an evicted one does.
        case mustRejoin
    }

    let disk: Disk
    private var startedMilliseconds: UInt64?
    /// Whether the disk held operations at the start. One that has served and holds none may have lost them, as
    /// when its write-ahead log was cut off.
    private var heldAny = true
    /// The operations that a replica that has not recovered, or wakes, must hold before it serves, and the time of its last
    /// progress.
    private var target: VersionVector?
    private var heldCount: UInt64 = 0
    private var progressMilliseconds: UInt64 = 0
    /// Since when enough members have been heard, if the disk is not whole.
    private var enoughMilliseconds: UInt64?
    /// Whether operations of peers are accepted: a replica that has not recovered must first learn what its
    /// predecessors knew of evictions.
    private(set) var isReceiving: Bool
    /// Whether heartbeats announce the held operations. Those of an old disk may have ended without it, and peers
    /// would take them from it.
    private(set) var announcesHoldings: Bool
    /// The members that it waits for, ascending.
    private(set) var awaited: [String] = []

    /// Set for the replica of a database that wakes. It serves once it holds what its peers have announced first.
    private let waking: ReplicaConfiguration.Waking?

    init(disk: Disk, waking: ReplicaConfiguration.Waking? = nil) {
        self.disk = disk
        self.waking = waking
        isReceiving = disk == .whole
        announcesHoldings = disk == .whole
    }

    /// Whether an incarnation on this disk has served: since then it has all data that this node ever had.
    var hasRecovered: Bool { disk == .whole }

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

    /// The members that are not evicted and not known to be away, by what this replica has of them.
    private struct Company {
        var members: [Peers.Peer] = []
        var live: [Peers.Peer] = []
        /// Those that have compared their memory of this member with this incarnation.
        var compared: [Peers.Peer] = []

        var isComplete: Bool { compared.count == members.count }
    }

    /// Continues to wait.
    mutating func advance(_ situation: Situation) -> Progress {
        let started = begin(situation)
        let company = company(in: situation)
        awaited = company.members.map(\.member)
        for peer in company.compared { awaited.removeAll { $0 == peer.member } }
        let isPatient = situation.milliseconds < started + Startup.patienceMilliseconds
        switch disk {
        case .whole: return advanceWithWholeDisk(situation, company, isPatient: isPatient)
        case .empty, .old:
            return isNew(company)
                ? advanceAsNew(situation, company, isPatient: isPatient)
                : advanceWithoutWholeDisk(situation, company)
        }
    }

    private func company(in situation: Situation) -> Company {
        var company = Company()
        for peer in situation.peers.remaining where !isAway(peer.member) {
            company.members.append(peer)
            guard situation.peers.isLive(peer, at: situation.milliseconds) else { continue }
            company.live.append(peer)
            if peer.isGreeted, situation.hasCompared(peer) { company.compared.append(peer) }
        }
        return company
    }

    /// Whether clients can be accepted: once heartbeats of all peers have arrived, or after a second and a half without
    /// some.
    private mutating func advanceWithWholeDisk(
        _ situation: Situation, _ company: Company, isPatient: Bool
    ) -> Progress {
        if !company.isComplete {
            if isPatient { return .waiting }
            sometimes(.servesWithoutAllPeers)
        }
        if heldAny || company.live.isEmpty {
            return waking == nil || catchUp(situation) ? .ready : .waiting
        }
        let isKnown = situation.isKnown(to: company.live, allOf: company.isComplete)
        return isKnown && catchUp(situation) ? .ready : .waiting
    }

    /// Whether nothing shows that this node has served: neither its disk nor a peer. An incarnation may have ended before it
    /// had recovered from an empty disk.
    private func isNew(_ company: Company) -> Bool {
        (disk == .empty || !heldAny) && !company.compared.contains(where: \.disk.knowsPredecessor)
    }

    /// Whether clients can be accepted by a node that no peer remembers: with all others, or after a while with most.
    private mutating func advanceAsNew(
        _ situation: Situation, _ company: Company, isPatient: Bool
    ) -> Progress {
        // The disk of a node that runs is not new: the database is.
        let isEnough =
            waking == nil
            ? 2 * (company.compared.count + 1) > situation.peers.all.count + 1
            : !company.compared.isEmpty
        guard company.isComplete || !isPatient && isEnough else { return .waiting }
        isReceiving = true
        announcesHoldings = true
        let isKnown = situation.isKnown(to: company.compared, allOf: company.isComplete)
        return isKnown && catchUp(situation) ? .ready : .waiting
    }

    /// Waits for enough members with their whole disks to meet every majority, or for all that are not evicted.
    ///
    /// Other members may rely on votes, evictions and closed timestamps that the disk has forgotten. One member of each
    /// majority knows the evictions and the votes; and once a peer announces the new incarnation, its operations are
    /// above all that the peer remembers as closed.
    private mutating func advanceWithoutWholeDisk(
        _ situation: Situation, _ company: Company
    ) -> Progress {
        // One without any data, such as a new holder of a database that moves, must not replace what is here.
        let holdsNone = situation.vector.total == 0
        let whole = company.compared.filter {
            $0.disk.isWhole && (holdsNone || $0.heartbeat?.vector.entries.isEmpty == false)
        }
        let count = situation.peers.all.count + 1
        let isEnough = company.isComplete || whole.count >= count - count / 2
        guard isEnough, situation.isKnown(to: company.compared, allOf: true) else {
            enoughMilliseconds = nil
            return .waiting
        }
        let since = enoughMilliseconds ?? situation.milliseconds
        enoughMilliseconds = since
        if !isReceiving {
            guard whole.isEmpty || situation.isCovered(by: company.compared) else {
                let isOver = situation.milliseconds >= since + Startup.patienceMilliseconds
                return isOver ? .mustRejoin : .waiting
            }
            isReceiving = true
            if whole.isEmpty { announcesHoldings = true }
        }
        return catchUp(situation) ? .ready : .waiting
    }

    /// The data were replaced by those of a member with a whole disk.
    mutating func replaceData() {
        isReceiving = true
        announcesHoldings = true
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
    /// Whether a peer has compared its memory of this member with this incarnation.
    fileprivate func hasCompared(_ peer: Peers.Peer) -> Bool {
        peer.disk.hasCompared(writer, current: peer.heartbeat?.writer)
    }

    /// Whether peers, all or some of them, announce this incarnation.
    fileprivate func isKnown(to live: [Peers.Peer], allOf: Bool) -> Bool {
        let knowing = live.count { $0.heartbeat?.writers.contains(writer) == true }
        return allOf ? knowing == live.count : knowing > 0
    }

    /// Whether peers hold everything that this replica holds of others.
    fileprivate func isCovered(by peers: [Peers.Peer]) -> Bool {
        let vectors = peers.compactMap(\.heartbeat?.vector)
        return vector.entries.allSatisfy { origin, sequence in
            origin == writer || vectors.contains { $0[origin] >= sequence }
        }
    }
}
