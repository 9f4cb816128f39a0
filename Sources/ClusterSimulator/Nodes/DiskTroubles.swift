import ReplicaCore
import Store

// Failures of disks to keep what was written.

extension VirtualDisk {
    enum Trouble: Equatable, Sendable {
        /// A sync takes this long.
        case slow(TimeRange)
        /// No batch can be read back.
        case unreadable
        /// There is no room for anything.
        case full
        /// The next write fails.
        case failing
        /// The disk reports syncs that it does not do: a power cut loses everything since.
        case lying
    }

    /// How long a node waits for room before it tries again.
    static let retry: Microseconds = .milliseconds(300)

    /// The power goes, or what was on its way is lost for another reason. Returns how many turns are
    /// lost.
    mutating func crash() -> Int {
        let lost = endProcess()
        guard durability != .memory else { return lost + forgetAll() }
        let count = store.tables.unsyncedCount
        let kept = draw(upTo: count)
        store.tables.losePower(keeping: kept)
        return lost + count - kept
    }

    /// The process ends without a word; what it has written, the machine keeps. Returns how many turns
    /// are lost.
    mutating func kill() -> Int {
        durability == .memory ? endProcess() + forgetAll() : endProcess()
    }

    private mutating func forgetAll() -> Int {
        store = VirtualDisk.emptyStore(durability)
        model = StoreModel()
        return 0
    }
}

// MARK: - Another disk

extension VirtualDisk {
    /// The contents of a disk at one time.
    struct Copy {
        var tables: MemoryTables
        var damages: [Damage]
        var misdirected: (entry: LogEntry, since: Microseconds)?
        var time: Microseconds
    }

    mutating func backUp(at now: Microseconds) {
        copy = Copy(
            tables: store.tables, damages: damages, misdirected: misdirected, time: now)
    }

    /// Puts the backup in the place of everything, if there is one; returns since when all is gone.
    ///
    /// - Parameter isMarked: Whether the disk then shows that it is an older one.
    mutating func restoreCopy(isMarked: Bool) -> Microseconds {
        let since = wipe()
        guard let copy else { return since }
        store.tables = copy.tables
        store.tables.isLying = false
        if isMarked { try? store.markAsOlderDisk() }
        store.tables.rewrite()
        model = StoreModel(of: store.tables)
        (damages, misdirected) = (copy.damages, copy.misdirected)
        return copy.time
    }

    /// Has the next process serve without what was lost.
    mutating func acceptLoss() {
        _ = try? store.acceptLoss()
        model = StoreModel(of: store.tables)
    }

    /// Removes everything; returns since when all is gone.
    mutating func wipe() -> Microseconds {
        store = VirtualDisk.emptyStore(durability)
        model = StoreModel()
        (damages, misdirected) = ([], nil)
        if trouble != .lying { lyingSince = nil }
        return 0
    }

    /// From now on the disk reports syncs that it does not do.
    mutating func lie(at now: Microseconds) {
        trouble = .lying
        lyingSince = lyingSince ?? now
    }

    /// The power failed: data that the disk falsely reported as synced may be lost. Returns since when, if any.
    mutating func noteLostPower(at now: Microseconds) -> Microseconds? {
        defer { lyingSince = trouble == .lying ? now : nil }
        return lyingSince
    }
}
