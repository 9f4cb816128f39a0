import DataTree
import Marks
import Store
import SyncProtocol

// The messages of peers and their answers. Each message goes to the state machine that it concerns.

extension Replica {
    /// Receives what a peer has published or answered.
    mutating func receive(_ frame: [UInt8], from member: String? = nil) {
        for message in peerMessages(in: frame) {
            switch message {
            case .batch(let bytes): receive(batch: bytes, repaired: false)
            case .heartbeat(let heartbeat): receive(heartbeat)
            case .batches(let origin, let batches): receive(batches, of: origin)
            case .comparison(let comparison): receive(comparison)
            case .requestHeartbeat: replication.turn.owesHeartbeat = true
            case .bye(let cluster, let member, let writer, let time):
                if cluster == configuration.cluster {
                    replication.peers.leave(member, writer)
                    coordination.release(writer, after: time)
                }
            default:
                if let member {
                    receive(answer: message, from: member)
                } else {
                    replication.counters.malformedFrames += 1
                }
            }
        }
    }

    /// Receives a message that is valid only as an answer.
    private mutating func receive(answer message: PeerMessage, from member: String) {
        switch message {
        case .compacted(let origin, let through):
            replication.repair.answered(origin, wasUseful: false)
            beginTransfer(from: member, for: origin, through: through)
        case .checkpointChunk(let part, let evictions):
            receive(part, from: member, knowing: evictions)
        case .decided(let verdicts):
            for verdict in verdicts { coordination.forwarded.answer(verdict, from: member) }
        case .welcome(_, let addressee, let version):
            if addressee == writer {
                replication.peers.greet(member, version: version)
                stateDisk()
            }
        case .remembered(let memory): receive(memory, from: member)
        case .status(_, let status): receive(status: status, from: member)
        case .refuse(_, let addressee, let problem, let fix):
            if replication.isRefused(addressee) {
                replication.turn.immediate.append(.giveUp(problem: problem, fix: fix))
            } else {
                replication.counters.unknownPeers += 1
            }
        default: replication.counters.malformedFrames += 1
        }
    }

    /// Answers the request of a peer.
    mutating func answer(_ frame: [UInt8], to member: String) {
        for message in peerMessages(in: frame) {
            if case .hello(let hello) = message {
                replication.answer(hello, to: member)
                continue
            }
            // Answers that an unknown peer does not read would fill the memory.
            guard configuration.peers.contains(member) else {
                replication.counters.unknownPeers += 1
                continue
            }
            switch message {
            case .requestBatches(_, let origin, let from, let through):
                replication.turn.immediate.append(
                    .perform(
                        .readBatches(
                            LogRead(
                                member: member, origin: origin, from: from, through: through,
                                byteLimit: Repair.chunkBytes))))
            case .propose(let proposals):
                // They may be meant for an earlier incarnation, which may have decided them.
                if proposals.coordinator == writer {
                    coordination.propose(proposals, at: now.elapsedMilliseconds)
                }
            case .requestCheckpoint(_, let checkpoint, let after):
                readRows(of: checkpoint, after: after, to: member)
            case .disk(let statement): receive(statement, from: member)
            case .requestStatus: sendStatus(to: member)
            default: replication.counters.malformedFrames += 1
            }
        }
    }

    /// Sends a peer the batches that it has requested, or reports that they are compacted.
    mutating func send(_ batches: [[UInt8]], for read: LogRead) {
        let covered = checkpoints.vector[read.origin]
        // Batches after a gap help a peer only if it has room to keep them until the gap is closed.
        let first = batches.first.flatMap { try? BatchCoding.decodeHead($0).first } ?? .max
        let isMissing = first > read.from && vector[read.origin] >= read.from
        if isMissing, covered < read.from { sometimes(.damagedBatchIsAskedFor) }
        // The next checkpoint will have the batches that are damaged in the log.
        if isMissing, covered < read.from { checkpoints.want() }
        let isCompacted = isMissing && covered >= read.from
        let message =
            isCompacted
            ? PeerMessage.compacted(origin: read.origin, through: covered)
            : PeerMessage.batches(origin: read.origin, batches: batches)
        replication.turn.immediate.append(.answer(read.member, message.frame))
        if isCompacted { sometimes(.compactedLogIsAskedFor) }
    }

