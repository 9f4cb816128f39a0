public import SyncProtocol

/// What a replica counts since it started.
public struct Counters: Equatable, Sendable {
    /// Operations that clients gave to this node.
    public var accepted: UInt64 = 0
    /// Operations that came from peers and were applied.
    public var received: UInt64 = 0
    /// Operations that came by repair, because they were missed when they were published.
    public var repaired: UInt64 = 0
    /// The bytes of all that came by repair, held already or not.
    public var repairedBytes: UInt64 = 0
    /// Operations that came although they were held already.
    public var duplicates: UInt64 = 0
    /// Operations for which there was no room to wait; repair brings them again.
    public var dropped: UInt64 = 0
    /// Checkpoints of peers that took the place of what was here.
    public var installed: UInt64 = 0
    /// How often it came back after an eviction.
    public var returns: UInt64 = 0
    /// Operations that this node did again after an eviction, and those that it kept for somebody to
    /// decide.
    public var rebased: UInt64 = 0
    public var quarantined: UInt64 = 0
    /// Writes that clients asked for again although they were done.
    public var repeated: UInt64 = 0
    /// Transactions that this node has decided.
    public var decided: UInt64 = 0
    /// Client requests that were refused.
    public var refused: UInt64 = 0
    /// Frames from peers that could not be read.
    public var malformedFrames: UInt64 = 0
    /// What came from another cluster or from a member that is not configured, and operations that no
    /// member can have made.
    public var unknownPeers: UInt64 = 0

    public init() {}
}

extension Replica {
    /// The members heard from within the last two seconds, ascending.
    public var livePeers: [String] {
        peers.all.filter { peers.isLive($0, at: now.elapsedMilliseconds) }.map(\.member)
    }

    /// What this replica knows of evictions, ascending by member and incarnation; none is ever forgotten.
    public var evictions: [Eviction] { peers.evictions.all.filter { !$0.isRemoval } }

    /// What `hearth cluster status` shows of this node.
    ///
    /// - Complexity: O(members × writers + queried locations); nothing grows with the tree.
    var status: NodeStatus {
        var status = NodeStatus()
        fill(&status.identity)
        fill(&status.data)
        fill(&status.exchange)
        fill(&status.membership)
        fill(&status.coordination)
        fill(&status.queues)
        fill(&status.clients)
        status.process = process
        return status
    }

    private func fill(_ identity: inout NodeStatus.Identity) {
        identity.member = configuration.member
        identity.cluster = configuration.cluster
        identity.writer = writer.description
        identity.wallMilliseconds = Int(clamping: shownMilliseconds)
        identity.durability = configuration.durability.rawValue
        identity.storage = storageFailure?.problem ?? NodeStatus.storageWorks
    }

    private func fill(_ data: inout NodeStatus.Data) {
        for entry in vector.entries {
            data.held[name(of: entry.origin)] = Int(clamping: entry.sequence)
        }
        data.writers = currentWriters
        data.operations = Int(clamping: vector.total)
        data.lag = Int(clamping: lag)
        data.registers = tree.forgettableCount
        data.stableMilliseconds = Int(clamping: stableTime.milliseconds)
        data.closedIncarnations = closedWriters
        data.loggedOperations = Int(clamping: checkpoints.loggedCount(of: vector))
        data.loggedOperationsLimit = Int(clamping: configuration.logLimit)
    }

    private func fill(_ exchange: inout NodeStatus.Exchange) {
        exchange.connectedPeers = connectedPeers
        for member in silentMembers { exchange.silentPeers[member] = true }
        exchange.accepted = Int(clamping: counters.accepted)
        exchange.received = Int(clamping: counters.received)
        exchange.repaired = Int(clamping: counters.repaired)
        exchange.repairedBytes = Int(clamping: counters.repairedBytes)
        exchange.duplicates = Int(clamping: counters.duplicates)
        exchange.dropped = Int(clamping: counters.dropped)
        exchange.installedCheckpoints = Int(clamping: counters.installed)
        exchange.receivingCheckpointFrom = transfer?.member
        exchange.malformedFrames = Int(clamping: counters.malformedFrames)
        exchange.unknownPeers = Int(clamping: counters.unknownPeers)
        exchange.refusedNodes = refusedNodes
    }

    private func fill(_ membership: inout NodeStatus.Membership) {
        for eviction in peers.evictions.out {
            membership.evicted[eviction.member] = eviction.writer?.description ?? ""
        }
        for vote in peers.openVotes {
            membership.evictionVotes[vote.member] = vote.writer?.description ?? ""
        }
        membership.isEvicted = rejoin != nil
        membership.orphanedBatches = orphans.count
        membership.rejoins = Int(clamping: counters.returns)
        membership.replayed = Int(clamping: counters.rebased)
        membership.quarantined = Int(clamping: counters.quarantined)
    }

