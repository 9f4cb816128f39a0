import SyncProtocol

// The facts by which a node decides that a database can sleep.

extension Replica {
    /// Whether the replica could stop, once its turns are durable, and lose nothing: all of its work is done, and each of the
    /// named members has announced the same operations.
    public mutating func isSynchronized(with members: [String]) -> Bool {
        guard case .serving(nil) = lifecycle, storageFailure == nil, !hasDueWork else {
            return false
        }
        return replication.orphans.isEmpty && replication.reorderBuffer.count == 0
            && coordination.isIdle && sessions.leaving.isEmpty
            && replication.peers.hold(vector, members)
    }

    /// Returns how many operations the replica lacks, compared with the member that holds most; mutating, so that the replica is
    /// not copied.
    public mutating func missingOperations() -> UInt64 { lag }

    /// Whether one of the named members has announced all operations that are on the disk as durable. Operations that the
    /// replica has yet to replay are announced by none.
    public func isHeld(byAnyOf members: [String]) -> Bool {
        guard !hasOrphans, !isOut else { return false }
        return vector.total == 0 || replication.peers.cover(vector, anyOf: members)
    }

    /// Whether the disk has operations that the replica has yet to replay.
    public var hasOrphans: Bool { !replication.orphans.isEmpty }

    /// The names of the evicted members that have not rejoined.
    public var evictedMembers: [String] {
        if replication.peers.evictions.out.isEmpty { return [] }
        return configuration.peers.filter { replication.peers.evictions.isOut($0) }.sorted()
    }

    /// The name of the cluster.
    public var clusterName: String { configuration.cluster }

    /// The name of this node.
    public var memberName: String { configuration.member }

    /// The names of the other members.
    public var peerNames: [String] {
        configuration.peers.filter { $0 != configuration.member }.sorted()
    }

    /// Whether all turns so far are durable.
    public var isSettled: Bool { turns.pendingCount == 0 }

    /// Whether on-disconnect writes wait for the end of a session of any node. A database with some must not sleep: its nodes
    /// do those of nodes that are gone.
    public var awaitsDisconnects: Bool { replication.disconnectRecords.count > 0 }
}

extension Coordination {
    /// Whether no transaction waits for a decision or an answer.
    fileprivate var isIdle: Bool { forwarded.isEmpty && proposed.isEmpty && decided.isEmpty }
}

extension Peers {
    /// Whether one of the named members has announced all of these operations.
    func cover(_ vector: VersionVector, anyOf members: [String]) -> Bool {
        all.contains { members.contains($0.member) && $0.heartbeat?.vector.covers(vector) == true }
    }

    /// Whether each of the named members has announced exactly these operations. Evicted members do not count.
    func hold(_ vector: VersionVector, _ members: [String]) -> Bool {
        for index in all.indices where members.contains(all[index].member) && !isOut(all[index]) {
            guard let held = all[index].heartbeat?.vector, held.covers(vector), vector.covers(held)
            else { return false }
        }
        return true
    }
}
