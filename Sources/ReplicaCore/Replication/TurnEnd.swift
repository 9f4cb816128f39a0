import SyncProtocol

/// What a turn has gathered so far.
struct OpenTurn: Sendable {
    var entries: [LogEntry] = []
    var properties: [Property] = []
    /// Said once the turn is durable, before what the outbox has for clients.
    var published: [Output] = []
    /// Said at once: it tells nothing that could be lost.
    var urgent: [Output] = []
    /// Operations applied to the tree.
    var applied = 0
    /// What was set aside is done again in this turn.
    var clearsAside = false
    /// A client waits until this turn's operations are durable elsewhere too.
    var isUrgent = false
    /// A peer waits until this turn is durable.
    var isUrged = false

    mutating func clear() {
        entries.removeAll(keepingCapacity: true)
        properties.removeAll(keepingCapacity: true)
        published.removeAll(keepingCapacity: true)
        urgent.removeAll(keepingCapacity: true)
        applied = 0
        clearsAside = false
        isUrgent = false
        isUrged = false
    }
}

// How a turn ends: what it made goes to the disk, what it may say leaves, and time does its part.

extension Replica {
    mutating func endTurn() -> [Output] {
        serveWhenReady()
        continueWayBack()
        continueJoining()
        probeDisconnects()
        catchUpSlowClients()
        answerWaitingClients()
        answerSettling()
        coordinate()
        closeBatch()
        if turn.isUrgent { turn.published.append(.publish(PeerMessage.urge.frame)) }
        answerConcerns()
        askForRepair()
        let time = passTime()
        extendClockBound(over: time)
        storeEvictions()
        storeMembers()
        storeVote()
        tellWhatIsSeen()
        let outputs = turns.end(
            batches: turn.entries, properties: turn.properties, clearsAside: turn.clearsAside,
            outputs: turn.published + outbox.take(),
            mark: .init(
                vector: vector, time: time, promise: promised, writers: peers.writers,
                evictions: peers.evictions.all, lease: coordination.election.told))
        if turn.isUrged {
            urgedTurn = turns.lastNumber
            turn.urgent += urgedBeat()
        }
        beat()
        // A little every turn, so that no turn is long, but more than a turn can add. A node that has nothing
        // else to do has few turns, and time in each.
        let isIdle = outputs.isEmpty && checkpoints.isQuiet(at: now.elapsedMilliseconds)
        let forgotten = tree.forget(
            through: Stamp(time: frontier, writer: WriterID(bits: .max)),
            limit: isIdle ? 5_000 : 500 + 3 * turn.applied)
        checkpoints.note(forgotten: forgotten)
        defer { turn.clear() }
        return turn.urgent + outputs + dueAdoption() + dueCheckpoint()
    }

    /// Asks peers for what is missing; not while the disk takes nothing, and what came would be dropped.
    private mutating func askForRepair() {
        if storageFlaw != nil || !life.mayTake { return }
        let requests = repair.requests(
            holding: vector, inbox: inbox, peers: peers, at: now.elapsedMilliseconds)
        for request in requests {
            let message = PeerMessage.want(
                member: configuration.member, origin: request.origin, from: request.from,
                through: request.through)
            turn.urgent.append(.ask(request.member, message.frame))
        }
    }

    /// A checkpoint of what all turns up to this one have made, if one is due.
    private mutating func dueCheckpoint() -> [Output] {
        for entry in turn.entries {
            checkpoints.note(bytes: entry.bytes.count, at: now.elapsedMilliseconds)
        }
        if isAdopting { return [] }
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
            value: tree.value, registers: tree.registers, vector: vector, frontier: frontier,
            time: clock.last, stamps: clientStamps)
    }

    /// Moves the clock on, and behind it the promise. The times that peers hear ascend, also where the
    /// clock is ahead of the wall clock.
    private mutating func passTime() -> HybridTime {
        let time =
            now.elapsedMilliseconds >= nextBeatMilliseconds
            ? clock.next(wallMilliseconds: now.wallMilliseconds)
            : clock.advance(wallMilliseconds: now.wallMilliseconds)
        let lag = configuration.retryWindowMilliseconds
        promised = max(
            promised, time.earlier(byMilliseconds: lag), timeShown(before: lag, now: time))
        return time
    }

    /// A time that the clock showed so long ago, or somewhat longer: where the wall clock has gone back, and
    /// the clock stands still, the promise follows it all the same.
    private mutating func timeShown(before lag: UInt64, now time: HybridTime) -> HybridTime {
        guard let shown = shownTime, now.elapsedMilliseconds < shown.elapsedMilliseconds + lag
        else {
            defer { shownTime = (now.elapsedMilliseconds, time) }
            return shownTime?.time ?? .zero
        }
        return .zero
    }

    /// Keeps a bound on disk above every time that the clock has shown, for the next life to start from.
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
    mutating func beat() {
        guard now.elapsedMilliseconds >= nextBeatMilliseconds else { return }
        nextBeatMilliseconds = now.elapsedMilliseconds + 250
        listens.dropIdleIndexes(at: now.elapsedMilliseconds)
        turn.urgent += currentBeat
        greetPeers()
        truncateLog()
        peers.settle(holding: vector)
        frontier = max(frontier, peers.frontier(own: promised) ?? .zero)
    }

    /// Takes from the log what nobody needs; not while a checkpoint comes that the log goes on from.
    private mutating func truncateLog() {
        guard joining == nil else { return }
        let truncation = checkpoints.truncation(of: vector, heldBy: peers)
        if !truncation.entries.isEmpty { turn.urgent.append(.truncate(truncation)) }
    }

    /// Tells what is durable here; nothing in a life that is over by decision, of which a member that does
    /// not know that might take what the others never will.
    private var currentBeat: [Output] {
        if let wayBack, wayBack.phase != .returning { return [] }
        let durable = turns.durable
        let beat = Beat(
            cluster: configuration.cluster, member: configuration.member, writer: writer,
            vector: durable.vector, time: durable.time, promise: durable.promise,
            writers: durable.writers, evictions: durable.evictions,
            wallMilliseconds: now.wallMilliseconds, lease: durable.lease)
        return [.publish(PeerMessage.beat(beat).frame)]
    }

    /// A beat out of turn, as soon as what a peer waits for is durable.
    mutating func urgedBeat() -> [Output] {
        guard let urged = urgedTurn, turns.isStored(urged) else { return [] }
        urgedTurn = nil
        return currentBeat
    }
}
