import Convergence
import DataTree
public import SyncProtocol

extension Replica {
    /// The members with a heartbeat in the last two seconds, ascending.
    public var livePeers: [String] {
        replication.peers.all.filter { replication.peers.isLive($0, at: now.elapsedMilliseconds) }
            .map(\.member)
    }

    /// The evictions that this replica knows, ascending by member and incarnation. Evictions are never removed.
    public var evictions: [Eviction] { replication.peers.evictions.all.filter { !$0.isRemoval } }

    /// The members whose checkpoints this replica refused, each with the number of operations that its log would lack
    /// behind that checkpoint.
    public var refusedCheckpoints: [String: UInt64] { checkpoints.refused }

    /// The row of this node in `hearth cluster status`.
    ///
    /// - Complexity: O(members × writers + queried locations); nothing grows with the tree.
    package var status: NodeStatus {
        var status = NodeStatus()
        fill(&status.identity)
        fill(&status.data)
        fill(&status.exchange)
        fill(&status.membership)
        fill(&status.coordination)
        fill(&status.queues)
        fill(&status.clients)
        status.rules = rulesStatus
        status.process = process
        return status
    }

    /// The status as a client receives it. A monitor learns no location of the data.
    func statusValue(for session: SessionID) -> Value {
        var status = status
        if sessions.access.user(of: session)?.isMonitor == true {
            status.clients.queries.indexes = []
        }
        return status.value
    }

    private func fill(_ identity: inout NodeStatus.Identity) {
        identity.member = configuration.member
        identity.cluster = configuration.cluster
        identity.writer = writer.description
        identity.wallMilliseconds = Int(clamping: replication.shownMilliseconds)
        identity.durability = configuration.durability.rawValue
        identity.storage = storageFailure?.problem ?? NodeStatus.storageWorks
        identity.storageFix = storageFailure?.fix
    }

    private func fill(_ data: inout NodeStatus.Data) {
        for entry in vector.entries {
            data.held[replication.name(of: entry.origin)] = Int(clamping: entry.sequence)
        }
        data.writers = currentWriters
        data.operations = Int(clamping: vector.total)
        data.lag = Int(clamping: lag)
        data.registers = replication.tree.forgettableCount
        data.stableMilliseconds = Int(clamping: stableTime.milliseconds)
        data.closedIncarnations = closedWriters
        data.loggedOperations = Int(clamping: checkpoints.loggedCount(of: vector))
        data.loggedOperationsLimit = Int(clamping: configuration.logLimit)
    }

    private func fill(_ exchange: inout NodeStatus.Exchange) {
        exchange.connectedPeers = connectedPeers
        for member in replication.peers.silentMembers(at: now.elapsedMilliseconds) {
            exchange.silentPeers[member] = true
        }
        exchange.accepted = Int(clamping: counters.accepted)
        exchange.received = Int(clamping: counters.received)
        exchange.repaired = Int(clamping: counters.repaired)
        exchange.repairedBytes = Int(clamping: counters.repairedBytes)
        exchange.duplicates = Int(clamping: counters.duplicates)
        exchange.overwritten = Int(clamping: counters.overwritten)
        exchange.dropped = Int(clamping: counters.dropped)
        exchange.installedCheckpoints = Int(clamping: counters.installed)
        exchange.receivingCheckpointFrom = lifecycle.transfer?.member
        exchange.refusedCheckpoints = refusedCheckpoints.mapValues { Int(clamping: $0) }
        for (member, result) in comparisons.results {
            exchange.comparedTrees[member] = age(of: result.comparedMilliseconds)
            exchange.differingTrees[member] = result.differsSinceMilliseconds.map(age)
        }
        exchange.malformedFrames = Int(clamping: counters.malformedFrames)
        exchange.unknownPeers = Int(clamping: counters.unknownPeers)
        exchange.refusedNodes = refusedNodes
    }

    private func age(of milliseconds: UInt64) -> Int {
        Int(clamping: now.elapsedMilliseconds - min(milliseconds, now.elapsedMilliseconds))
    }

    private func fill(_ membership: inout NodeStatus.Membership) {
        for eviction in replication.peers.evictions.out {
            membership.evicted[eviction.member] = eviction.writer?.description ?? ""
        }
        for vote in replication.peers.evictions.votes {
            membership.evictionVotes[vote.member] = vote.writer?.description ?? ""
        }
        membership.isEvicted = isOut
        membership.awaited = awaitedMembers.isEmpty ? nil : awaitedMembers.joined(separator: ", ")
        membership.orphanedBatches = replication.orphans.count
        membership.rejoins = Int(clamping: counters.returns)
        membership.replayed = Int(clamping: counters.replayed)
        membership.quarantined = Int(clamping: counters.quarantined)
    }

    private func fill(_ coordination: inout NodeStatus.Coordination) {
        coordination.coordinator = coordinatorMember
        coordination.term = Int(clamping: self.coordination.election.vote?.term ?? 0)
        coordination.decided = Int(clamping: counters.decided)
    }

