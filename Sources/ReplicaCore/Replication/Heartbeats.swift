import Marks
import SyncProtocol

// The announcements of members, four times a second: the sender's durable operations, and its view of the members.

extension Replication {
    /// The effect of a heartbeat.
    enum HeartbeatOutcome: Equatable {
        /// None: it is not from a peer, from an evicted incarnation, or does not count yet.
        case ignored
        /// It is older than an earlier arrival.
        case late
        case current
        /// A member began a new incarnation, or sent its first heartbeat; with the writer that it had before.
        case newWriter(before: WriterID?)
    }

    /// Processes the heartbeat of a member.
    mutating func receive(_ heartbeat: Heartbeat) -> HeartbeatOutcome {
        guard heartbeat.cluster == configuration.cluster, isCredible(heartbeat) else {
            counters.unknownPeers += 1
            return .ignored
        }
        let last = peers.all.first { $0.member == heartbeat.member }?.heartbeat?.writer
        let outcome: HeartbeatOutcome
        let reception = peers.receive(
            heartbeat, folded: vector.folded, stable: stableTime, at: now.elapsedMilliseconds)
        switch reception {
        case .withheld: return .ignored
        case .unknownPeer:
            counters.unknownPeers += 1
            return .ignored
        case .evicted:
            sometimes(.heartbeatOfEvicted)
            return .ignored
        case .newWriter:
            dropClosed()
            outcome = .newWriter(before: last == heartbeat.writer ? nil : last)
        case .late:
            sometimes(.heartbeatArrivesLate)
            outcome = .late
        case .known: outcome = .current
        }
        clock.observe(heartbeat.time)
        follow(heartbeat)
        return outcome
    }

    /// Whether this node's clock may follow all times of a heartbeat: a coordinator's clock follows the ceilings
    /// of votes, and the stable time follows closed timestamps.
    private func isCredible(_ heartbeat: Heartbeat) -> Bool {
        let lease = heartbeat.lease
        return [heartbeat.time, heartbeat.closedTimestamp, lease?.ceiling, lease?.formerCeiling]
            .allSatisfy { $0.map { clock.reaches($0, at: now) } ?? true }
    }

    /// A heartbeat of what is durable.
    ///
    /// - Parameter announcesHoldings: Whether it shows the held operations; otherwise the node seems to hold nothing, and
    ///   closes nothing: its operations may still be older.
    func heartbeat(of durable: TurnQueue.Mark, announcesHoldings: Bool) -> Heartbeat {
        var durable = durable
        if !announcesHoldings {
            durable.vector = VersionVector()
            durable.closedTimestamp = .zero
        }
        let folding = durable.vector.folded.map { origins in
            Heartbeat.Folding(
                origins.digest,
                areLeftOut: peers.haveFolded(origins.digest, at: now.elapsedMilliseconds))
        }
        return Heartbeat(
            cluster: configuration.cluster, member: configuration.member, writer: writer,
            vector: durable.vector, time: durable.time, closedTimestamp: durable.closedTimestamp,
            writers: durable.writers, evictions: durable.evictions,
            wallMilliseconds: now.wallMilliseconds, lease: durable.lease, folding: folding)
    }

    /// Advances the clock, and the closed timestamp behind it, as a turn ends.
    ///
    /// - Parameter isHeartbeatDue: Whether a heartbeat will announce the time: announced times ascend, even
    ///   while the clock is ahead of the wall clock.
    /// - Parameter limit: The closed timestamp does not advance beyond this time.
    mutating func passTime(isHeartbeatDue: Bool, closingUpTo limit: HybridTime) -> HybridTime {
        let time =
            isHeartbeatDue
            ? clock.next(wallMilliseconds: now.wallMilliseconds)
            : clock.advance(wallMilliseconds: now.wallMilliseconds)
        var closed = closedTimestamp
        closed.follow(time, at: now.elapsedMilliseconds)
        if closed.time <= limit {
            closedTimestamp = closed
        } else {
            closedTimestamp.raise(to: limit)
        }
        if clockBound.extend(over: time) {
            turn.properties.append(clockBound.property)
            peers.storeMemories()
        }
        if closedBound.extend(over: closedTimestamp, with: clockBound) {
            turn.properties.append(closedBound.property)
        }
        return time
    }

    /// Advances the stable time.
    mutating func advanceStability() {
        peers.advanceStability(holding: vector)
        stableTime = max(stableTime, peers.stableTime(own: closedTimestamp.time) ?? .zero)
    }

    /// Folds the origins that all members hold alike.
    mutating func foldOrigins() {
        guard let origins = peers.folding(of: vector, limit: configuration.foldingLimit)
        else { return }
        sometimes(.originsAreFolded)
        vector.fold(origins)
        peers.fold(origins)
    }

    /// Why operations with stamps up to a time may still arrive, and what helps.
    func reason(against time: HybridTime) -> (problem: String, fix: String) {
        let silent = peers.silentMembers(at: now.elapsedMilliseconds)
        if !silent.isEmpty {
            return (
                "it has no contact with \(silent.joined(separator: ", "))",
                "start the missing nodes, or evict them with `hearth cluster evict`; see `hearth "
                    + "cluster doctor`"
            )
        }
        if closedTimestamp.time < time {
            return (
                "nodes accept writes with stamps up to \(closedTimestamp.lagMilliseconds) ms old",
                "allow more time"
            )
        }
        let late = peers.notStable(through: time)
        return (
            "it waits for operations of \(late.joined(separator: ", "))",
            "allow more time; see `hearth cluster doctor`"
        )
    }

    /// Requests the operations that this replica misses.
    mutating func requestMissing() {
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

    /// Forgets registers that no operation can need in future.
    ///
    /// - Parameter isIdle: Whether the node has nothing else to do: its turns are then few, and each has time.
    /// - Returns: The number of locations visited.
    mutating func forgetRegisters(isIdle: Bool) -> Int {
        // An operation that does not show yet needs the registers that are later.
        let stamp = Stamp(time: shownStableTime, writer: WriterID(bits: .max))
        // A little every turn, so that no turn is long, but more than a turn can add.
        let limit = isIdle ? 5_000 : 500 + 3 * turn.applied + turn.appliedWrites
        largeOperations.forgetInCopy(through: stamp, limit: limit)
        if !disconnectRecords.isEmpty { disconnectRecords.forget(through: stableTime) }
        return tree.forget(through: stamp, limit: limit)
    }

    /// The member whose current writer an origin is, or the origin itself if its incarnation has ended.
    func name(of origin: WriterID) -> String {
        if origin == writer { return configuration.member }
        return peers.all.first { $0.heartbeat?.writer == origin }?.member ?? origin.description
    }
}
