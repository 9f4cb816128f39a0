import Convergence
import Store
import SyncProtocol

// How a turn ends: its operations go to disk, outputs that may leave are sent, and timers run.

extension Replica {
    /// Ends a turn. The order of all steps matters, each for the reason above it.
    mutating func endTurn() -> [Output] {
        completeBatch()
        // After the last operation of this turn, and behind its batch: peers need it to compare theirs.
        compareTrees()
        let time = completeFacts()
        var held = hold(at: time)
        // After `hold`, which adds the answers of this turn to those that wait for the disk.
        answerOverdueRequests()
        held.append(all: dueSynchronization())
        let truncation = publishHeartbeats()
        // After the batch is closed: it has what this turn has accepted.
        keepForInstallation()
        // Before the checkpoint, which need not store what is forgotten.
        forgetRegisters(isIdle: held.isEmpty && !hasDueWork)
        countData()
        defer { replication.turn.clear() }
        return outputs(holding: held, truncating: truncation)
    }

    /// Does all work that adds operations to the batch of this turn, and closes the batch.
    private mutating func completeBatch() {
        // First, so that the next steps know whether clients are accepted.
        serveWhenReady()
        // Before any operation is made: an evicted replica makes none, one that has rejoined may.
        continueRejoin()
        // After the last operation of this turn's inputs.
        advanceLargeOperations()
        // After the rejoin, which drops a transfer that is not to be continued.
        continueTransfer()
        // Before the batch is closed, which includes the writes among them.
        serveDue()
        // On-disconnect writes of clients that are gone belong to this turn.
        for left in sessions.probeDisconnects(at: now) { write(permitted(left)) }
        // Replies that show no data: they wait for no turn, and so may be taken anywhere before the return.
        replication.turn.immediate.append(all: sessions.takeImmediate())
        // After the start and the rejoin, whose turn does the writes of earlier incarnations.
        watchPresence()
        // After the ends of sessions, which remove the records; before the batch is closed: an answer that this turn gives to
        // a registration waits for it.
        recordDisconnects()
        // Slow clients are sent the tree with everything that this turn has applied.
        answerWaitingClients()
        // Before the batch is closed: it includes what the coordinator decides now.
        coordinate()
        replication.closeBatch()
    }

    /// Completes everything else that becomes durable with this turn, and the messages and answers that wait for it.
    ///
    /// - Returns: The time that the turn announces.
    private mutating func completeFacts() -> HybridTime {
        // Peers get the request behind the batch, and answer once they have synced it.
        requestHeartbeats()
        // After all heartbeats of this turn; before `hold`, which takes the answers along.
        answerWriteConcernWaiters()
        // Repair runs after all arrivals; what is still missing is really missing.
        if storageFailure == nil, lifecycle.isReceiving { replication.requestMissing() }
        // After the last stamp of this turn, so that the announced times are above it.
        let time = replication.passTime(
            isHeartbeatDue: heartbeats.isDue(at: now.elapsedMilliseconds),
            closingUpTo: presence.closingLimit)
        // Evictions, members and the vote become durable with this turn, because a heartbeat announces them only
        // afterwards.
        storeFacts()
        return time
    }

    /// Publishes the heartbeats that are due, and returns the truncation that is due as often.
    private mutating func publishHeartbeats() -> [Output] {
        // After `hold`, which numbers the turn that a requested heartbeat waits for.
        publishRequestedHeartbeat()
        // Once in each heartbeat interval, because each looks at all peers.
        guard heartbeats.isDue(at: now.elapsedMilliseconds) else { return [] }
        publishHeartbeat()
        return dueTruncation()
    }

    /// The outputs of this turn, in their order.
    private mutating func outputs(
        holding held: [Output], truncating truncation: [Output]
    ) -> [Output] {
        // Immediate outputs come first, because they depend on earlier turns alone. The last three follow `store`.
        // A truncation relies on the operations of this turn, an installation reads its batches from the log, and a
        // checkpoint must not cover operations that are not stored.
        var outputs = replication.turn.immediate
        outputs.append(all: held)
        outputs.append(all: truncation)
        outputs.append(all: dueInstallation())
        outputs.append(all: dueCheckpoint())
        if !replication.turn.dropped.isEmpty {
            outputs.append(.free(replication.turn.dropped))
        }
        return outputs
    }

    /// Counts further data, and their digest. Memory of large parts that were removed is freed once these are counted.
    private mutating func countData() {
        let digested = replication.tree.countDigest()
        if !digested.isEmpty { replication.turn.dropped.append(digested) }
        if dataSize.isComplete { return }
        let counted = DroppedParts(values: dataSize.advance(in: value))
        if !counted.isEmpty { replication.turn.dropped.append(counted) }
    }

    /// Accepts clients once heartbeats of all peers have arrived, or after a while without some.
    private mutating func serveWhenReady() {
        guard let startup = lifecycle.startup else { return }
        // Before it is ready by its version vector, which has them already: its first clients read everything that it holds.
        completeLargeOperations()
        switch lifecycle.advanceStartup(startupSituation) {
        case .waiting: return
        case .mustRejoin: return endIncarnationAlone()
        case .ready: break
        }
        // Only its peers know which closed timestamps the predecessor of this incarnation announced.
        if !startup.hasRecovered {
            _ = replication.raiseFloor(to: replication.clock.last)
            replication.incarnations.recover(holding: vector, above: replication.floor)
        }
        sessions.listens.buildNamedIndexes(in: value)
        replication.turn.immediate.append(.serve)
    }

    /// The facts of this moment on which the start depends.
    var startupSituation: Startup.Situation {
        Startup.Situation(
            milliseconds: now.elapsedMilliseconds, writer: writer, vector: vector,
            durable: turns.durable.vector, peers: replication.peers,
            isTransferring: lifecycle.transfer != nil)
    }

