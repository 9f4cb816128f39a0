public import DataTree
import SyncProtocol

// The part of a replica in comparisons of trees.

extension Replica {
    /// Whether the tree is one that all members should have: it is neither being replaced, nor has it operations that the other
    /// members do not accept.
    private var mayCompare: Bool {
        guard case .serving = lifecycle, storageFailure == nil else { return false }
        return !lifecycle.isInstalling
    }

    /// Processes a message of a comparison, if it is of the current incarnation of a member.
    mutating func receive(_ comparison: TreeComparison) {
        guard comparison.cluster == configuration.cluster,
            replication.peers.isMember(comparison.member)
        else {
            replication.counters.unknownPeers += 1
            return
        }
        if mayCompare, replication.peers.isCurrent(comparison.writer, of: comparison.member) {
            comparisons.receive(comparison, at: now.elapsedMilliseconds)
        }
    }

    /// Goes on with the comparison of trees, at the end of a turn. What it announces becomes durable with the turn.
    mutating func compareTrees() {
        let milliseconds = now.elapsedMilliseconds
        if comparisons.isIdle(at: milliseconds) { return }
        guard mayCompare else { return comparisons.abandon() }
        for message in comparisons.advance(in: replication) {
            replication.turn.published.append(
                .publish(PeerMessage.comparison(message).frame, .awaited))
        }
        let (compared, differing) = comparisons.compare(at: milliseconds)
        replication.counters.comparedTrees += UInt64(compared)
        replication.counters.differingTrees += UInt64(differing)
    }

    /// Returns the members whose trees differed from this one at the last comparison with each, and when that was found first.
    /// Mutating, because a non-mutating function can copy the replica.
    ///
    /// - Parameter known: What was known before this replica; members that it has not compared keep theirs.
    public mutating func treeDifferences(knowing known: [String: UInt64]) -> [String: UInt64] {
        comparisons.results.reduce(into: known) { $0[$1.key] = $1.value.differsSinceMilliseconds }
    }

    /// The digest of the tree; nil while it is being computed, or operations of many writes do not show yet.
    public var treeDigest: TreeDigest? {
        replication.largeOperations.isEmpty ? replication.tree.digest : nil
    }

    /// The members whose trees differed from this one at the last comparison with each, ascending.
    package var differingMembers: [String] { comparisons.differing }

    /// The members with which this replica has compared its tree, ascending.
    package var comparedMembers: [String] { comparisons.results.keys.sorted() }
}

extension Peers {
    /// Whether a writer is that of the current incarnation of a member.
    fileprivate func isCurrent(_ writer: WriterID, of member: String) -> Bool {
        all.contains { $0.member == member && $0.heartbeat?.writer == writer }
    }
}
