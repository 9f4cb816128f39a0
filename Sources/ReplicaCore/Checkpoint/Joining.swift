import DataTree
import SyncProtocol

/// How a replica gets the checkpoint of a peer, because logs begin after what it holds.
///
/// Chunk by chunk: it asks for the next one when the last is kept. A peer that falls silent is asked
/// again, and after some time left for another.
struct Joining: Sendable {
    static let chunkBytes = 1 << 20
    static let patienceMilliseconds: UInt64 = 1_000
    static let attemptsLimit = 5

    enum Phase: Sendable {
        case asking, keeping
        /// All rows are kept.
        case complete
        case adopting
    }

    let member: String
    /// Whether the log goes as well.
    var replacesAll = false
    var phase = Phase.asking
    var head: [UInt8] = []
    /// The highest row that belongs to the checkpoint.
    var lastRow: UInt64 = 0
    /// The highest row that is kept.
    var keptRow: UInt64 = 0
    var askedMilliseconds: UInt64 = 0
    var attempts = 0
    /// Batches of this replica's own since its log was read for the last time.
    var meanwhile: [[UInt8]] = []
}

// MARK: - Getting

extension Replica {
    /// A peer has in its checkpoint alone what is missing here.
    mutating func join(at member: String, for origin: WriterID, through sequence: UInt64) {
        guard joining == nil, sequence > vector[origin] else { return }
        joining = Joining(member: member)
        fetch()
    }

    /// Gets a checkpoint in place of all that is here, the log too.
    mutating func join(inPlaceOfAllAt member: String) {
        joining = Joining(member: member, replacesAll: true)
        fetch()
    }

    private mutating func fetch() {
        guard var joining else { return }
        joining.phase = .asking
        joining.askedMilliseconds = now.elapsedMilliseconds
        joining.attempts += 1
        guard joining.attempts <= Joining.attemptsLimit else {
            self.joining = nil
            return
        }
        self.joining = joining
        let message = PeerMessage.fetch(
            member: configuration.member, checkpoint: joining.lastRow, after: joining.keptRow)
        turn.urgent.append(.ask(joining.member, message.frame))
    }

    mutating func take(_ part: CheckpointPart, from member: String) {
        guard var joining, joining.member == member, joining.phase == .asking else { return }
        let isNew = joining.head.isEmpty || part.head != joining.head
        if isNew {
            guard let head = try? CheckpointHead(part.head), clock.reaches(head.time, at: now),
                joining.replacesAll || checkpoints.logGoesBack(to: head.vector)
            else {
                self.joining = nil
                return
            }
            joining.head = part.head
            joining.lastRow = head.lastRow
            joining.keptRow = 0
        }
        guard part.after == joining.keptRow else { return }
        guard part.hasAscendingRows(through: joining.lastRow) else {
            counters.malformedFrames += 1
            self.joining = nil
            return
        }
        joining.keptRow = part.rows.last?.id ?? part.after
        joining.phase = part.isLast ? .complete : .keeping
        joining.attempts = 0
        self.joining = joining
        turn.urgent.append(.stage(part.rows, areFirst: isNew))
    }

    mutating func fetchMore() {
        if joining?.phase == .keeping { fetch() }
    }

    /// Asks again for what did not come.
    mutating func continueJoining() {
        guard let joining, joining.phase == .asking,
            now.elapsedMilliseconds >= joining.askedMilliseconds + Joining.patienceMilliseconds
        else { return }
        fetch()
    }

    /// The checkpoint to take over, if all of it is there: once what this turn has made is stored.
    mutating func dueAdoption() -> [Output] {
        guard let joining, joining.phase == .complete, !checkpoints.isWriting,
            !joining.replacesAll || wayBack?.phase == .adopting
        else { return [] }
        self.joining?.phase = .adopting
        let keepsLog = !joining.replacesAll
        return [
            .adopt(
                head: joining.head, keepsLog: keepsLog, holding: keepsLog ? vector : Vector())
        ]
    }

    /// Whether the tree is about to be replaced, so that nothing from outside may be taken into it.
    var isAdopting: Bool { joining?.phase == .adopting }
}

// MARK: - Adopting

extension Replica {
    /// Takes a checkpoint in place of all that is here, and what the log has beyond it.
    ///
    /// Never joins the old state into the new one: what was removed in the new one is not known there
    /// any more, and would come back.
    mutating func adopt(_ adopted: (RestoredCheckpoint, log: [[UInt8]])?) {
        // What this turn has accepted so far is numbered, and belongs to what came meanwhile.
        closeBatch()
        let meanwhile = joining?.meanwhile ?? []
        let replacedAll = joining?.replacesAll == true
        joining = nil
        guard let (checkpoint, log) = adopted else { return }
        let old = tree.value
        restore(checkpoint)
        for bytes in log { restore(bytes) }
        let durable = vector
        for bytes in meanwhile { restore(bytes) }
        needed = Vector()
        turns.rebase(onto: durable, writer: writer)
        inbox.removeAll { _ in true }
        peers.unsettle()
        counters.adopted += 1
        defer { if replacedAll { comeBack() } }
        var changes: [Change] = []
        Change.append(from: old, to: tree.value, at: .root, into: &changes)
        tell(changes)
    }

    private mutating func restore(_ bytes: [UInt8]) {
        do throws(FrameError) {
            try restore(DecodedBatch(bytes, coveredBy: vector))
        } catch {
            counters.malformedFrames += 1
        }
    }
}

extension CheckpointPart {
    /// Whether its rows go on where the part before it ends: each is kept under its ID.
    fileprivate func hasAscendingRows(through last: UInt64) -> Bool {
        var previous = after
        for row in rows {
            guard row.id > previous, row.id <= last else { return false }
            previous = row.id
        }
        return !rows.isEmpty || isLast
    }
}

// MARK: - Giving

extension Replica {
    mutating func give(checkpoint: UInt64, after row: UInt64, to member: String) {
        if checkpoint == 0 {
            guard checkpoints.refresh(to: vector, at: now.elapsedMilliseconds) else { return }
        }
        checkpoints.noteRead(at: now.elapsedMilliseconds)
        turn.urgent.append(
            .readRows(
                RowRead(
                    member: member, checkpoint: checkpoint, after: row,
                    byteLimit: Joining.chunkBytes)))
    }

    mutating func send(_ part: CheckpointPart, for read: RowRead) {
        guard givenRows.note(part, for: read.member) else { return checkpoints.replace() }
        checkpoints.noteRead(at: now.elapsedMilliseconds)
        turn.urgent.append(.answer(read.member, PeerMessage.rows(part).frame))
    }
}
