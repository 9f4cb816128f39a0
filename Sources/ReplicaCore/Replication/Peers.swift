import SyncProtocol

/// What this replica knows of the other members: their last heartbeats, and when they came.
///
/// A member has one *current* writer, that of its last heartbeat. Every other writer is *closed*: its incarnation
/// is over, and each member accepts of it only what some member's heartbeat shows. So no member's holdings of a
/// closed writer grow beyond what all held when the last of them closed it.
struct Peers: Sendable {
    /// A member that was silent for this long counts as away.
    static let silenceMilliseconds: UInt64 = 2_000

    struct Peer: Sendable {
        let member: String
        var heartbeat: Heartbeat?
        var heardMilliseconds: UInt64 = 0
        /// The latest closed timestamp whose operations this replica holds all, and on what they agreed then.
        var stableTime = HybridTime.zero
        var agreement: Agreement?
        /// It took this replica for the member that it says it is.
        var isGreeted = false
    }

    /// What members have to know together before anything is stable.
    struct Agreement: Equatable, Sendable {
        /// The current writers of all members that were heard, ascending.
        var writers: [WriterID]
        /// The members that nobody waits for.
        var out: [Eviction]
    }

    /// What became of a heartbeat.
    enum Hearing {
        case known
        /// The member began a new incarnation, or was heard for the first time.
        case newWriter
        /// From an incarnation that is over by decision.
        case evicted
        /// From nobody known.
        case unknownPeer
        /// Older than one that came before; or it leaves out other origins than this replica has folded.
        case late
    }

    /// Ascending by member.
    private(set) var all: [Peer]
    /// This replica's own writer.
    private(set) var own: WriterID
    /// The current writers of all members that were heard, ascending.
    private(set) var writers: [WriterID]
    /// Incarnations that are over by decision, or are to be.
    var evictions: Evictions
    /// Heartbeats name all origins until then: a node may listen that has not folded the same.
    var namesAllUntilMilliseconds: UInt64 = 0

    init(members: [String], of member: String, own: WriterID) {
        all = members.sorted().map { Peer(member: $0) }
        evictions = Evictions(own: member)
        self.own = own
        writers = [own]
    }

    /// Keeps a heartbeat. The times of a member's heartbeats ascend, also from one incarnation to the next, and so give
    /// the order of its incarnations.
    ///
    /// - Parameter folded: The origins that this replica has folded.
    mutating func hear(
        _ heartbeat: Heartbeat, folded: FoldedOrigins? = nil, at elapsedMilliseconds: UInt64
    ) -> Hearing {
        guard let index = all.firstIndex(where: { $0.member == heartbeat.member })
        else { return .unknownPeer }
        if evictions.exclude(heartbeat) {
            namesAllUntilMilliseconds = elapsedMilliseconds + Peers.namingMilliseconds
            return .evicted
        }
        // Its sender names all origins once it hears this replica.
        guard let heartbeat = heartbeat.completed(with: folded) else { return .late }
        let last = all[index].heartbeat
        let isSame = last?.writer == heartbeat.writer
        if let last, isSame ? heartbeat.time < last.time : heartbeat.time <= last.time {
            return .late
        }
        all[index].heartbeat = heartbeat
        all[index].heardMilliseconds = max(1, elapsedMilliseconds)
        let hasReturned = evictions.noteReturn(of: heartbeat.member)
        if isSame, !hasReturned { return .known }
        listWriters()
        return .newWriter
    }

    mutating func changeHeartbeats(_ body: (inout Heartbeat) -> Void) {
        for index in all.indices {
            guard var heartbeat = all[index].heartbeat else { continue }
            all[index].heartbeat = nil
            body(&heartbeat)
            all[index].heartbeat = heartbeat
        }
    }

    /// A member that went away says so.
    mutating func leave(_ member: String, _ writer: WriterID) {
        for index in all.indices where all[index].member == member {
            if all[index].heartbeat?.writer == writer { all[index].heardMilliseconds = 0 }
        }
    }

    mutating func greet(_ member: String) {
        for index in all.indices where all[index].member == member { all[index].isGreeted = true }
    }

    /// What was stable holds for another state of this replica.
    mutating func resetStability() {
        for index in all.indices {
            all[index].stableTime = .zero
            all[index].agreement = nil
        }
    }

    /// How much of an origin each member holds durably, most first; nothing if it was never heard.
    func holdings(of origin: WriterID, own: UInt64) -> [UInt64] {
        ([own] + members.map { min(own, $0.heartbeat?.vector[origin] ?? 0) }).sorted(by: >)
    }

    /// This replica begins a new incarnation.
    mutating func change(own writer: WriterID) {
        own = writer
        listWriters()
    }

    mutating func listWriters() {
        writers = ([own] + all.compactMap { $0.heartbeat?.writer }).sorted()
    }

    func isLive(_ peer: Peer, at elapsedMilliseconds: UInt64) -> Bool {
        peer.heartbeat != nil && peer.heardMilliseconds > 0
            && elapsedMilliseconds < peer.heardMilliseconds + Peers.silenceMilliseconds
    }

    func liveCount(at elapsedMilliseconds: UInt64) -> Int {
        all.count { isLive($0, at: elapsedMilliseconds) }
    }

    /// The members that are waited for and not heard.
    func silentMembers(at elapsedMilliseconds: UInt64) -> [String] {
        members.filter { !isLive($0, at: elapsedMilliseconds) }.map(\.member)
    }

    /// The highest sequence of an origin that some member is known to hold durably.
    func shown(of origin: WriterID) -> UInt64 {
        all.reduce(0) { max($0, $1.heartbeat?.vector[origin] ?? 0) }
    }

