import Marks
import SyncProtocol

/// The other members, as this replica knows them: their last heartbeats and the arrival times.
///
/// A member has one *current* writer, that of its last heartbeat. Every other writer is *closed*: its incarnation has
/// ended, and members accept only those of its operations that some member's heartbeat shows. So no member's holdings
/// of a closed writer grow beyond what all held when the last member closed it.
struct Peers: Sendable {
    /// A member that was silent for this long counts as away.
    static let silenceMilliseconds: UInt64 = 2_000

    struct Peer: Sendable {
        let member: String
        var heartbeat: Heartbeat?
        /// When the last heartbeat arrived; 0 if there is none, or the member has said goodbye.
        var heardMilliseconds: UInt64 = 0
        /// The latest of its closed timestamps up to which this replica holds all operations, and the agreement at that
        /// time.
        var stableTime = HybridTime.zero
        var agreement: Agreement?
        /// It has welcomed this replica as the member that it claims to be.
        var isGreeted = false
        var disk = PeerDisk()
    }

    /// The facts on which members must agree before the stable time advances.
    struct Agreement: Equatable, Sendable {
        /// The current writers of all members with a heartbeat, ascending.
        var writers: [WriterID]
        /// The evicted members, which no member waits for.
        var out: [Eviction]
    }

    /// The effect of a heartbeat.
    enum Reception {
        case known
        /// The member began a new incarnation, or sent its first heartbeat.
        case newWriter
        /// The heartbeat is from an evicted incarnation.
        case evicted
        /// The sender is not a peer.
        case unknownPeer
        /// It counts only once the sender has made a statement about its disk.
        case withheld
        /// It is older than an earlier arrival, or omits other origins than this replica has folded.
        case late
    }

    /// Ascending by member.
    private(set) var all: [Peer]
    /// This replica's own writer.
    private(set) var own: WriterID
    /// The current writers of all members with a heartbeat, ascending.
    private(set) var writers: [WriterID]
    /// Incarnations that are evicted, or are to be.
    var evictions: Evictions
    /// Whether the disk should have what this replica remembers of peers at once.
    private(set) var hasNewMemories = false
    /// Until then heartbeats name all origins: a receiver may not have folded the same ones.
    var namesAllUntilMilliseconds: UInt64 = 0

    init(
        members: [String], of member: String, own: WriterID,
        remembering memories: PeerMemories = PeerMemories()
    ) {
        all = members.sorted().map {
            Peer(member: $0, disk: PeerDisk(remembering: memories[$0]))
        }
        evictions = Evictions(own: member)
        self.own = own
        writers = [own]
    }

    /// Stores a heartbeat. The times of a member's heartbeats ascend, even from one incarnation to the next, and so
    /// define the order of its incarnations.
    ///
    /// - Parameters:
    ///   - folded: The origins that this replica has folded.
    ///   - stable: Its stable time.
    mutating func receive(
        _ heartbeat: Heartbeat, folded: FoldedOrigins? = nil, stable: HybridTime = .zero,
        at elapsedMilliseconds: UInt64
    ) -> Reception {
        guard let index = all.firstIndex(where: { $0.member == heartbeat.member })
        else { return .unknownPeer }
        if evictions.exclude(heartbeat) {
            namesAllUntilMilliseconds = elapsedMilliseconds + Peers.namingMilliseconds
            return .evicted
        }
        // The sender will name all origins once it receives a heartbeat of this replica.
        guard let heartbeat = heartbeat.completed(with: folded) else {
            sometimes(.heartbeatNamesOtherFolds)
            return .late
        }
        let last = all[index].heartbeat
        let isSame = last?.writer == heartbeat.writer
        if let last, isSame ? heartbeat.time < last.time : heartbeat.time <= last.time {
            return .late
        }
        // A member that rejoins makes its operations later than those that wait for it again hold for stable.
        let bound = hasEvicted(heartbeat.member) ? .zero : stable
        guard all[index].disk.admit(heartbeat, stable: bound) else { return .withheld }
        if all[index].disk.remember(heartbeat) { hasNewMemories = true }
        all[index].heartbeat = heartbeat
        all[index].heardMilliseconds = max(1, elapsedMilliseconds)
        let hasReturned = evictions.noteReturn(of: heartbeat.member)
        if isSame, !hasReturned { return .known }
        evictions.dropVotes(against: heartbeat.member, except: heartbeat.writer)
        listWriters()
        return .newWriter
    }

    /// Whether a name is that of a peer, or this replica's own.
    func isMember(_ name: String) -> Bool {
        name == evictions.own || all.contains { $0.member == name }
    }

    mutating func changeHeartbeats(_ body: (inout Heartbeat) -> Void) {
        for index in all.indices {
            guard var heartbeat = all[index].heartbeat else { continue }
            all[index].heartbeat = nil
            body(&heartbeat)
            all[index].heartbeat = heartbeat
        }
    }

    /// Processes a member's goodbye.
    mutating func leave(_ member: String, _ writer: WriterID) {
        for index in all.indices where all[index].member == member {
            if all[index].heartbeat?.writer == writer { all[index].heardMilliseconds = 0 }
        }
    }

