import Marks
import SyncProtocol

// The truncation of the log. A member that misses a removed batch receives a checkpoint. It installs the checkpoint
// only if its own log goes back that far. Of any two members, one must therefore cover everything that the other
// has truncated. Otherwise each would refuse the other's checkpoint for ever.

extension Checkpoints {
    /// Returns the batches to remove from the log: the checkpoint covers them, and enough members hold them.
    ///
    /// Up to the limit, all members that are not evicted must hold a batch; each member that keeps its data then
    /// covers it. Above the limit, a quorum (see `Peers.quorum`) and all live members must hold it, so that a
    /// member that lags a little needs no checkpoint. Above twice the limit, the quorum suffices, so that a member
    /// that never catches up costs the others a bounded log.
    ///
    /// Above the limit, this is safe because two quorums share a member, and its heartbeats show growing vectors as
    /// long as it keeps its data. The replica that truncated after the later heartbeat held everything in that
    /// heartbeat, and so everything that the other one truncated after the earlier.
    ///
    /// The driver must remove them only after it has stored the operations that this replica holds at this moment.
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
    /// The durable vectors of all members that are not evicted; nil if one has sent no heartbeat.
    fileprivate var remainingVectors: [VersionVector]? {
        let vectors = remaining.compactMap { $0.heartbeat?.vector }
        return vectors.count == remaining.count ? vectors : nil
    }

    fileprivate func liveVectors(at elapsedMilliseconds: UInt64) -> [VersionVector] {
        remaining.filter { isLive($0, at: elapsedMilliseconds) }.compactMap { $0.heartbeat?.vector }
    }

    /// The durable vectors of the peers with most operations that form a majority with this replica; nil if there is
    /// no majority.
    ///
    /// The majority is the same for all origins, and counts all configured members. An evicted member, and one that
    /// sent no heartbeat, counts as a member that holds nothing.
    ///
    /// - Parameters:
    ///   - truncated: The operations that each of them must hold.
    ///   - vector: The operations that this replica holds. It must hold everything that any of them holds.
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
