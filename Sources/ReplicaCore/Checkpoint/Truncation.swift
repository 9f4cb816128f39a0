import Marks
import SyncProtocol

// What leaves the log. A member that misses it gets a checkpoint, and installs that only if its own log goes back to
// it. So of any two members one has to cover what the other has truncated: else each would refuse the checkpoint of
// the other, for ever.

extension Checkpoints {
    /// What can now be removed from the log: what the checkpoint covers and enough members hold.
    ///
    /// Up to the limit these are all members that are not evicted; then whoever keeps its data covers it. Above the
    /// limit they are a quorum (see `Peers.quorum`) and all live members, so that a member that lags a little needs no
    /// checkpoint; above twice the limit the quorum alone, so that one that never catches up costs the others a
    /// bounded log.
    ///
    /// Why this suffices above the limit: two quorums share a member, and its heartbeats show ever more as long as it keeps its
    /// data. Whichever of two replicas truncated after its later heartbeat had all of that heartbeat, and so all
    /// that the other one truncated after the earlier.
    ///
    /// The driver must remove it only once the operations that this replica holds now are stored.
    mutating func truncation(
        of held: VersionVector, heldBy peers: Peers, at elapsedMilliseconds: UInt64
    ) -> VersionVector {
        let count = loggedCount(of: held)
        if count > logLimit { sometimes(.logIsTooLong) }
        let holders =
            count <= logLimit
            ? peers.remainingVectors
            : peers.quorum(covering: truncated, coveredBy: held).map { quorum in
                count > 2 * logLimit
                    ? quorum : quorum + peers.liveVectors(at: elapsedMilliseconds)
            }
        guard let holders else { return VersionVector() }
        var bound = VersionVector()
        for (origin, sequence) in vector.entries {
            let heldByAll = holders.reduce(sequence) { min($0, $1[origin]) }
            if heldByAll > truncated[origin] { bound[origin] = heldByAll }
        }
        truncated.raise(to: bound)
        return bound
    }
}

extension Peers {
    /// What each member that is not evicted holds durably; nil if one has sent no heartbeat.
    fileprivate var remainingVectors: [VersionVector]? {
        let vectors = remaining.compactMap { $0.heartbeat?.vector }
        return vectors.count == remaining.count ? vectors : nil
    }

    fileprivate func liveVectors(at elapsedMilliseconds: UInt64) -> [VersionVector] {
        remaining.filter { isLive($0, at: elapsedMilliseconds) }.compactMap { $0.heartbeat?.vector }
    }

    /// What the peers hold durably that make a majority with this replica, those with most; nil if there is none.
    ///
    /// It is one majority for all origins, and of all members in the configuration: an evicted member, and one
    /// that sent no heartbeat, count as members that hold nothing.
    ///
    /// - Parameters:
    ///   - truncated: What each of them has to hold.
    ///   - vector: What this replica holds; what any of them holds has to be in it.
    /// - Complexity: O(members × origins).
    func quorum(
        covering truncated: VersionVector, coveredBy vector: VersionVector
    ) -> [VersionVector]? {
        let count = (all.count + 1) / 2
        let vectors = remaining.compactMap { $0.heartbeat?.vector }
            .filter { vector.covers($0) && $0.covers(truncated) }
            .sorted { $0.total > $1.total }
        return vectors.count < count ? nil : Array(vectors.prefix(count))
    }
}
