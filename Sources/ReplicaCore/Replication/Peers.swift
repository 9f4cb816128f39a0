import SyncProtocol

/// What this replica knows of the other members: their last beats, and when they came.
struct Peers: Sendable {
    /// A member that was silent for this long counts as away.
    static let silenceMilliseconds: UInt64 = 2_000

    struct Peer: Sendable {
        let member: String
        var beat: Beat?
        var heardMilliseconds: UInt64 = 0
        /// The latest promise whose operations this replica holds all.
        var settled = HybridTime.zero
    }

    /// Ascending by member.
    private(set) var all: [Peer]

    init(members: [String]) { all = members.sorted().map { Peer(member: $0) } }

    /// Takes a beat; false if it is from nobody known.
    mutating func hear(_ beat: Beat, at elapsedMilliseconds: UInt64) -> Bool {
        guard let index = all.firstIndex(where: { $0.member == beat.member }) else { return false }
        all[index].beat = beat
        all[index].heardMilliseconds = elapsedMilliseconds
        return true
    }

    func isLive(_ peer: Peer, at elapsedMilliseconds: UInt64) -> Bool {
        peer.beat != nil
            && elapsedMilliseconds < peer.heardMilliseconds + Peers.silenceMilliseconds
    }

    func liveCount(at elapsedMilliseconds: UInt64) -> Int {
        all.count { isLive($0, at: elapsedMilliseconds) }
    }

    /// Notes which promises are settled for a replica that holds `vector`: all that was announced
    /// with them is there.
    mutating func settle(holding vector: Vector) {
        for index in all.indices {
            guard let beat = all[index].beat, vector.covers(beat.vector) else { continue }
            all[index].settled = max(all[index].settled, beat.promise)
        }
    }

    /// Whether somebody holds operations of a writer that no member is any more.
    ///
    /// What it published last may be with one member alone, who may not have announced it yet; and no
    /// promise of anybody covers it.
    func knowsDeadWriters(besides own: WriterID, holding vector: Vector) -> Bool {
        let beats = all.compactMap(\.beat)
        let living = [own] + beats.map(\.writer)
        return ([vector] + beats.map(\.vector)).contains { vector in
            vector.entries.contains { $0.sequence > 0 && !living.contains($0.origin) }
        }
    }

    /// Nothing up to this time can arrive any more; zero while a member was never heard. It holds only
    /// while no dead writer is known.
    ///
    /// Source: `convergence.md`, section 6, the local frontier.
    func frontier(own promise: HybridTime) -> HybridTime {
        all.reduce(promise) { min($0, $1.settled) }
    }
}
