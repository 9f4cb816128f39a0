import Store
import SyncProtocol

// How a turn ends: what it made goes to the disk, what it may say leaves, and time does its part.

extension Replica {
    /// Ends a turn; the order of the steps matters, each for the reason above it.
    mutating func endTurn() -> [Output] {
        // First, so that what follows knows whether clients are taken.
        serveWhenReady()
        // Before anything is accepted: a replica that is evicted accepts nothing, one that has rejoined may.
        continueRejoin()
        continueTransfer()
        // What clients that are gone wanted written belongs to this turn.
        for writes in sessions.probeDisconnects(at: now) { write(left: writes) }
        replication.turn.immediate += sessions.takeImmediate()
        // With all that this turn has applied so far in the tree.
        answerWaitingClients()
        // Before the batch is closed: what the coordinator decides now travels in it.
        coordinate()
        replication.closeBatch()
        // Behind the batch: peers tell when they have it.
        requestHeartbeats()
        answerWriteConcernWaiters()
        // After all that has come in this turn: the rest is missing.
        if storageFailure == nil, lifecycle.isReceiving { replication.requestMissing() }
        // After the last stamp of this turn, so that the times that peers hear are above it.
        let time = replication.passTime(
            isHeartbeatDue: heartbeats.isDue(at: now.elapsedMilliseconds))
        // What peers count on from the heartbeat that shows it, so with the turn before it.
        storeFacts()
        let outputs = hold(at: time)
        // Behind the turn, for which a requested heartbeat waits.
        publishHeartbeats()
        keepForInstallation()
        // Last, as it makes room for what this turn has added, and nothing waits for it.
        forgetRegisters(isIdle: outputs.isEmpty)
        defer { replication.turn.clear() }
        // Both read from the disk what this turn stores there.
        return replication.turn.immediate + outputs + dueInstallation() + dueCheckpoint()
    }

    /// Takes clients once all peers were heard, or after a while without some.
    private mutating func serveWhenReady() {
        guard let startup = lifecycle.startup else { return }
        let isReady = lifecycle.advanceStartup(
            .init(
                milliseconds: now.elapsedMilliseconds, writer: writer, vector: vector,
                peers: replication.peers, isTransferring: lifecycle.transfer != nil))
        if !isReady { return }
        // What such an incarnation's predecessor promised, only its peers know.
        if !startup.hasPast { replication.closedTimestamp.raise(to: replication.clock.last) }
        sessions.listens.buildNamedIndexes(in: value, at: now.elapsedMilliseconds)
        replication.turn.immediate.append(.serve)
    }

    /// Keeps what this replica accepts while its tree is being replaced, to apply it again to the new one.
    private mutating func keepForInstallation() {
        guard lifecycle.isInstalling else { return }
        lifecycle.transfer?.meanwhile += replication.turn.entries.map(\.bytes)
    }

    /// Answers clients that read slowly, that wait to be welcomed, and that wait for stability.
    private mutating func answerWaitingClients() {
        let view = replication.view
        sessions.catchUpSlowClients(seeing: view)
        for client in sessions.welcomeWaiting(seeing: view) {
            let missing = client.seen.advanced(beyond: vector)
            let names = missing.entries.map { replication.name(of: $0.origin) }
            sessions.refuse(client, missing: Array(names.prefix(3)))
        }
        for waiter in sessions.answerStabilityWaiters(seeing: view) {
            sessions.refuse(waiter, because: replication.reason(against: waiter.time))
        }
    }

    /// Asks peers to tell at once when they hold this turn's operations, if somebody waits for that.
    private mutating func requestHeartbeats() {
        guard replication.turn.asksForHeartbeats else { return }
        replication.turn.published.append(.publish(PeerMessage.requestHeartbeat.frame))
    }

    private mutating func answerWriteConcernWaiters() {
        guard !sessions.writeConcernWaiters.waiting.isEmpty else { return }
        let holdings = replication.peers.holdings(of: writer, own: turns.durable.vector[writer])
        sessions.answerWriteConcernWaiters(
            holding: holdings, ofNodes: replication.peers.all.count + 1, at: now)
    }

    /// Stores what this turn has learnt of members, and whom this node has voted for.
    private mutating func storeFacts() {
        replication.storeEvictions()
        replication.storeMembers()
        if let vote = coordination.takeVoteToStore() { replication.turn.properties.append(vote) }
    }

    /// Holds back what this turn says until what it is based on is durable; returns what may leave now.
    private mutating func hold(at time: HybridTime) -> [Output] {
        let turn = replication.turn
        return turns.end(
            batches: turn.entries, properties: turn.properties, clearsOrphans: turn.clearsOrphans,
            outputs: turn.published + sessions.finishFrames(seeing: replication.view),
            mark: .init(
                vector: vector, time: time, closedTimestamp: replication.closedTimestamp.time,
                writers: replication.peers.writers,
                evictions: replication.peers.evictions.all, lease: coordination.election.told))
    }

    private mutating func forgetRegisters(isIdle: Bool) {
        let isQuiet = isIdle && checkpoints.isQuiet(at: now.elapsedMilliseconds)
        checkpoints.note(forgotten: replication.forgetRegisters(isIdle: isQuiet))
    }

    /// A checkpoint of what all turns up to this one have made, if one is due.
    private mutating func dueCheckpoint() -> [Output] {
        for entry in replication.turn.entries {
            checkpoints.note(bytes: entry.bytes.count, at: now.elapsedMilliseconds)
        }
        if lifecycle.isInstalling { return [] }
        let isDue = checkpoints.begin(
            holding: vector, remembering: replication.tree.forgettableCount,
            at: now.elapsedMilliseconds)
        guard isDue else { return [] }
        var checkpoint = checkpoint
        checkpoint.replacesAll = checkpoints.takeDamage()
        return [.perform(.writeCheckpoint(checkpoint))]
    }
}

// MARK: - Heartbeats

extension Replica {
    /// Publishes the heartbeat that a peer waits for, if this turn is durable, and the regular one if it is due.
    private mutating func publishHeartbeats() {
        if replication.turn.owesHeartbeat {
            heartbeats.request(after: turns.lastNumber)
            replication.turn.immediate += requestedHeartbeat()
        }
        guard heartbeats.isDue(at: now.elapsedMilliseconds) else { return }
        heartbeats.next(after: now.elapsedMilliseconds)
        sessions.listens.dropIdleIndexes(at: now.elapsedMilliseconds)
        replication.turn.immediate += currentHeartbeat
        replication.greetPeers()
        truncateLog()
        replication.advanceStability()
        replication.foldOrigins()
    }

    /// Takes from the log what nobody needs; not while a checkpoint comes that the log goes on from.
    private mutating func truncateLog() {
        guard lifecycle.transfer == nil else { return }
        let truncation = checkpoints.truncation(of: vector, heldBy: replication.peers)
        if !truncation.entries.isEmpty {
            replication.turn.immediate.append(.perform(.truncate(truncation)))
        }
    }

    /// Tells what is durable here; nothing in an incarnation that was evicted, of which a member that does not
    /// know that might take what the others never will.
    private var currentHeartbeat: [Output] {
        if let rejoin = lifecycle.rejoin, rejoin.phase != .awaitingMembers { return [] }
        let heartbeat = replication.heartbeat(of: turns.durable)
        return [.publish(PeerMessage.heartbeat(heartbeat).frame)]
    }

    /// A heartbeat out of turn, as soon as what a peer waits for is durable.
    mutating func requestedHeartbeat() -> [Output] {
        heartbeats.takeRequest { turns.isStored($0) } ? currentHeartbeat : []
    }
}
