// The names of all that a status tells: the only place that knows them, for writing and for reading.

extension NodeStatus: StatusRecord {
    static var fields: [StatusField<NodeStatus>] {
        identityFields + dataFields + exchangeFields + membershipFields + queueFields
            + clientFields + [.init("rules", \.rules), .init("process", \.process)]
    }

    private static var identityFields: [StatusField<NodeStatus>] {
        [
            .init("member", \.identity.member),
            .init("cluster", \.identity.cluster),
            .init("writer", \.identity.writer),
            .init("wallMilliseconds", \.identity.wallMilliseconds),
            .init("durability", \.identity.durability),
            .init("storage", \.identity.storage),
            .init("storageFix", \.identity.storageFix),
        ]
    }

    private static var dataFields: [StatusField<NodeStatus>] {
        [
            .init("held", \.data.held),
            .init("writers", \.data.writers),
            .init("operations", \.data.operations),
            .init("lag", \.data.lag),
            .init("registers", \.data.registers),
            .init("stableMilliseconds", \.data.stableMilliseconds),
            .init("closedIncarnations", \.data.closedIncarnations),
            .init("loggedOperations", \.data.loggedOperations),
            .init("loggedOperationsLimit", \.data.loggedOperationsLimit),
        ]
    }

    private static var exchangeFields: [StatusField<NodeStatus>] {
        [
            .init("connectedPeers", \.exchange.connectedPeers),
            .init("silentPeers", \.exchange.silentPeers),
            .init("accepted", \.exchange.accepted),
            .init("received", \.exchange.received),
            .init("repaired", \.exchange.repaired),
            .init("repairedBytes", \.exchange.repairedBytes),
            .init("duplicates", \.exchange.duplicates),
            .init("overwritten", \.exchange.overwritten),
            .init("dropped", \.exchange.dropped),
            .init("installedCheckpoints", \.exchange.installedCheckpoints),
            .init("receivingCheckpointFrom", \.exchange.receivingCheckpointFrom),
            .init("refusedCheckpoints", \.exchange.refusedCheckpoints),
            .init("comparedTrees", \.exchange.comparedTrees),
            .init("differingTrees", \.exchange.differingTrees),
            .init("malformedFrames", \.exchange.malformedFrames),
            .init("unknownPeers", \.exchange.unknownPeers),
            .init("refusedNodes", \.exchange.refusedNodes),
        ]
    }

    private static var membershipFields: [StatusField<NodeStatus>] {
        [
            .init("evicted", \.membership.evicted),
            .init("evictionVotes", \.membership.evictionVotes),
            .init("isEvicted", \.membership.isEvicted),
            .init("awaited", \.membership.awaited),
            .init("orphanedBatches", \.membership.orphanedBatches),
            .init("rejoins", \.membership.rejoins),
            .init("replayed", \.membership.replayed),
            .init("quarantined", \.membership.quarantined),
            .init("coordinator", \.coordination.coordinator),
            .init("term", \.coordination.term),
            .init("decided", \.coordination.decided),
        ]
    }

    private static var queueFields: [StatusField<NodeStatus>] {
        [
            .init("gaps", \.queues.gaps),
            .init("waitingBatches", \.queues.waitingBatches),
            .init("waitingBatchesLimit", \.queues.waitingBatchesLimit),
            .init("waitingBytes", \.queues.waitingBytes),
            .init("waitingBytesLimit", \.queues.waitingBytesLimit),
            .init("pendingTurns", \.queues.pendingTurns),
            .init("waitingForConcern", \.queues.waitingForConcern),
            .init("waitingTransactions", \.queues.waitingTransactions),
            .init("waitingTransactionsLimit", \.queues.waitingTransactionsLimit),
            .init("waitingForStable", \.queues.waitingForStable),
            .init("waitingForStableLimit", \.queues.waitingForStableLimit),
            .init("sessionsAwaitingShare", \.queues.sessionsAwaitingShare),
            .init("bytesAwaitingShare", \.queues.bytesAwaitingShare),
            .init("bytesAwaitingShareLimit", \.queues.bytesAwaitingShareLimit),
        ]
    }

