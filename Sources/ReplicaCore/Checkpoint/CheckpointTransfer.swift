import DataTree
import Marks
import Store
import SyncProtocol

/// Transfers the checkpoint of a peer to a replica, because logs begin after what that replica holds.
///
/// The transfer goes chunk by chunk: the replica requests the next chunk once the last one is stored.
/// It repeats a request to a silent peer, and after some time turns to another peer.
struct CheckpointTransfer: Equatable, Sendable {
    static let chunkBytes = 1 << 20
    static let patienceMilliseconds: UInt64 = 1_000
    static let attemptsLimit = 5

    enum Phase: Equatable, Sendable {
        /// The next rows were requested.
        case requesting
        /// They are being stored.
        case storing
        /// All rows are stored. Before the checkpoint replaces everything, the ends of logs are kept that it does not cover.
        case complete
        /// Until this many ends of logs are kept.
        case keepingOrphans(Int)
        /// The checkpoint is installed as soon as no checkpoint of this replica is being written.
        case installable
        case installing
    }

    let member: String
    /// Whether the checkpoint replaces the log as well.
    var replacesAll = false
    var phase = Phase.requesting
    var head: [UInt8] = []
    /// The highest row ID of the checkpoint.
    var lastRow: UInt64 = 0
    /// The highest row ID stored.
    var keptRow: UInt64 = 0
    var askedMilliseconds: UInt64 = 0
    var attempts = 0
    /// This replica's own batches since its log was read last.
    var meanwhile: [[UInt8]] = []

    /// The phase once all rows are stored.
    fileprivate var lastPhase: Phase { replacesAll ? .complete : .installable }
}

// MARK: - Receiving

extension Replica {
    /// Begins a transfer: what this replica misses is only in the checkpoint of a peer.
    mutating func beginTransfer(from member: String, for origin: WriterID, through sequence: UInt64)
    {
        guard lifecycle.transfer == nil, sequence > vector[origin], mayGive(member) else { return }
        sometimes(.transferBegins)
        lifecycle.transfer = CheckpointTransfer(member: member)
        fetch()
    }

    /// Requests the next rows.
    mutating func fetch() {
        guard var transfer = lifecycle.transfer else { return }
        transfer.phase = .requesting
        transfer.askedMilliseconds = now.elapsedMilliseconds
        transfer.attempts += 1
        guard transfer.attempts <= CheckpointTransfer.attemptsLimit else {
            sometimes(.transferIsGivenUp)
            lifecycle.transfer = nil
            return
        }
        lifecycle.transfer = transfer
        let message = PeerMessage.requestCheckpoint(
            member: configuration.member, checkpoint: transfer.lastRow, after: transfer.keptRow)
        replication.turn.immediate.append(.ask(transfer.member, message.frame))
    }

    /// Whether a checkpoint of a member may be taken over. One that is evicted may not know it, and may have accepted
    /// operations since of which no member waits for the arrival: their stamps may be stable already.
    private func mayGive(_ member: String) -> Bool {
        !replication.peers.evictions.isOut(member)
    }

    /// Whether this replica knows all evictions that a member knows. The stable time of a checkpoint relies on
    /// them. A replica that does not know of its own eviction may have earlier operations in its log.
    private func knows(_ evictions: [Eviction]) -> Bool {
        let known = replication.peers.evictions.all
        let ended = lifecycle.rejoin?.ended ?? []
        let isKnown = evictions.allSatisfy { eviction in
            let isMember = replication.peers.isMember(eviction.member)
            return !isMember || eviction.stage == .wanted || known.hasOver(eviction)
                || ended.hasOver(eviction)
        }
        if !isKnown { sometimes(.checkpointRestsOnUnknownEviction) }
        return isKnown
    }

    mutating func receive(
        _ part: CheckpointChunk, from member: String, knowing evictions: [Eviction]
    ) {
        guard var transfer = lifecycle.transfer, transfer.member == member,
            transfer.phase == .requesting
        else { return }
        let isNew = transfer.head.isEmpty || part.head != transfer.head
        if isNew {
            if !transfer.head.isEmpty { sometimes(.transferBeginsAnew) }
            guard mayGive(member), knows(evictions), let head = try? CheckpointHead(part.head),
                replication.clock.reaches(head.time, at: now),
                transfer.replacesAll
                    ? lifecycle.rejoin?.isKnown(by: evictions) == true
                    : checkpoints.admit(head.vector, of: member)
            else {
                lifecycle.transfer = nil
                return
            }
            transfer.head = part.head
            transfer.lastRow = head.lastRow
            transfer.keptRow = 0
        }
        guard part.after == transfer.keptRow else {
            sometimes(.rowsArriveAgain)
            return
        }
        guard part.hasAscendingRows(through: transfer.lastRow) else {
            replication.counters.malformedFrames += 1
            lifecycle.transfer = nil
            return
        }
        transfer.keptRow = part.rows.last?.id ?? part.after
        transfer.phase = part.isLast ? transfer.lastPhase : .storing
        transfer.attempts = 0
        lifecycle.transfer = transfer
        replication.turn.immediate.append(.perform(.receive(part.rows, areFirst: isNew)))
    }

