import SyncProtocol

/// What a turn has gathered so far.
struct OpenTurn: Sendable {
    var entries: [LogEntry] = []
    var properties: [Property] = []
    /// Said once the turn is durable, before what the outbox has for clients.
    var published: [Output] = []
    /// Said at once: it tells nothing that could be lost.
    var immediate: [Output] = []
    /// Operations applied to the tree.
    var applied = 0
    /// What was set aside is done again in this turn.
    var clearsOrphans = false
    /// A client waits until this turn's operations are durable elsewhere too.
    var requestsHeartbeats = false
    /// A peer waits until this turn is durable.
    var isHeartbeatRequested = false

    mutating func clear() {
        entries.removeAll(keepingCapacity: true)
        properties.removeAll(keepingCapacity: true)
        published.removeAll(keepingCapacity: true)
        immediate.removeAll(keepingCapacity: true)
        applied = 0
        clearsOrphans = false
        requestsHeartbeats = false
        isHeartbeatRequested = false
    }
}

// How a turn ends: what it made goes to the disk, what it may say leaves, and time does its part.

extension Replica {
    mutating func endTurn() -> [Output] {
        serveWhenReady()
        continueRejoin()
        continueTransfer()
        probeDisconnects()
        catchUpSlowClients()
        answerWaitingClients()
        answerStabilityWaiters()
        coordinate()
        closeBatch()
        if turn.requestsHeartbeats {
            turn.published.append(.publish(PeerMessage.requestHeartbeat.frame))
        }
        answerWriteConcernWaiters()
        askForRepair()
        let time = passTime()
        extendClockBound(over: time)
        storeEvictions()
        storeMembers()
        storeVote()
        tellWhatIsSeen()
        let outputs = turns.end(
            batches: turn.entries, properties: turn.properties, clearsOrphans: turn.clearsOrphans,
            outputs: turn.published + outbox.take(),
            mark: .init(
                vector: vector, time: time, closedTimestamp: closedTimestamp,
                writers: peers.writers,
                evictions: peers.evictions.all, lease: coordination.election.told))
        if turn.isHeartbeatRequested {
            requestedHeartbeatTurn = turns.lastNumber
            turn.immediate += requestedHeartbeat()
        }
        heartbeat()
        // A little every turn, so that no turn is long, but more than a turn can add. A node that has nothing
        // else to do has few turns, and time in each.
        let isIdle = outputs.isEmpty && checkpoints.isQuiet(at: now.elapsedMilliseconds)
        let forgotten = tree.forget(
            through: Stamp(time: stableTime, writer: WriterID(bits: .max)),
            limit: isIdle ? 5_000 : 500 + 3 * turn.applied)
        checkpoints.note(forgotten: forgotten)
        defer { turn.clear() }
        return turn.immediate + outputs + dueInstallation() + dueCheckpoint()
    }

    /// Asks peers for what is missing; not while the disk takes nothing, and what came would be dropped.
    private mutating func askForRepair() {
        if storageFailure != nil || !startup.mayTake { return }
        let requests = repair.requests(
            holding: vector, reorderBuffer: reorderBuffer, peers: peers, at: now.elapsedMilliseconds
        )
        for request in requests {
            let message = PeerMessage.requestBatches(
                member: configuration.member, origin: request.origin, from: request.from,
                through: request.through)
            turn.immediate.append(.ask(request.member, message.frame))
        }
    }

    /// A checkpoint of what all turns up to this one have made, if one is due.
    private mutating func dueCheckpoint() -> [Output] {
        for entry in turn.entries {
            checkpoints.note(bytes: entry.bytes.count, at: now.elapsedMilliseconds)
        }
        if isInstalling { return [] }
        let isDue = checkpoints.begin(
            holding: vector, remembering: tree.forgettableCount, at: now.elapsedMilliseconds)
        guard isDue else { return [] }
        var checkpoint = checkpoint
        checkpoint.replacesAll = checkpoints.takeDamage()
        return [.checkpoint(checkpoint)]
    }

