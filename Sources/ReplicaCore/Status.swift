import DataTree
import QueryEngine
public import SyncProtocol

extension Replica {
    /// The members heard from within the last two seconds, ascending.
    public var livePeers: [String] {
        replication.peers.all.filter { replication.peers.isLive($0, at: now.elapsedMilliseconds) }
            .map(\.member)
    }

    /// What this replica knows of evictions, ascending by member and incarnation; none is ever forgotten.
    public var evictions: [Eviction] { replication.peers.evictions.all.filter { !$0.isRemoval } }

    /// What `hearth cluster status` shows of this node.
    var status: Value {
        .object(
            identity + holdings + exchange + absences + queues + clients
                + [("process", processMetrics)])
    }

    /// Who this is, and when.
    private var identity: [(String, Value)] {
        [
            ("member", .string(configuration.member)),
            ("cluster", .string(configuration.cluster)),
            ("writer", .string(writer.description)),
            ("wallMilliseconds", .count(replication.shownMilliseconds)),
            ("durability", .string(configuration.durability.rawValue)),
            ("storage", .string(storageFailure?.problem ?? "works")),
        ]
    }

    /// What it holds, and what is stable of that.
    private var holdings: [(String, Value)] {
        [
            (
                "held",
                .object(
                    vector.entries.map { (replication.name(of: $0.origin), .count($0.sequence)) })
            ),
            ("writers", .object(currentWriters)),
            ("operations", .count(vector.total)),
            ("lag", .count(lag)),
            ("registers", .count(UInt64(replication.tree.registerCount))),
            ("stableMilliseconds", .count(stableTime.milliseconds)),
            ("closedWriters", .count(UInt64(closedWriters))),
            ("loggedOperations", .count(checkpoints.loggedCount(of: vector))),
            ("loggedOperationsLimit", .count(configuration.logLimit)),
        ]
    }

    /// What came and went.
    private var exchange: [(String, Value)] {
        [
            ("connectedPeers", .object(connectedPeers)),
            (
                "silentPeers",
                .object(
                    replication.peers.silentMembers(at: now.elapsedMilliseconds).map {
                        ($0, .boolean(true))
                    })
            ),
            ("accepted", .count(counters.accepted)),
            ("received", .count(counters.received)),
            ("repaired", .count(counters.repaired)),
            ("repairedBytes", .count(counters.repairedBytes)),
            ("duplicates", .count(counters.duplicates)),
            ("dropped", .count(counters.dropped)),
            ("installed", .count(counters.installed)),
            ("transfer", lifecycle.transfer.map { .string($0.member) } ?? .null),
            ("refused", .count(counters.refused)),
            ("malformedFrames", .count(counters.malformedFrames)),
            ("unknownPeers", .count(counters.unknownPeers)),
            ("refusedNodes", .object(refusedNodes)),
            ("coordinator", coordinatorMember.map { .string($0) } ?? .null),
            ("term", .count(coordination.election.vote?.term ?? 0)),
            ("decided", .count(counters.decided)),
        ]
    }

    /// Who is out, and what this node had when it was.
    private var absences: [(String, Value)] {
        [
            ("evicted", .object(evicted)),
            ("evictionVotes", .object(evictionVotes)),
            ("isEvicted", .boolean(lifecycle.isRejoining)),
            ("orphanedBatches", .count(UInt64(replication.orphans.count))),
            ("returns", .count(counters.returns)),
            ("rebased", .count(counters.rebased)),
            ("quarantined", .count(counters.quarantined)),
        ]
    }

    /// What waits, and how much may.
    private var queues: [(String, Value)] {
        [
            ("gaps", .count(UInt64(replication.reorderBuffer.originCount))),
            ("waitingBatches", .count(UInt64(replication.reorderBuffer.count))),
            ("waitingBatchesLimit", .count(UInt64(ReorderBuffer.countLimit))),
            ("waitingBytes", .count(UInt64(replication.reorderBuffer.byteCount))),
            ("waitingBytesLimit", .count(UInt64(ReorderBuffer.byteLimit))),
            ("pendingTurns", .count(UInt64(turns.pendingCount))),
            ("waitingForConcern", .count(UInt64(sessions.writeConcernWaiters.waiting.count))),
            ("waitingTransactions", .count(UInt64(coordination.forwarded.entries.count))),
            ("waitingTransactionsLimit", .count(UInt64(ForwardedTransactions.countLimit))),
            ("waitingForStable", .count(UInt64(sessions.stabilityWaiters.waiting.count))),
            ("waitingForStableLimit", .count(UInt64(StabilityWaiters.limit))),
        ]
    }