    private static var clientFields: [StatusField<NodeStatus>] {
        [
            .init("sessions", \.clients.sessions),
            .init("waitingClients", \.clients.waitingClients),
            .init("listens", \.clients.listens),
            .init("refused", \.clients.refused),
            .init("deduplicationEntries", \.clients.deduplicationEntries),
            .init("deduplicationEntriesLimit", \.clients.deduplicationEntriesLimit),
            .init("repeated", \.clients.repeated),
            .init("clientsBehind", \.clients.clientsBehind),
            .init("changesHeldBack", \.clients.changesHeldBack),
            .init("queries", \.clients.queries),
            .init("disconnectBytes", \.clients.disconnectBytes),
            .init("limited", \.clients.limited),
        ]
    }
}

extension NodeStatus.RefusedNode: StatusRecord {
    static var fields: [StatusField<NodeStatus.RefusedNode>] {
        [
            .init("member", \.member), .init("endpoint", \.endpoint),
            .init("problem", \.problem), .init("fix", \.fix), .init("count", \.count),
            .init("agoMilliseconds", \.agoMilliseconds),
        ]
    }
}

extension NodeStatus.RefusedKey: StatusRecord {
    static var fields: [StatusField<NodeStatus.RefusedKey>] {
        [
            .init("key", \.key), .init("address", \.address), .init("count", \.count),
            .init("agoMilliseconds", \.agoMilliseconds),
        ]
    }
}

extension NodeStatus.Queries: StatusRecord {
    static var fields: [StatusField<NodeStatus.Queries>] {
        [
            .init("lists", \.lists), .init("views", \.views), .init("indexBytes", \.indexBytes),
            .init("indexByteLimit", \.indexByteLimit), .init("indexes", \.indexes),
            .init("declaredIndexBytes", \.declaredIndexBytes),
            .init("builds", \.builds), .init("unindexedListens", \.unindexedListens),
            .init("unindexedQueries", \.unindexedQueries),
        ]
    }
}

extension NodeStatus.IndexedList: StatusRecord {
    static var fields: [StatusField<NodeStatus.IndexedList>] {
        [.init("path", \.path), .init("orders", \.orders), .init("listens", \.listens)]
    }
}

extension NodeStatus.Rules: StatusRecord {
    static var fields: [StatusField<NodeStatus.Rules>] {
        [
            .init("digest", \.digest), .init("acceptedMilliseconds", \.acceptedMilliseconds),
            .init("isEnforced", \.isEnforced), .init("members", \.members),
        ]
    }
}

extension NodeStatus.Process: StatusRecord {
    static var fields: [StatusField<NodeStatus.Process>] {
        [
            .init("address", \.address),
            .init("pid", \.pid),
            .init("uptimeMilliseconds", \.uptimeMilliseconds),
            .init("cpuMilliseconds", \.cpuMilliseconds),
            .init("residentBytes", \.residentBytes),
            .init("databaseBytes", \.databaseBytes),
            .init("databases", \.databases),
            .init("awakeDatabases", \.awakeDatabases),
            .init("unreadyDatabases", \.unreadyDatabases),
            .init("databaseProblems", \.databaseProblems),
            .init("emptyDatabases", \.emptyDatabases),
            .init("largestDatabases", \.largestDatabases),
            .init("keptDatabases", \.keptDatabases),
            .init("contestedDatabases", \.contestedDatabases),
            .init("differingDatabases", \.differingDatabases),
            .init("diskFreeBytes", \.diskFreeBytes),
            .init("openFiles", \.openFiles),
            .init("openFilesLimit", \.openFilesLimit),
            .init("logBytes", \.logBytes),
            .init("storageBacklog", \.storageBacklog),
            .init("storageBacklogLimit", \.storageBacklogLimit),
            .init("sessions", \.sessions),
            .init("sessionsLimit", \.sessionsLimit),
            .init("slowClients", \.slowClients),
            .init("waitingReplyBytes", \.waitingReplyBytes),
            .init("droppedReplies", \.droppedReplies),
            .init("droppedFrames", \.droppedFrames),
            .init("peerConnections", \.peerConnections),
            .init("cutPeerConnections", \.cutPeerConnections),
            .init("refusedConnections", \.refusedConnections),
            .init("refusedKeys", \.refusedKeys),
        ]
    }
}
