import SyncProtocol

/// What this replica knows of the other members: their last beats, and when they came.
///
/// A member has one *current* writer, that of its last beat. Every other writer is *closed*: its life
/// is over, and each member takes of it only what some member's beat shows. So nobody's holdings of a
/// closed writer grow beyond what all held when the last of them closed it.
struct Peers: Sendable {
    /// A member that was silent for this long counts as away.
    static let silenceMilliseconds: UInt64 = 2_000

    struct Peer: Sendable {
        let member: String
        var beat: Beat?
        var heardMilliseconds: UInt64 = 0
        /// The latest promise whose operations this replica holds all, and with which writers.
        var settled = HybridTime.zero
        var settledWriters: [WriterID] = []
        /// It took this replica for the member that it says it is.
        var isGreeted = false
    }

    /// What became of a beat.
    enum Hearing {
        case known
        /// The member began a new life, or was heard for the first time.
        case newWriter
        /// From a life that is over by decision.
        case evicted
        /// From nobody known.
        case stranger
        /// Older than one that came before.
        case late
    }

    /// Ascending by member.
    private(set) var all: [Peer]
    /// This replica's own writer.
    private(set) var own: WriterID
    /// The current writers of all members that were heard, ascending.
    private(set) var writers: [WriterID]
    /// Whom this replica wants out, in the order in which it came to.
    private(set) var wanted: [Eviction] = []
    /// Those whom most members want out.
    private(set) var evicted: [Eviction] = []

    init(members: [String], own: WriterID) {
        all = members.sorted().map { Peer(member: $0) }
        self.own = own
        writers = [own]
    }

    /// Takes a beat. Their times ascend, also from one life of a member to the next, and tell its order.
    mutating func hear(_ beat: Beat, at elapsedMilliseconds: UInt64) -> Hearing {
        guard let index = all.firstIndex(where: { $0.member == beat.member })
        else { return .stranger }
        if evicted.contains(Eviction(member: beat.member, writer: beat.writer)) { return .evicted }
        let last = all[index].beat
        let isSame = last?.writer == beat.writer
        if let last, isSame ? beat.time < last.time : beat.time <= last.time {
            return .late
        }
        all[index].beat = beat
        all[index].heardMilliseconds = max(1, elapsedMilliseconds)
        if isSame { return .known }
        listWriters()
        return .newWriter
    }

    /// A member that went away says so.
    mutating func leave(_ member: String, _ writer: WriterID) {
        for index in all.indices where all[index].member == member {
            if all[index].beat?.writer == writer { all[index].heardMilliseconds = 0 }
        }
    }

    mutating func greet(_ member: String) {
        for index in all.indices where all[index].member == member { all[index].isGreeted = true }
    }

    /// What was settled holds for another state of this replica.
    mutating func unsettle() {
        for index in all.indices {
            all[index].settled = .zero
            all[index].settledWriters = []
        }
    }

    /// How much of an origin each member holds durably, most first; nothing if it was never heard.
    func holdings(of origin: WriterID, own: UInt64) -> [UInt64] {
        ([own] + members.map { min(own, $0.beat?.vector[origin] ?? 0) }).sorted(by: >)
    }

    /// This replica begins a new life.
    mutating func change(own writer: WriterID) {
        own = writer
        listWriters()
    }

    mutating func listWriters() {
        writers = ([own] + all.compactMap { $0.beat?.writer }).sorted()
    }

    func isLive(_ peer: Peer, at elapsedMilliseconds: UInt64) -> Bool {
        peer.beat != nil && peer.heardMilliseconds > 0
            && elapsedMilliseconds < peer.heardMilliseconds + Peers.silenceMilliseconds
    }

    func liveCount(at elapsedMilliseconds: UInt64) -> Int {
        all.count { isLive($0, at: elapsedMilliseconds) }
    }

    /// The highest sequence of an origin that some member is known to hold durably; the word of a member
    /// about a life of its own that this replica wants out does not count.
    func shown(of origin: WriterID) -> UInt64 {
        all.reduce(0) { shown, peer in
            let isOut = wanted.contains(Eviction(member: peer.member, writer: origin))
            return isOut ? shown : max(shown, peer.beat?.vector[origin] ?? 0)
        }
    }