    /// What it does for clients.
    private var clients: [(String, Value)] {
        [
            ("sessions", .count(UInt64(sessions.clients.count))),
            ("waitingClients", .count(UInt64(sessions.clients.waiting.count))),
            ("listens", .count(UInt64(sessions.listens.count))),
            ("deduplicationEntries", .count(UInt64(replication.deduplicationTable.count))),
            ("deduplicationEntriesLimit", .count(UInt64(DeduplicationTable.limit))),
            ("repeated", .count(counters.repeated)),
            ("clientsBehind", .count(UInt64(sessions.slowClients.count))),
            ("changesHeldBack", .count(sessions.slowClients.heldBack)),
            ("queries", sessions.listens.queryStatus),
            ("disconnectBytes", .count(UInt64(sessions.disconnects.byteCount))),
        ]
    }

    /// How many operations more than this replica the peer that holds most has.
    private var lag: UInt64 {
        replication.peers.all.reduce(0) { most, peer in
            let ahead = (peer.heartbeat?.vector.entries ?? []).reduce(UInt64(0)) { sum, entry in
                sum + entry.sequence - min(entry.sequence, vector[entry.origin])
            }
            return max(most, ahead)
        }
    }

    /// The members that are out, and in which incarnation they were.
    private var evicted: [(String, Value)] {
        replication.peers.evictions.out.map { ($0.member, .string($0.writer?.description ?? "")) }
    }

    /// The members that this node votes to evict, while it does not know of a majority for that.
    private var evictionVotes: [(String, Value)] {
        replication.peers.openVotes.map { ($0.member, .string($0.writer?.description ?? "")) }
    }

    /// The writers that `held` calls by the names of their members.
    private var currentWriters: [(String, Value)] {
        [(configuration.member, .string(writer.description))]
            + replication.peers.all.compactMap { peer in
                peer.heartbeat.map { (peer.member, .string($0.writer.description)) }
            }
    }

    /// Writers whose incarnation is over, of whom there are operations here.
    private var closedWriters: Int {
        vector.entries.count { !replication.peers.writers.contains($0.origin) }
    }

    /// Who was not taken for a member, by the reasons.
    private var refusedNodes: [(String, Value)] {
        replication.refusals.all.map { reason, record in
            let fields: [(String, Value)] = [
                ("member", .string(record.member)), ("endpoint", .string(record.endpoint)),
                ("problem", .string(record.problem)), ("fix", .string(record.fix)),
                ("count", .count(record.count)),
                ("agoMilliseconds", .count(now.elapsedMilliseconds - record.milliseconds)),
            ]
            return (reason.rawValue, .object(fields))
        }
    }

    private var connectedPeers: [(String, Value)] {
        replication.peers.all.filter { replication.peers.isLive($0, at: now.elapsedMilliseconds) }
            .map { peer in
                (peer.member, .count(now.elapsedMilliseconds - peer.heardMilliseconds))
            }
    }
}

extension Listens {
    /// How many lists are shown one by one.
    private static let listsShown = 50

    /// What queries keep: views, and indexes, of which the largest lists' are named.
    fileprivate var queryStatus: Value {
        let views = lists.values.reduce(0) { $0 + $1.viewCount }
        let shown = lists.sorted { $0.key < $1.key }.map(\.value)
            .filter { list in list.indexes.contains { $0.placeCount > 0 } }
            .prefix(Listens.listsShown)
        let indexes = shown.enumerated().map { position, list in
            let orders = list.indexes.map { $0.order.name + " (\($0.placeCount))" }
            let fields: [(String, Value)] = [
                ("path", .string(list.path.description)),
                ("orders", .string(orders.joined(separator: ", "))),
                ("listens", .count(UInt64(list.listenerCount))),
            ]
            return (String(position), Value.object(fields))
        }
        return .object([
            ("lists", .count(UInt64(lists.count))), ("views", .count(UInt64(views))),
            ("indexBytes", .count(UInt64(indexBytes))),
            ("indexByteLimit", .count(UInt64(budget.byteLimit))),
            ("indexes", .object(indexes)),
        ])
    }
}

extension Value {
    fileprivate static func count(_ number: UInt64) -> Value {
        .integer(Int64(clamping: number))
    }

    fileprivate static func object(_ members: [(String, Value)]) -> Value {
        var children = Children()
        for (name, value) in members where !value.isNull { children[Key(unchecked: name)] = value }
        return Value(children)
    }
}