    mutating func greet(_ member: String, version: UInt64) {
        for index in all.indices where all[index].member == member {
            all[index].isGreeted = true
            all[index].disk.version = version
        }
    }

    /// Changes what this replica knows of a peer's disk; returns nil for a node that is no peer.
    mutating func changeDisk<Result>(
        of member: String, _ body: (inout PeerDisk) -> Result
    ) -> Result? {
        all.firstIndex { $0.member == member }.map { body(&all[$0].disk) }
    }

    /// The memories of all peers, to be stored.
    mutating func takeMemories() -> PeerMemories {
        hasNewMemories = false
        return PeerMemories(
            all.compactMap { peer in peer.disk.memory.map { (peer.member, $0) } })
    }

    /// Has the memories stored.
    mutating func storeMemories() { hasNewMemories = true }

    /// Resets stability, because this replica's state was replaced.
    mutating func resetStability() {
        for index in all.indices {
            all[index].stableTime = .zero
            all[index].agreement = nil
        }
    }

    /// How much of an origin each member holds durably, most first; 0 for a member without a heartbeat.
    func holdings(of origin: WriterID, own: UInt64) -> [UInt64] {
        ([own] + remaining.map { min(own, $0.heartbeat?.vector[origin] ?? 0) }).sorted(by: >)
    }

    /// Begins a new incarnation of this replica.
    mutating func change(own writer: WriterID) {
        own = writer
        listWriters()
    }

    mutating func listWriters() {
        writers = ([own] + all.compactMap { $0.heartbeat?.writer }).sorted()
    }

    func isLive(_ peer: Peer, at elapsedMilliseconds: UInt64) -> Bool {
        peer.heardMilliseconds > 0
            && elapsedMilliseconds < peer.heardMilliseconds + Peers.silenceMilliseconds
    }

    // These go by index: an element of a loop is a copy, and a copy of a heartbeat costs more than what is looked at.

    func liveCount(at elapsedMilliseconds: UInt64) -> Int {
        all.indices.count { isLive(all[$0], at: elapsedMilliseconds) }
    }

    /// How many live members have a name before this one's.
    func liveCount(before member: String, at elapsedMilliseconds: UInt64) -> Int {
        all.indices.count {
            all[$0].member < member && isLive(all[$0], at: elapsedMilliseconds)
        }
    }

    /// Whether a vector covers those of all heartbeats.
    func areCovered(by vector: VersionVector) -> Bool {
        for index in all.indices {
            if let held = all[index].heartbeat?.vector, !vector.covers(held) { return false }
        }
        return true
    }

    /// The members that are waited for, and silent.
    func silentMembers(at elapsedMilliseconds: UInt64) -> [String] {
        remaining.filter { !isLive($0, at: elapsedMilliseconds) }.map(\.member)
    }

    /// The highest sequence of an origin that some member is known to hold durably.
    func shown(of origin: WriterID) -> UInt64 {
        all.reduce(0) { max($0, $1.heartbeat?.vector[origin] ?? 0) }
    }

    /// Whether operations of an origin up to a sequence may be accepted.
    func mayTake(_ origin: WriterID, through sequence: UInt64) -> Bool {
        writers.contains(origin) || sequence <= shown(of: origin)
    }
}

// MARK: - Stability

extension Peers {
    /// Advances the peers' closed timestamps that are stable for a replica with this `vector`: it holds everything
    /// announced with them, and agrees with their senders on which writers are closed.
    mutating func advanceStability(holding vector: VersionVector) {
        let agreement = agreement
        for index in all.indices {
            guard let heartbeat = all[index].heartbeat, vector.covers(heartbeat.vector) else {
                continue
            }
            if heartbeat.evictions != evictions.all { evictions.finish(heartbeat.evictions) }
            guard isAgreed(heartbeat) else { continue }
            all[index].stableTime = max(all[index].stableTime, heartbeat.closedTimestamp)
            all[index].agreement = agreement
        }
    }

    private var agreement: Agreement { Agreement(writers: writers, out: evictions.out) }

    func isAgreed(_ heartbeat: Heartbeat) -> Bool {
        heartbeat.writers == writers
            && heartbeat.evictions.lazy.filter { $0.stage == .out }.elementsEqual(evictions.out)
    }

    /// The time up to which all operations have arrived; nil while members disagree on which writers are closed.
    ///
    /// Later operations of a current writer come after its closed timestamp. Operations of a closed writer that other
    /// members hold and this replica does not would have been announced with their closed timestamps. Source:
    /// `convergence.md`, section 6, the local stable time.
    func stableTime(own closedTimestamp: HybridTime) -> HybridTime? {
        let (remaining, agreement) = (remaining, agreement)
        guard writers.count == remaining.count + 1,
            remaining.allSatisfy({ $0.agreement == agreement })
        else { return nil }
        return remaining.reduce(closedTimestamp) { min($0, $1.stableTime) }
    }

    /// The members that may still have operations with stamps up to `time`.
    func notStable(through time: HybridTime) -> [String] {
        let agreement = agreement
        return remaining.filter { $0.agreement != agreement || $0.stableTime < time }.map(\.member)
    }
}

