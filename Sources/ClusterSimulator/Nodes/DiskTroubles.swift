import ReplicaCore
import SyncProtocol

// What disks do other than to keep what they are given.

extension VirtualDisk {
    enum Trouble: Equatable, Sendable {
        /// A sync takes this long.
        case slow(TimeRange)
        /// No batch can be read back.
        case unreadable
        /// There is no room for anything.
        case full
        /// The next sync fails.
        case failing
        /// It says that it has synced, and has not: the power takes everything since.
        case lying
    }

    /// What came of a sync.
    enum SyncResult: Equatable {
        /// All turns up to this one are durable; the next sync will be done at that time.
        case done(turn: UInt64?, next: Microseconds?)
        /// Nothing is; it is tried once more at that time.
        case noRoom(again: Microseconds)
        /// What was on its way may be lost, and nobody will say so again.
        case failed
    }

    /// How long a node waits for room before it tries again.
    static let retry: Microseconds = .milliseconds(300)

    var isFull: Bool { trouble == .full && durability != .memory }
}

// MARK: - The end of a process

extension VirtualDisk {
    /// The power goes, or what was on its way is lost for another reason. Returns how many turns are
    /// lost.
    mutating func crash() -> Int {
        end(keeping: durability == .memory ? 0 : drawSaved())
    }

    /// The process ends without a word; what it has written, the machine keeps. Returns how many turns
    /// are lost.
    mutating func kill(at now: Microseconds) -> Int {
        switch durability {
        case .commit: return end(keeping: drawSaved())
        case .memory: return end(keeping: 0)
        case .interval:
            let written = unsynced.prefix { $0.time + VirtualDisk.gathering <= now }
            return end(keeping: max(written.count, drawSaved()))
        }
    }

    private mutating func end(keeping saved: Int) -> Int {
        checkpoints.crash()
        if durability == .commit {
            // What was not even handed to the sync under way cannot be there.
            let kept = min(saved, syncing)
            for (turn, _) in unsynced.prefix(kept) {
                add(turn.batches)
                set(turn.properties)
                if turn.clearsOrphans { orphans.removeAll() }
            }
            return endCrash(losing: unsynced.count - kept)
        }
        for (turn, _) in unsynced.prefix(saved) { set(turn.properties) }
        for (turn, _) in unsynced.dropFirst(saved).reversed() {
            for batch in turn.batches.reversed() {
                logs[place(of: batch.origin)].entries.removeAll { $0.first == batch.first }
            }
        }
        if durability == .memory {
            logs.removeAll()
            checkpoints = VirtualCheckpoints()
        }
        return endCrash(losing: unsynced.count - saved)
    }

    /// How many turns made it although nobody had waited for them: often none, often all.
    private mutating func drawSaved() -> Int {
        switch random.index(below: 3) {
        case 0: 0
        case 1: unsynced.count
        default: random.index(below: unsynced.count + 1)
        }
    }

    private mutating func endCrash(losing count: Int) -> Int {
        unsynced.removeAll()
        syncing = 0
        return count
    }
}

// MARK: - Another disk

extension VirtualDisk {
    /// All that a disk had at a time.
    struct Copy {
        var logs: [Log]
        var properties: [Property]
        var orphans: [LogEntry]
        var checkpoints: VirtualCheckpoints
        var misdirected: (entry: LogEntry, since: Microseconds)?
        var time: Microseconds
    }

    private func copied(at now: Microseconds) -> Copy {
        Copy(
            logs: logs, properties: properties, orphans: orphans, checkpoints: checkpoints,
            misdirected: misdirected, time: now)
    }

    private mutating func become(_ copy: Copy) {
        (logs, properties, orphans) = (copy.logs, copy.properties, copy.orphans)
        (checkpoints, misdirected) = (copy.checkpoints, copy.misdirected)
        newest = ([], 0)
        checkpoints.crash()
    }

    mutating func backUp(at now: Microseconds) { copy = copied(at: now) }

    /// Puts the backup in the place of everything, if there is one; returns since when all is gone.
    mutating func restoreCopy() -> Microseconds {
        truth = nil
        guard let copy else { return wipe() }
        become(copy)
        return copy.time
    }

    /// Removes everything; returns since when all is gone.
    mutating func wipe() -> Microseconds {
        (logs, properties, orphans, checkpoints) = ([], [], [], VirtualCheckpoints())
        (truth, misdirected, newest) = (nil, nil, ([], 0))
        return 0
    }

    /// From now on the disk lies.
    mutating func lie(at now: Microseconds) {
        trouble = .lying
        truth = truth ?? copied(at: now)
    }

    /// The power has gone: what the disk lied about is gone too. Returns since when, if there was any.
    mutating func losePower() -> Microseconds? {
        guard let truth else { return nil }
        become(truth)
        self.truth = nil
        return truth.time
    }
}