    private mutating func peerMessages(in frame: [UInt8]) -> [PeerMessage] {
        do throws(FrameError) {
            return try FrameReader<PeerMessage>.messages(in: frame).compactMap { received in
                if case .message(let message) = received { return message }
                replication.counters.malformedFrames += 1
                return nil
            }
        } catch {
            if let greeting = PeerMessage.greeting(inForeign: frame) { return [greeting] }
            replication.counters.malformedFrames += 1
            return []
        }
    }
}

// MARK: - Operations and heartbeats

extension Replica {
    /// Receives a batch, and applies what can be applied now, operation by operation.
    private mutating func receive(batch bytes: [UInt8], repaired: Bool) {
        replication.receive(
            batch: bytes, repaired: repaired,
            isReceiving: lifecycle.isReceiving && !lifecycle.isInstalling && storageFailure == nil)
        while let applied = replication.applyNext() { announce(applied) }
    }

    /// Receives the batches of an origin that this replica has requested.
    private mutating func receive(_ batches: [[UInt8]], of origin: WriterID) {
        let before = (held: vector[origin], admitted: replication.reorderBuffer.admitted)
        for bytes in batches {
            replication.counters.repairedBytes += UInt64(bytes.count)
            receive(batch: bytes, repaired: true)
        }
        // A refused batch, requested again at once, would be sent again and again.
        let wasUseful =
            vector[origin] > before.held
            || replication.reorderBuffer.admitted > before.admitted
        replication.repair.answered(origin, wasUseful: wasUseful)
    }

    /// Makes an operation of checked writes.
    ///
    /// - Parameters:
    ///   - stamp: The client's, if it gave one.
    ///   - alias: The stamp of the orphaned operation that this one replays, or the name of the transaction.
    ///   - term: The term in which the transaction was decided.
    ///   - attribution: The user or administrator that made the request.
    ///   - records: The on-disconnect writes of sessions that it registers, or takes back.
    mutating func accept(
        _ writes: [Write], stamp: Stamp? = nil, alias: Stamp? = nil, term: UInt64? = nil,
        for attribution: Attribution?, recording records: [DisconnectRecord] = []
    ) {
        announce(
            replication.accept(
                writes, stamp: stamp, alias: alias, term: term, for: attribution,
                recording: records))
    }

    /// Notifies listeners and the coordination of transactions of an applied operation.
    private mutating func announce(_ applied: AppliedOperation) {
        coordination.record(applied.operation, of: applied.origin)
        comparisons.record(applied.operation, of: applied.origin)
        if applied.registration != nil, applied.origin != writer { endSettledSessions(by: applied) }
        if applied.setsRules { adoptRules() }
        let writes = applied.operation.writes
        if !applied.changes.isEmpty {
            show(applied.changes, by: writes.count == 1 ? writes[0].path : nil)
        }
    }

    /// Shows the changes by the last operation to listeners.
    ///
    /// - Parameter write: The location of its only write; nil if it has several.
    mutating func show(_ changes: [Change], by write: Path? = nil) {
        // First, so that a listen that is no longer permitted shows nothing of what took its permission.
        judgeListens(after: changes)
        sessions.notifyListeners(of: changes, by: write, in: value)
        dataSize.record(changes)
        replication.collectDropped(by: changes)
    }

    mutating func receive(_ heartbeat: Heartbeat) {
        guard isOwnLogComplete(after: heartbeat) else { return }
        // To close the writer of the member whose checkpoint is being installed, and to say so, would be premature: the
        // checkpoint may have more of it. Another heartbeat comes soon.
        if lifecycle.isInstalling, heartbeat.evictions != replication.peers.evictions.all { return }
        let outcome = replication.receive(heartbeat)
        if outcome == .ignored { return }
        if case .newWriter(let before) = outcome {
            // A replica that has not recovered waits until peers announce that they know it.
            heartbeats.hasten(to: now.elapsedMilliseconds)
            if let before { coordination.release(before) }
        }
        lifecycle.becomeEvicted(replication.peers.evictions.news(in: heartbeat.evictions))
        if outcome == .late { return }
        // A candidate waits for the votes.
        if coordination.receive(heartbeat, at: now.elapsedMilliseconds, mayVote: mayVote) {
            replication.turn.owesHeartbeat = true
        }
    }
}