    mutating func requestMoreRows() {
        if lifecycle.transfer?.phase == .storing { fetch() }
    }

    /// Repeats a request that was not answered.
    mutating func continueTransfer() {
        guard let transfer = lifecycle.transfer, transfer.phase == .requesting,
            now.elapsedMilliseconds >= transfer.askedMilliseconds
                + CheckpointTransfer.patienceMilliseconds
        else { return }
        fetch()
    }

    /// The installation of the checkpoint, if all its rows are stored; it follows the storing of this
    /// turn.
    mutating func dueInstallation() -> [Output] {
        guard let transfer = lifecycle.transfer, transfer.phase == .installable,
            !checkpoints.isWriting
        else { return [] }
        guard mayGive(transfer.member) else {
            lifecycle.failInstallation()
            return []
        }
        lifecycle.transfer?.phase = .installing
        let keepsLog = !transfer.replacesAll
        return [
            .perform(
                .install(
                    head: transfer.head, keepsLog: keepsLog,
                    holding: keepsLog ? vector : VersionVector()))
        ]
    }
}

// MARK: - Installing

extension Replica {
    /// Replaces all state by a checkpoint, and by what the log has beyond it.
    ///
    /// It never merges the old state into the new one: the new one no longer knows what was removed,
    /// so removed values would reappear.
    mutating func install(_ installed: (RestoredCheckpoint, log: [[UInt8]])?) {
        // The operations accepted so far in this turn have sequences, and belong to `meanwhile`.
        replication.closeBatch()
        let meanwhile =
            (lifecycle.transfer?.meanwhile ?? []) + replication.turn.entries.map(\.bytes)
        let replacedAll = lifecycle.transfer?.replacesAll == true
        guard let (checkpoint, log) = installed else {
            sometimes(.installationFails)
            return lifecycle.failInstallation()
        }
        lifecycle.transfer = nil
        if replacedAll { sessions.endWriteConcernWaiters() }
        let (old, before, rules) = (value, replication.view, sessions.access.stamp)
        replication.turn.dropped.append(replication.tree.parts)
        let shown = replication.largeOperations.removeAll()
        defer { for one in shown { confirm(one.submission, with: one.answer) } }
        restore(checkpoint)
        for bytes in log { replay(bytes) }
        let durable = vector
        if !meanwhile.isEmpty { sometimes(.writesComeDuringInstallation) }
        for bytes in meanwhile { replay(bytes) }
        replication.finishInstallation()
        turns.rebase(onto: durable, writer: writer)
        defer { if replacedAll { beginIncarnation() } }
        if !vector.covers(before.vector) { sessions.endSessions(seeing: before) }
        var changes: [Change] = []
        Change.append(from: old, to: value, at: .root, into: &changes)
        // Not before all is there: the checkpoint alone may have other rules and data than the log makes of it.
        if sessions.access.stamp == rules {
            judgeListens(after: changes)
        } else {
            judgeAllListens()
        }
        sessions.notifyListeners(of: changes, by: nil, in: value)
    }

    private mutating func replay(_ bytes: [UInt8]) {
        do throws(FrameError) {
            replay(try DecodedBatch(bytes, coveredBy: vector))
        } catch {
            replication.counters.malformedFrames += 1
        }
    }
}

extension CheckpointChunk {
    /// Whether its rows continue those of the part before: each is stored under its ID.
    fileprivate func hasAscendingRows(through last: UInt64) -> Bool {
        var previous = after
        for row in rows {
            guard row.id > previous, row.id <= last else { return false }
            previous = row.id
        }
        return !rows.isEmpty || isLast
    }
}

// MARK: - Sending

extension Replica {
    mutating func readRows(of checkpoint: UInt64, after row: UInt64, to member: String) {
        if checkpoint == 0 {
            guard checkpoints.refresh(to: vector, at: now.elapsedMilliseconds) else { return }
        }
        checkpoints.noteRead(at: now.elapsedMilliseconds)
        replication.turn.immediate.append(
            .perform(
                .readRows(
                    RowRead(
                        member: member, checkpoint: checkpoint, after: row,
                        byteLimit: CheckpointTransfer.chunkBytes))))
    }

    mutating func send(_ part: CheckpointChunk, for read: RowRead) {
        guard checkpointAudit.check(part, for: read.member) else {
            sometimes(.ownCheckpointIsFoundDamaged)
            return checkpoints.replace()
        }
        checkpoints.noteRead(at: now.elapsedMilliseconds)
        let message = PeerMessage.checkpointChunk(part, evictions: replication.peers.evictions.all)
        replication.turn.immediate.append(.answer(read.member, message.frame))
    }
}