    /// Whether the operations of an origin up to a sequence may be taken.
    func mayTake(_ origin: WriterID, through sequence: UInt64) -> Bool {
        writers.contains(origin) || sequence <= shown(of: origin)
    }
}

// MARK: - Stability

extension Peers {
    /// Notes which promises are settled for a replica that holds `vector`: all that was announced
    /// with them is there, and their senders agree with it on who is closed.
    mutating func settle(holding vector: Vector) {
        for index in all.indices {
            guard let beat = all[index].beat, beat.writers == writers, vector.covers(beat.vector)
            else { continue }
            all[index].settled = max(all[index].settled, beat.promise)
            all[index].settledWriters = writers
        }
    }

    /// Nothing up to this time can arrive any more; nil while not all members agree on who is closed.
    ///
    /// What a current writer still makes comes after its promise. What others hold of a closed writer,
    /// and this replica does not, they would have shown with their promises.
    /// Source: `convergence.md`, section 6, the local frontier.
    func frontier(own promise: HybridTime) -> HybridTime? {
        let members = members
        guard writers.count == members.count + 1,
            members.allSatisfy({ $0.settledWriters == writers })
        else { return nil }
        return members.reduce(promise) { min($0, $1.settled) }
    }

    /// The frontier without a look at who is closed: a mistake, for tests.
    func frontierWithoutAgreement(own promise: HybridTime) -> HybridTime {
        all.reduce(promise) { min($0, $1.beat?.promise ?? .zero) }
    }
}

// MARK: - Evictions

extension Peers {
    /// The peers that are waited for.
    var members: [Peer] { evicted.isEmpty ? all : all.filter { !isOut($0) } }

    /// Whether a member is out, and has not come back as another writer.
    func isOut(_ peer: Peer) -> Bool {
        peer.beat == nil && evicted.contains { $0.member == peer.member }
    }

    /// Whether there is room for one more eviction.
    var mayWantMore: Bool { wanted.count < Eviction.limit }

    /// Notes that a life of a peer is to be over; false if it is noted, is nobody's, or has no room.
    mutating func want(_ eviction: Eviction) -> Bool {
        guard mayWantMore, all.contains(where: { $0.member == eviction.member }),
            !wanted.contains(eviction)
        else { return false }
        wanted.append(eviction)
        return true
    }

    mutating func restore(wanted evictions: [Eviction]) { wanted = evictions }

    /// The lives of this replica's member that more than half of all members want out.
    func evictedWriters(of member: String) -> [WriterID] {
        var writers: [WriterID] = []
        for eviction in all.flatMap({ $0.beat?.evictions ?? [] }) where eviction.member == member {
            if !writers.contains(eviction.writer), isWantedOut(eviction) {
                writers.append(eviction.writer)
            }
        }
        return writers
    }

    private func isWantedOut(_ eviction: Eviction) -> Bool {
        isMajority(all.count { $0.beat?.evictions.contains(eviction) == true })
    }

    private func isMajority(_ count: Int) -> Bool { 2 * count > all.count + 1 }

    /// Closes the writers that most members want out by now; true if there is a new one.
    mutating func closeEvicted() -> Bool {
        var hasChanged = false
        for eviction in wanted where !evicted.contains(eviction) {
            let others = all.count { $0.beat?.evictions.contains(eviction) == true }
            guard isMajority(others + 1) else { continue }
            evicted.append(eviction)
            for index in all.indices where all[index].beat?.writer == eviction.writer {
                all[index].beat = nil
            }
            hasChanged = true
        }
        if hasChanged { listWriters() }
        return hasChanged
    }

    /// How much the others keep of a closed writer: known once all of them have closed it, and have
    /// heard each other. Whether they have heard this replica since does not matter.
    func agreedEnd(of writer: WriterID) -> UInt64? {
        guard let writers = members.first?.beat?.writers, !writers.contains(writer) else {
            return nil
        }
        let isAgreed = members.allSatisfy { member in
            guard let beat = member.beat else { return false }
            return beat.writers == writers && writers.contains(beat.writer)
        }
        return isAgreed ? shown(of: writer) : nil
    }
}