// MARK: - Evictions

extension Peers {
    /// The peers that are not evicted.
    var remaining: [Peer] { evictions.out.isEmpty ? all : all.filter { !isOut($0) } }

    /// Whether a member is evicted, and has not rejoined as another writer.
    func isOut(_ peer: Peer) -> Bool { evictions.isOut(peer.member) }

    /// Whether a member was evicted at some time.
    func hasEvicted(_ member: String) -> Bool {
        evictions.all.contains { $0.member == member && $0.stage >= .out }
    }

    /// Whether a majority of members would remain after one more eviction.
    func canSpare(_ member: String) -> Bool {
        let gone = all.filter { peer in
            peer.member == member || isOut(peer) || evictions.hasVote(against: peer.member)
        }
        return 2 * gone.count < all.count + 1
    }

    /// The live peers that can vote against a member.
    func voters(against member: String, at elapsedMilliseconds: UInt64) -> [Peer] {
        remaining.filter { $0.member != member && isLive($0, at: elapsedMilliseconds) }
    }

    /// Whether this replica and its live peers are enough to evict a member.
    func canVoteOut(_ member: String, at elapsedMilliseconds: UInt64) -> Bool {
        isMajority(voters(against: member, at: elapsedMilliseconds).count + 1)
    }

    /// Records a vote for the end of a peer's incarnation, if it may still run.
    mutating func want(_ eviction: Eviction) {
        guard isOpen(eviction), canSpare(eviction.member) else { return }
        _ = evictions.raise(eviction, to: .wanted)
    }

    /// Records another member's vote as this replica's own, too.
    ///
    /// If the cluster cannot spare both members, the vote for the later name is dropped in favour of the earlier
    /// one. If some members voted against one and some against the other, neither eviction would ever be decided.
    private mutating func join(_ vote: Eviction) {
        guard isOpen(vote) else { return }
        if !canSpare(vote.member), let other = evictions.votes.last, other.member > vote.member {
            sometimes(.evictionVoteYields)
            evictions.dropVotes(against: other.member)
        }
        want(vote)
    }

    /// Whether an eviction is of an incarnation that a peer may still be in, and is not known yet.
    private func isOpen(_ eviction: Eviction) -> Bool {
        guard let peer = all.first(where: { $0.member == eviction.member }) else { return false }
        return (peer.heartbeat == nil || peer.heartbeat?.writer == eviction.writer)
            && evictions.stage(of: eviction) == nil
    }

    /// Learns a member's knowledge of evictions, of its own too.
    ///
    /// An eviction counts as completed once all operations are here that the member announced with it
    /// (`advanceStability`).
    mutating func follow(_ heartbeat: Heartbeat) {
        evictions.follow(removals: heartbeat.evictions)
        for eviction in heartbeat.evictions where eviction.member != evictions.own {
            guard !eviction.isRemoval else { continue }
            guard isMember(eviction.member) else { continue }
            if eviction.stage == .wanted {
                join(eviction)
            } else {
                // A member that announces its own eviction has rejoined.
                let isBack = eviction.member == heartbeat.member || eviction.stage > .out
                _ = evictions.raise(eviction, to: isBack ? .back : .out)
            }
        }
    }

    /// Closes the writers of members that a majority has now evicted; returns whether there is a new one.
    mutating func closeEvicted() -> Bool {
        for eviction in evictions.all where eviction.stage == .wanted {
            let others = all.count { $0.heartbeat?.evictions.has(eviction, from: .wanted) == true }
            if isMajority(others + 1) { _ = evictions.raise(eviction, to: .out) }
        }
        var hasChanged = false
        for index in all.indices where all[index].heartbeat != nil && isOut(all[index]) {
            all[index].heartbeat = nil
            all[index].heardMilliseconds = 0
            hasChanged = true
        }
        listWriters()
        return hasChanged
    }

    private func isMajority(_ count: Int) -> Bool { 2 * count > all.count + 1 }

    /// Whether this member, which was evicted, is waited for again: by most members, and by all live ones.
    ///
    /// A member that goes on without it needs the agreement of one of them, and then declares nothing stable beyond
    /// that one's earlier closed timestamp.
    func isAwaited(at elapsedMilliseconds: UInt64) -> Bool {
        let incarnations = evictions.own(at: .out)
        let waiting = remaining.filter { peer in
            guard let heartbeat = peer.heartbeat else { return false }
            return incarnations.allSatisfy { heartbeat.evictions.has($0, from: .back) }
        }
        let live = remaining.count { isLive($0, at: elapsedMilliseconds) }
        return isMajority(waiting.count + 1) && waiting.count >= live
    }

    /// Whether all members agree with this replica on which writers are closed, and it holds everything that they
    /// announce.
    func isComplete(holding vector: VersionVector) -> Bool {
        remaining.allSatisfy { peer in
            guard let heartbeat = peer.heartbeat else { return false }
            return isAgreed(heartbeat) && vector.covers(heartbeat.vector)
        }
    }
}
