import DataTree
import Marks
import SyncProtocol

/// The state of a replica between its start and the service of a member.
///
/// ```
/// starting ── ready ──► serving
///    │  ▲                 │  ▲
/// evicted │ awaited    evicted │ awaited
///    ▼  │                 ▼  │
/// rejoining: transferring ──────────────────► awaitingMembers
/// ```
///
/// | In | Event | Then |
/// |---|---|---|
/// | `starting` | `becomeReady`: it knows its peers, or has waited for them | `serving` |
/// | `rejoining` with clients waiting | `becomeReady` | the same phase; clients are accepted, and refused with the reason |
/// | `serving` | `becomeOld`: a peer remembers that this replica began on an old disk | `rejoining`, `recovering` |
/// | `rejoining`, `recovering` | `advanceRecovery`: it has met enough members | `serving` |
/// | `starting`, `recovering` | `endAlone`: it holds operations that peers can no longer accept | `rejoining`, `transferring` |
/// | `starting`, `serving` | `becomeEvicted`: a peer knows that the incarnation that wrote this data was evicted | `rejoining`, `transferring` |
/// | `rejoining`, `awaitingMembers` | `becomeEvicted`: this data is even older | `transferring` |
/// | `rejoining`, `transferring` | `becomeEvicted` | the same phase, with one more ended incarnation |
/// | `transferring` without a transfer | `abandonRejoin`: no other member knows of the eviction | `serving`, or `starting` if it has not accepted clients yet |
/// | `transferring` | `completeInstallation`: the checkpoint has replaced the old data | `awaitingMembers` |
/// | `awaitingMembers` | `completeRejoin`: the other members wait for this one again | `serving`, or `starting` if it has not accepted clients yet |
///
/// In each state, a checkpoint of a peer may be in transfer (`transfer`). It adds operations that peers no longer
/// have in their logs or, while this replica rejoins, replaces all its data. `CheckpointTransfer.Phase` has the phases of a
/// transfer, the installation included. If it fails, the transfer ends, and a rejoin begins another one.
///
/// Indirect, because each turn reads the state several times, and rarely changes it.
indirect enum Lifecycle: Equatable, Sendable {
    case starting(Startup, CheckpointTransfer? = nil)
    case serving(CheckpointTransfer? = nil)
    case rejoining(Rejoin)

    /// Whether clients are accepted, even if only to be refused with a reason.
    var isOpen: Bool {
        switch self {
        case .starting: false
        case .serving: true
        case .rejoining(let rejoin): rejoin.startup == nil
        }
    }

    /// Whether this replica was evicted and other members do not wait for it yet: it makes no operations.
    var isRejoining: Bool { if case .rejoining = self { true } else { false } }

    /// Whether this replica accepts operations of peers, except while its tree is being replaced.
    var isReceiving: Bool { (startup ?? rejoin?.recovery)?.isReceiving ?? true }

    /// Whether heartbeats announce the held operations (see `Startup.announcesHoldings`).
    var announcesHoldings: Bool { (startup ?? rejoin?.recovery)?.announcesHoldings ?? true }

    /// Whether the disk has all that this node ever had.
    var hasWholeDisk: Bool { (startup ?? rejoin?.recovery)?.hasRecovered ?? true }

    /// Whether the disk is known to be older than the latest one.
    var isOnOldDisk: Bool { (startup ?? rejoin?.recovery)?.disk == .old }

    /// Whether this replica serves reads alone, because its disk was old.
    var isRecovering: Bool { rejoin?.phase == .recovering }

    /// The members without which it does not serve, or accepts no writes, because its disk is not whole.
    var awaited: [String] { hasWholeDisk ? [] : (startup ?? rejoin?.recovery)?.awaited ?? [] }

    /// Whether the tree is about to be replaced.
    var isInstalling: Bool { transfer?.phase == .installing }

    /// The unmet conditions of a replica that accepts no clients yet.
    var startup: Startup? {
        switch self {
        case .starting(let startup, _): startup
        case .serving: nil
        case .rejoining(let rejoin): rejoin.startup
        }
    }

    var rejoin: Rejoin? {
        if case .rejoining(let rejoin) = self { rejoin } else { nil }
    }

    /// The transfer of a peer's checkpoint, if one is under way.
    var transfer: CheckpointTransfer? {
        get {
            switch self {
            case .starting(_, let transfer), .serving(let transfer): transfer
            case .rejoining(let rejoin): rejoin.transfer
            }
        }
        set {
            switch self {
            case .starting(let startup, _): self = .starting(startup, newValue)
            case .serving: self = .serving(newValue)
            case .rejoining(var rejoin):
                rejoin.transfer = newValue
                self = .rejoining(rejoin)
            }
        }
    }
}

// MARK: - Events

extension Lifecycle {
    /// Continues to wait for peers; once ready, clients are accepted.
    mutating func advanceStartup(_ situation: Startup.Situation) -> Startup.Progress {
        guard var startup else { return .waiting }
        // The data of another member come first.
        if !startup.hasRecovered, rejoin?.phase == .transferring { return .waiting }
        let progress = startup.advance(situation)
        if progress == .ready { becomeReady() } else { keep(startup) }
        return progress
    }

    /// Continues to wait for members that know what an old disk has forgotten; once ready, writes are accepted.
    mutating func advanceRecovery(_ situation: Startup.Situation) -> Startup.Progress {
        guard case .rejoining(var rejoin) = self, var recovery = rejoin.recovery else {
            return .waiting
        }
        let progress = recovery.advance(situation)
        rejoin.recovery = recovery
        self = .rejoining(rejoin)
        return progress
    }