    private func fill(_ coordination: inout NodeStatus.Coordination) {
        coordination.coordinator = coordinator?.member
        coordination.term = Int(clamping: self.coordination.election.vote?.term ?? 0)
        coordination.decided = Int(clamping: counters.decided)
    }

    private func fill(_ queues: inout NodeStatus.Queues) {
        queues.gaps = reorderBuffer.originCount
        queues.waitingBatches = reorderBuffer.count
        queues.waitingBatchesLimit = ReorderBuffer.countLimit
        queues.waitingBytes = reorderBuffer.byteCount
        queues.waitingBytesLimit = ReorderBuffer.byteLimit
        queues.pendingTurns = turns.pendingCount
        queues.waitingForConcern = writeConcernWaiters.waiting.count
        queues.waitingTransactions = coordination.forwarded.entries.count
        queues.waitingTransactionsLimit = ForwardedTransactions.countLimit
        queues.waitingForStable = stabilityWaiters.waiting.count
        queues.waitingForStableLimit = StabilityWaiters.limit
    }

    private func fill(_ clients: inout NodeStatus.Clients) {
        clients.sessions = clientSessions.count
        clients.waitingClients = clientSessions.waiting.count
        clients.listens = listens.count
        clients.refused = Int(clamping: counters.refused)
        clients.deduplicationEntries = deduplicationTable.count
        clients.deduplicationEntriesLimit = DeduplicationTable.limit
        clients.repeated = Int(clamping: counters.repeated)
        clients.clientsBehind = slowClients.count
        clients.changesHeldBack = Int(clamping: slowClients.heldBack)
        listens.fill(&clients.queries)
        clients.disconnectBytes = disconnects.byteCount
    }

    /// How many operations more than this replica the peer that holds most has.
    private var lag: UInt64 {
        peers.all.reduce(0) { most, peer in
            let ahead = (peer.heartbeat?.vector.entries ?? []).reduce(UInt64(0)) { sum, entry in
                sum + entry.sequence - min(entry.sequence, vector[entry.origin])
            }
            return max(most, ahead)
        }
    }

    /// The writers that `held` calls by the names of their members.
    private var currentWriters: [String: String] {
        var writers = [configuration.member: writer.description]
        for peer in peers.all { writers[peer.member] = peer.heartbeat?.writer.description }
        return writers
    }

    /// Writers whose incarnation is over, of whom there are operations here.
    private var closedWriters: Int {
        vector.entries.count { !peers.writers.contains($0.origin) }
    }

    /// The member that an origin is now, or the origin itself if it is an earlier incarnation.
    func name(of origin: WriterID) -> String {
        if origin == writer { return configuration.member }
        return peers.all.first { $0.heartbeat?.writer == origin }?.member ?? origin.description
    }

    /// The members that are waited for and not heard.
    var silentMembers: [String] {
        peers.members.filter { !peers.isLive($0, at: now.elapsedMilliseconds) }.map(\.member)
    }

    private var refusedNodes: [String: NodeStatus.RefusedNode] {
        var refused: [String: NodeStatus.RefusedNode] = [:]
        for (reason, record) in refusals.all {
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

    /// How many milliseconds ago each live peer was heard.
    private var connectedPeers: [String: Int] {
        var connected: [String: Int] = [:]
        for peer in peers.all where peers.isLive(peer, at: now.elapsedMilliseconds) {
            connected[peer.member] = Int(clamping: now.elapsedMilliseconds - peer.heardMilliseconds)
        }
        return connected
    }
}

extension Listens {
    /// How many lists are shown one by one.
    private static let listsShown = 50

    /// Tells what queries keep: views, and indexes, of which the first lists' are named.
    fileprivate func fill(_ queries: inout NodeStatus.Queries) {
        queries.lists = lists.count
        queries.views = lists.values.reduce(0) { $0 + $1.viewCount }
        queries.indexBytes = indexBytes
        queries.indexByteLimit = budget.byteLimit
        let indexed = lists.sorted { $0.key < $1.key }.map(\.value)
            .filter { list in list.indexes.contains { $0.placeCount > 0 } }
        for list in indexed.prefix(Listens.listsShown) {
            var shown = NodeStatus.IndexedList()
            shown.path = list.path.description
            shown.orders = list.indexes.map { $0.order.name + " (\($0.placeCount))" }
                .joined(separator: ", ")
            shown.listens = list.listenerCount
            queries.indexes.append(shown)
        }
    }
}