    /// Whether the operations of an origin up to a sequence may be taken.
    func mayTake(_ origin: WriterID, through sequence: UInt64) -> Bool {
        writers.contains(origin) || sequence <= shown(of: origin)
    }
}

// MARK: - Stability

extension Peers {
    /// Notes which closed timestamps are stable for a replica that holds `vector`: all that was announced
    /// with them is there, and their senders agree with it on which writers are closed.
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

    /// All operations with stamps up to this time have arrived; nil while members disagree on which writers are
    /// closed.
    ///
    /// What a current writer still makes comes after its closed timestamp. What others hold of a closed writer,
    /// and this replica does not, they would have shown with their closed timestamps.
    /// Source: `convergence.md`, section 6, the local stable time.
    func stableTime(own closedTimestamp: HybridTime) -> HybridTime? {
        let (members, agreement) = (members, agreement)
        guard writers.count == members.count + 1,
            members.allSatisfy({ $0.agreement == agreement })
        else { return nil }
        return members.reduce(closedTimestamp) { min($0, $1.stableTime) }
    }

    /// The members that may still have something of the time up to `time`.
    func notStable(through time: HybridTime) -> [String] {
        let agreement = agreement
        return members.filter { $0.agreement != agreement || $0.stableTime < time }.map(\.member)
    }
}

// MARK: - Evictions

extension Peers {
    /// The peers that are waited for.
    var members: [Peer] { evictions.out.isEmpty ? all : all.filter { !isOut($0) } }

    /// Whether a member is out, and has not come back as another writer.
    func isOut(_ peer: Peer) -> Bool { evictions.isOut(peer.member) }

    /// Whether most members would be left if one more was out.
    func canSpare(_ member: String) -> Bool {
        let gone = all.filter { peer in
            peer.member == member || isOut(peer) || evictions.all.contains { isOpen($0, of: peer) }
        }
        return 2 * gone.count < all.count + 1
    }

    /// The peers that this replica reaches, and that can vote against a member.
    func voters(against member: String, at elapsedMilliseconds: UInt64) -> [Peer] {
        members.filter { $0.member != member && isLive($0, at: elapsedMilliseconds) }
    }

    /// Whether this replica and those that it reaches are enough to vote a member out.
    func canVoteOut(_ member: String, at elapsedMilliseconds: UInt64) -> Bool {
        isMajority(voters(against: member, at: elapsedMilliseconds).count + 1)
    }

    /// The votes that are still about an incarnation that may run.
    var openVotes: [Eviction] {
        evictions.all.filter { vote in all.contains { isOpen(vote, of: $0) } }
    }

    /// Whether somebody wants the incarnation of a peer to be over that it may still be in.
    private func isOpen(_ eviction: Eviction, of peer: Peer) -> Bool {
        eviction.member == peer.member && eviction.stage == .wanted
            && (peer.heartbeat == nil || peer.heartbeat?.writer == eviction.writer)
    }

    /// Notes that an incarnation of a peer is to be over, if it may be.
    mutating func want(_ eviction: Eviction) {
        guard let peer = all.first(where: { $0.member == eviction.member }),
            peer.heartbeat == nil || peer.heartbeat?.writer == eviction.writer,
            evictions.stage(of: eviction) == nil, canSpare(eviction.member)
        else { return }
        _ = evictions.raise(eviction, to: .wanted)
    }

    /// Takes what a member knows of the others, and of itself.
    ///
    /// It becomes known that an eviction is over once all operations are here that the member showed with it
    /// (`advanceStability`).
    mutating func follow(_ heartbeat: Heartbeat) {
        evictions.follow(removals: heartbeat.evictions)
        for eviction in heartbeat.evictions where eviction.member != evictions.own {
            guard !eviction.isRemoval else { continue }
            guard all.contains(where: { $0.member == eviction.member }) else { continue }
            if eviction.stage == .wanted {
                want(eviction)
            } else {
                // A member that tells of its own eviction has rejoined.
                let isBack = eviction.member == heartbeat.member || eviction.stage > .out
                _ = evictions.raise(eviction, to: isBack ? .back : .out)
            }
        }
    }

    /// Closes the writers of the members that a majority has voted out by now; returns whether there is a new one.
    mutating func closeEvicted() -> Bool {
        for eviction in evictions.all where eviction.stage == .wanted {
            let others = all.count { $0.heartbeat?.evictions.has(eviction, from: .wanted) == true }
            if isMajority(others + 1) { _ = evictions.raise(eviction, to: .out) }
        }
        var hasChanged = false
        for index in all.indices where all[index].heartbeat != nil && isOut(all[index]) {
            all[index].heartbeat = nil
            hasChanged = true
        }
        listWriters()
        return hasChanged
    }

    private func isMajority(_ count: Int) -> Bool { 2 * count > all.count + 1 }

    /// Whether this member, which was out, is waited for again: by most members, and by all that are there.
    ///
    /// A member that goes on without it needs one of them to agree, and then takes nothing for stable beyond what
    /// that one had promised before.
    func isAwaited(at elapsedMilliseconds: UInt64) -> Bool {
        let incarnations = evictions.own(at: .out)
        let waiting = members.filter { peer in
            guard let heartbeat = peer.heartbeat else { return false }
            return incarnations.allSatisfy { heartbeat.evictions.has($0, from: .back) }
        }
        let live = members.count { isLive($0, at: elapsedMilliseconds) }
        return isMajority(waiting.count + 1) && waiting.count >= live
    }

    /// Whether all members agree with this replica on which writers are closed, and it holds all that they show.
    func isComplete(holding vector: VersionVector) -> Bool {
        members.allSatisfy { peer in
            guard let heartbeat = peer.heartbeat else { return false }
            return isAgreed(heartbeat) && vector.covers(heartbeat.vector)
        }
    }
}