    /// Learns that the disk was old when this incarnation began.
    mutating func becomeOld() {
        sometimes(.oldDiskIsDiscovered)
        switch self {
        case .starting(_, let transfer): self = .starting(Startup(disk: .old), transfer)
        case .serving(let transfer):
            var rejoin = Rejoin(phase: .recovering, transfer: transfer)
            rejoin.recovery = Startup(disk: .old)
            self = .rejoining(rejoin)
        case .rejoining: break
        }
    }

    /// Ends an incarnation by itself: it holds operations that peers can no longer accept. They become orphaned.
    mutating func endAlone(_ incarnation: Eviction) {
        guard rejoin.map({ $0.phase == .recovering }) ?? true else { return }
        sometimes(.incarnationEndsAlone)
        becomeEvicted([incarnation])
        change { $0.endedAlone.append(incarnation) }
    }

    private mutating func keep(_ startup: Startup) {
        switch self {
        case .starting(_, let transfer): self = .starting(startup, transfer)
        case .serving: break
        case .rejoining: change { $0.startup = startup }
        }
    }

    /// Begins to accept clients.
    mutating func becomeReady() {
        switch self {
        case .starting(_, let transfer): self = .serving(transfer)
        case .serving: break
        case .rejoining: change { $0.startup = nil }
        }
    }

    /// Begins to rejoin: a peer knows that the incarnations whose data this replica has were evicted.
    mutating func becomeEvicted(_ incarnations: [Eviction]) {
        if incarnations.isEmpty { return }
        sometimes(.memberLearnsOfItsEviction)
        let next: Rejoin
        switch self {
        case .starting(let startup, let transfer):
            next = Rejoin(phase: .transferring, startup: startup, transfer: transfer)
        case .serving(let transfer): next = Rejoin(phase: .transferring, transfer: transfer)
        case .rejoining(let last) where last.phase != .transferring:
            var again = Rejoin(
                phase: .transferring, startup: last.startup, transfer: last.transfer,
                left: last.left)
            again.recovery = last.recovery
            next = again
        case .rejoining(let last): next = last
        }
        self = .rejoining(next)
        change { rejoin in
            let known = Set(rejoin.ended.map(\.subject))
            rejoin.ended += incarnations.filter { !known.contains($0.subject) }
        }
    }

    /// Records that all rows of a peer's checkpoint are stored, and how many logs have an end that it does not cover.
    mutating func beginKeepingOrphans(of count: Int) {
        if transfer?.phase == .complete { waitForOrphans(count) }
    }

    /// Records that the end of one more log is kept; returns whether this replica was waiting for that.
    mutating func keptOrphans() -> Bool {
        guard case .keepingOrphans(let count)? = transfer?.phase else { return false }
        waitForOrphans(count - 1)
        return true
    }

    private mutating func waitForOrphans(_ count: Int) {
        transfer?.phase = count == 0 ? .installable : .keepingOrphans(count)
    }

    /// Records that a peer was asked for its checkpoint, to replace all data of this replica.
    mutating func beginTransfer(from member: String, at milliseconds: UInt64) {
        change { rejoin in
            rejoin.source = member
            rejoin.nextMilliseconds = milliseconds + Rejoin.patienceMilliseconds
            rejoin.transfer = CheckpointTransfer(member: member, replacesAll: true)
        }
    }

    /// Ends the transfer without an installation: rows of the checkpoint were damaged, or its member was evicted.
    mutating func failInstallation() {
        guard let transfer, [.installable, .installing].contains(transfer.phase) else { return }
        if transfer.replacesAll { sometimes(.rejoinStartsOver) }
        self.transfer = nil
    }

    /// Records that the checkpoint has replaced all else; returns the incarnations that have ended.
    mutating func completeInstallation() -> [Eviction] {
        guard case .rejoining(let rejoin) = self, rejoin.phase == .transferring,
            rejoin.transfer == nil
        else { return [] }
        var next = Rejoin(phase: .awaitingMembers, startup: rejoin.startup, left: rejoin.left)
        next.startup?.replaceData()
        self = .rejoining(next)
        return rejoin.ended
    }

    /// Keeps a closed session's on-disconnect writes until this replica may make operations.
    mutating func postpone(_ left: PermittedWrites) {
        sometimes(.disconnectWritesArePostponed)
        change { $0.left.append(left) }
    }

    /// Completes the rejoin, as the other members wait for this one; returns the on-disconnect writes kept meanwhile.
    mutating func completeRejoin() -> [PermittedWrites] { endRejoin(in: .awaitingMembers) }

    /// Accepts writes again, as enough members have been heard; returns the on-disconnect writes kept meanwhile.
    mutating func completeRecovery() -> [PermittedWrites] { endRejoin(in: .recovering) }

    /// Continues with the previous data, because no other member knows of the eviction; returns the on-disconnect
    /// writes kept meanwhile.
    mutating func abandonRejoin() -> [PermittedWrites] {
        transfer == nil ? endRejoin(in: .transferring) : []
    }

    private mutating func endRejoin(in phase: Rejoin.Phase) -> [PermittedWrites] {
        guard case .rejoining(let rejoin) = self, rejoin.phase == phase else { return [] }
        self =
            rejoin.startup.map { .starting($0, rejoin.transfer) } ?? .serving(rejoin.transfer)
        return rejoin.left
    }

    private mutating func change(_ body: (inout Rejoin) -> Void) {
        guard case .rejoining(var rejoin) = self else { return }
        body(&rejoin)
        self = .rejoining(rejoin)
    }
}