    /// Keeps what this replica accepts while its tree is being replaced, to apply it to the new one.
    private mutating func keepForInstallation() {
        guard lifecycle.isInstalling else { return }
        lifecycle.transfer?.meanwhile += replication.turn.entries.map(\.bytes)
    }

    /// Answers clients that read slowly, wait to be welcomed, or wait for stability.
    private mutating func answerWaitingClients() {
        guard sessions.haveWaitingClients else { return }
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

    /// Requests heartbeats as soon as peers hold this turn's operations, if a client waits for that.
    private mutating func requestHeartbeats() {
        guard replication.turn.asksForHeartbeats else { return }
        replication.turn.published.append(.publish(PeerMessage.requestHeartbeat.frame, .awaited))
    }

    private mutating func answerWriteConcernWaiters() {
        guard !sessions.writeConcernWaiters.waiting.isEmpty else { return }
        let holdings = replication.peers.holdings(of: writer, own: turns.durable.vector[writer])
        sessions.answerWriteConcernWaiters(
            holding: holdings, ofNodes: replication.peers.all.count + 1, at: now)
    }

    /// Stores what this turn has learnt of members, this node's vote, and what it has yet to recover.
    private mutating func storeFacts() {
        replication.storeEvictions()
        replication.storeMemories()
        replication.storeMembers()
        if let history = replication.rulesHistory.takeToStore() {
            replication.turn.properties.append(history)
        }
        if let vote = coordination.takeVoteToStore() { replication.turn.properties.append(vote) }
        // With the vote that this turn has learnt, and with the data that has made it serve.
        storeDiskLoss()
    }

    /// Holds the outputs of this turn until what they depend on is durable; returns those that can be sent now.
    private mutating func hold(at time: HybridTime) -> [Output] {
        let replies = sessions.finishFrames(seeing: replication.view)
        // Most turns publish nothing.
        let outputs =
            replication.turn.published.isEmpty ? replies : replication.turn.published + replies
        defer {
            sessions.unread.endTurn(
                configuration.durability == .commit ? turns.lastNumber : nil)
        }
        return turns.end(
            batches: replication.turn.entries, properties: replication.turn.properties,
            clearsOrphans: replication.turn.clearsOrphans, outputs: outputs,
            mark: .init(
                vector: vector, time: time, closedTimestamp: replication.closedTimestamp.time,
                writers: replication.peers.writers,
                evictions: replication.peers.evictions.all, lease: coordination.election.told))
    }

    /// Has the store sync at once if a request waits for it, and otherwise as often as a heartbeat announces the
    /// durable operations.
    private mutating func dueSynchronization() -> [Output] {
        let isAwaited = replication.turn.asksForHeartbeats || replication.turn.owesHeartbeat
        if isAwaited || heartbeats.isDue(at: now.elapsedMilliseconds) { turns.awaitStored() }
        return turns.dueSynchronization()
    }

    private mutating func forgetRegisters(isIdle: Bool) {
        let isQuiet = isIdle && checkpoints.isQuiet(at: now.elapsedMilliseconds)
        checkpoints.record(forgotten: replication.forgetRegisters(isIdle: isQuiet))
    }

    /// A checkpoint of all turns up to this one, if one is due.
    private mutating func dueCheckpoint() -> [Output] {
        for entry in replication.turn.entries {
            checkpoints.record(bytes: entry.bytes.count, at: now.elapsedMilliseconds)
        }
        if lifecycle.isInstalling || !replication.largeOperations.isEmpty { return [] }
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
    /// Publishes a heartbeat that a peer requested in this turn, once that turn is durable.
    private mutating func publishRequestedHeartbeat() {
        guard replication.turn.owesHeartbeat else { return }
        heartbeats.request(after: turns.lastNumber)
        replication.turn.immediate.append(all: requestedHeartbeat())
    }

    /// Publishes the regular heartbeat, and does what is due as often.
    private mutating func publishHeartbeat() {
        heartbeats.next(after: now.elapsedMilliseconds)
        sessions.listens.dropIdleIndexes(at: now.elapsedMilliseconds)
        replication.turn.immediate.append(all: currentHeartbeat)
        replication.greetPeers()
        stateDisk(isRepeated: true)
        if !checkpoints.refused.isEmpty, replication.peers.areCovered(by: vector) {
            checkpoints.forgetRefused()
        }
        // A member that had the operations before a waiting batch may have lost them since.
        replication.dropClosed()
        replication.advanceStability()
        replication.foldOrigins()
    }

    /// A truncation of the log, except during the transfer of a checkpoint that the log continues.
    private mutating func dueTruncation() -> [Output] {
        guard lifecycle.transfer == nil else { return [] }
        let bound = checkpoints.truncation(
            of: vector, heldBy: replication.peers, at: now.elapsedMilliseconds)
        return bound.entries.isEmpty ? [] : [.perform(.truncate(bound))]
    }

    /// A heartbeat of what is durable; none in an evicted incarnation, whose operations a member that does not
    /// know of the eviction might accept, and others never would.
    private var currentHeartbeat: [Output] {
        if lifecycle.rejoin?.phase == .transferring { return [] }
        let heartbeat = replication.heartbeat(
            of: turns.durable, announcesHoldings: lifecycle.announcesHoldings)
        return [.publish(PeerMessage.heartbeat(heartbeat).frame, .awaited)]
    }

    /// A heartbeat as soon as the turn that a peer waits for is durable.
    mutating func requestedHeartbeat() -> [Output] {
        heartbeats.takeRequest { turns.isStored($0) } ? currentHeartbeat : []
    }
}