    /// The state of this replica, to be written on disk.
    public var checkpoint: Checkpoint {
        Checkpoint(
            value: tree.value, registers: tree.registers, vector: vector, stableTime: stableTime,
            time: clock.last, stamps: deduplicationTable)
    }

    /// Moves the clock on, and behind it the closed timestamp. The times that peers hear ascend, also where the
    /// clock is ahead of the wall clock.
    private mutating func passTime() -> HybridTime {
        let time =
            now.elapsedMilliseconds >= nextHeartbeatMilliseconds
            ? clock.next(wallMilliseconds: now.wallMilliseconds)
            : clock.advance(wallMilliseconds: now.wallMilliseconds)
        let lag = configuration.retryWindowMilliseconds
        closedTimestamp = max(
            closedTimestamp, time.earlier(byMilliseconds: lag), timeShown(before: lag, now: time))
        return time
    }

    /// A time that the clock showed so long ago, or somewhat longer: where the wall clock has gone back, and
    /// the clock stands still, the closed timestamp follows it all the same.
    private mutating func timeShown(before lag: UInt64, now time: HybridTime) -> HybridTime {
        guard let shown = shownTime, now.elapsedMilliseconds < shown.elapsedMilliseconds + lag
        else {
            defer { shownTime = (now.elapsedMilliseconds, time) }
            return shownTime?.time ?? .zero
        }
        return .zero
    }

    /// Keeps a bound on disk above every time that the clock has shown, for the next incarnation to start from.
    mutating func extendClockBound(over time: HybridTime) {
        guard time.milliseconds + 1_000 > clockBound else { return }
        clockBound = time.milliseconds + 3_000
        turn.properties.append(Property(.clockBound, clockBound))
    }

    /// Keeps on disk whom this node has voted for.
    private mutating func storeVote() {
        guard let vote = coordination.election.takeChange() else { return }
        var writer = MessagePackWriter()
        writer.append(vote)
        turn.properties.append(Property(.vote, bytes: writer.bytes))
    }

    /// Four times a second: tells what is durable here, and finds out what is stable.
    mutating func heartbeat() {
        guard now.elapsedMilliseconds >= nextHeartbeatMilliseconds else { return }
        nextHeartbeatMilliseconds = now.elapsedMilliseconds + 250
        listens.dropIdleIndexes(at: now.elapsedMilliseconds)
        turn.immediate += currentHeartbeat
        greetPeers()
        truncateLog()
        peers.advanceStability(holding: vector)
        stableTime = max(stableTime, peers.stableTime(own: closedTimestamp) ?? .zero)
    }

    /// Takes from the log what nobody needs; not while a checkpoint comes that the log goes on from.
    private mutating func truncateLog() {
        guard transfer == nil else { return }
        let truncation = checkpoints.truncation(of: vector, heldBy: peers)
        if !truncation.entries.isEmpty { turn.immediate.append(.truncate(truncation)) }
    }

    /// Tells what is durable here; nothing in an incarnation that is over by decision, of which a member that does
    /// not know that might take what the others never will.
    private var currentHeartbeat: [Output] {
        if let rejoin, rejoin.phase != .returning { return [] }
        let durable = turns.durable
        let heartbeat = Heartbeat(
            cluster: configuration.cluster, member: configuration.member, writer: writer,
            vector: durable.vector, time: durable.time, closedTimestamp: durable.closedTimestamp,
            writers: durable.writers, evictions: durable.evictions,
            wallMilliseconds: now.wallMilliseconds, lease: durable.lease)
        return [.publish(PeerMessage.heartbeat(heartbeat).frame)]
    }

    /// A heartbeat out of turn, as soon as what a peer waits for is durable.
    mutating func requestedHeartbeat() -> [Output] {
        guard let urged = requestedHeartbeatTurn, turns.isStored(urged) else { return [] }
        requestedHeartbeatTurn = nil
        return currentHeartbeat
    }
}