    private func fill(_ queues: inout NodeStatus.Queues) {
        queues.gaps = replication.reorderBuffer.originCount
        queues.waitingBatches = replication.reorderBuffer.count
        queues.waitingBatchesLimit = configuration.limits.waitingBatches
        queues.waitingBytes = replication.reorderBuffer.byteCount
        queues.waitingBytesLimit = configuration.limits.waitingBatchBytes
        queues.pendingTurns = turns.pendingCount
        queues.waitingForConcern = sessions.writeConcernWaiters.waiting.count
        queues.waitingTransactions = coordination.forwarded.entries.count
        queues.waitingTransactionsLimit = configuration.limits.forwardedTransactions
        queues.sessionsAwaitingShare = sessions.due.sessionCount
        queues.bytesAwaitingShare = sessions.due.byteCount
        queues.bytesAwaitingShareLimit = configuration.limits.dueBytes
        queues.waitingForStable = sessions.stabilityWaiters.waiting.count
        queues.waitingForStableLimit = configuration.limits.stabilityWaiters
    }

    private func fill(_ clients: inout NodeStatus.Clients) {
        clients.sessions = sessions.clients.count
        clients.waitingClients = sessions.clients.waiting.count
        clients.listens = sessions.listens.count
        clients.refused = Int(clamping: counters.refused)
        clients.deduplicationEntries = replication.deduplicationTable.count
        clients.deduplicationEntriesLimit = configuration.limits.stamps
        clients.repeated = Int(clamping: counters.repeated)
        clients.clientsBehind = sessions.slowClients.count
        clients.changesHeldBack = Int(clamping: sessions.slowClients.heldBack)
        sessions.listens.fill(&clients.queries, in: value)
        clients.disconnectBytes = sessions.disconnects.byteCount
        clients.limited = sessions.limits.byName
    }

    /// The number of operations that this replica lacks, compared with the peer that holds most. Evicted peers do
    /// not count, because no node waits for their operations.
    var lag: UInt64 {
        replication.peers.remaining.reduce(0) { most, peer in
            max(most, peer.heartbeat?.vector.excess(over: vector) ?? 0)
        }
    }

    /// The current writers, which `held` calls by their members' names.
    private var currentWriters: [String: String] {
        var writers = [configuration.member: writer.description]
        for peer in replication.peers.all {
            writers[peer.member] = peer.heartbeat?.writer.description
        }
        return writers
    }

    /// The number of writers with operations here whose incarnations have ended.
    private var closedWriters: Int {
        vector.entries.count { !replication.peers.writers.contains($0.origin) }
    }

    /// The processes that were refused as members, by the reasons: the last one for each.
    public var refusedNodes: [String: NodeStatus.RefusedNode] {
        var refused: [String: NodeStatus.RefusedNode] = [:]
        for (reason, record) in replication.refusals.all {
            var node = NodeStatus.RefusedNode()
            node.member = record.member
            node.endpoint = record.endpoint
            node.problem = record.problem
            node.fix = record.fix
            node.count = Int(clamping: record.count)
            node.agoMilliseconds = Int(clamping: now.elapsedMilliseconds - record.milliseconds)
            refused[reason.rawValue] = node
        }
        return refused
    }

    /// The milliseconds since each live peer's last heartbeat.
    private var connectedPeers: [String: Int] {
        var connected: [String: Int] = [:]
        for peer in replication.peers.all
        where replication.peers.isLive(peer, at: now.elapsedMilliseconds) {
            connected[peer.member] = Int(clamping: now.elapsedMilliseconds - peer.heardMilliseconds)
        }
        return connected
    }
}

extension Listens {
    /// The number of lists that are shown one by one.
    private static let listsShown = 50

    /// Fills in the views and indexes of queries, with details of the first lists.
    fileprivate func fill(_ queries: inout NodeStatus.Queries, in tree: Value) {
        queries.lists = lists.count
        queries.views = lists.values.reduce(0) { $0 + $1.views.viewCount }
        queries.indexBytes = indexBytes
        queries.indexByteLimit = budget.byteLimit
        queries.declaredIndexBytes = declaredIndexBytes(in: tree)
        queries.builds = builds.begun.count
        queries.unindexedListens = lists.values.reduce(0) { $0 + $1.views.unindexedViewCount }
        queries.unindexedQueries = Int(clamping: builds.unindexedQueries)
        let indexed = lists.sorted { $0.key < $1.key }.map(\.value)
            .filter { list in list.views.indexes.contains { $0.placeCount > 0 } }
        for list in indexed.prefix(Listens.listsShown) {
            var shown = NodeStatus.IndexedList()
            shown.path = list.path.description
            shown.orders = list.views.indexes.map { $0.order.name + " (\($0.placeCount))" }
                .joined(separator: ", ")
            shown.listens = list.listenerCount
            queries.indexes.append(shown)
        }
    }
}
