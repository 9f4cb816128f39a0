import ReplicaCore
import SyncProtocol

/// A node's disk: a log of batches, and properties. It forgets what was not synced when the power
/// goes, but for a beginning of it, of a length drawn from the seed.
///
/// Turns that are handed over while a sync runs are synced together by the next one. In the mode
/// `interval` turns can be read at once, and are synced each second; in the mode `memory` nothing
/// outlives the process.
struct VirtualDisk {
    /// How long turns gather in a process before they are written, in the modes without a commit.
    static let gathering: Microseconds = .milliseconds(50)

    var trouble: Trouble?
    let durability: Durability
    private let usualSync: TimeRange
    var random: SplitMix64
    var logs: [Log] = []
    /// What is durable.
    var properties: [Property] = []
    /// The operations that are durable, in the log or in the checkpoint.
    private(set) var durable = VersionVector()
    /// Handed over and not durable, in order; the first `syncing` of them are on their way.
    var unsynced: [(turn: Turn, time: Microseconds)] = []
    var syncing = 0
    private var lastWritten: UInt64 = 0
    private var lastDurable: UInt64 = 0
    var checkpoints = VirtualCheckpoints()
    /// A backup.
    var copy: Copy?
    /// What is durable in truth, while the disk says that more is.
    var truth: Copy?
    var installationKeepsLog = true
    /// What was synced last, and when the first of it was handed over.
    var newest: (batches: [LogEntry], since: Microseconds) = ([], 0)
    /// A write that went to another one's place, and when it was handed over.
    var misdirected: (entry: LogEntry, since: Microseconds)?
    /// Batches of evicted incarnations that nobody else has.
    var orphans: [LogEntry] = []

    /// The batches of one origin, ascending.
    struct Log {
        var origin: WriterID
        var entries: [LogEntry]
    }

    init(_ durability: Durability, sync: TimeRange, random: SplitMix64) {
        self.durability = durability
        usualSync = sync
        self.random = random
    }

    var isIdle: Bool { unsynced.isEmpty }
    /// Every batch handed over is durable; a property may be on its way.
    var hasAllBatches: Bool { unsynced.allSatisfy(\.turn.batches.isEmpty) }

    private var sync: TimeRange {
        if case .slow(let sync) = trouble { sync } else { usualSync }
    }

    /// All batches that can be read, origin by origin, each ascending.
    var batches: [LogEntry] { logs.flatMap(\.entries) }

    // MARK: Writing

    /// Takes a turn; returns when the sync that it starts will be done, if it starts one.
    mutating func write(_ turn: Turn, at now: Microseconds) -> Microseconds? {
        unsynced.append((turn, now))
        lastWritten = turn.number
        if durability != .commit { add(turn.batches) }
        return syncing == 0 ? begin(at: now) : nil
    }

    /// The sync under way comes to its end.
    mutating func finishSync(at now: Microseconds) -> SyncResult {
        switch trouble {
        case .full where durability != .memory:
            return .noRoom(again: now + VirtualDisk.retry)
        case .failing where durability != .memory:
            trouble = nil
            return .failed
        default: break
        }
        if trouble != .lying { truth = nil }
        // A sync at a full second takes all that came before it, whoever asked for the sync.
        if durability == .interval { syncing = unsynced.count }
        let done = unsynced.prefix(syncing)
        for (turn, _) in done {
            if durability == .commit { add(turn.batches) }
            if durability != .memory { set(turn.properties) }
            if turn.clearsOrphans { orphans.removeAll() }
            for batch in turn.batches { durable[batch.origin] = batch.last }
        }
        let batches = done.flatMap(\.turn.batches)
        if !batches.isEmpty { newest = (batches, done.first?.time ?? now) }
        let last = done.last?.turn.number
        lastDurable = last ?? lastDurable
        return .done(turn: last, next: dropSyncing(at: now))
    }

    /// What was on its way is no more; returns when the next sync will be done, if there is more to do.
    private mutating func dropSyncing(at now: Microseconds) -> Microseconds? {
        unsynced.removeFirst(syncing)
        syncing = 0
        return unsynced.isEmpty ? nil : begin(at: now)
    }

    private mutating func begin(at now: Microseconds) -> Microseconds {
        syncing = unsynced.count
        switch durability {
        case .commit: return now + random.time(in: sync)
        case .interval: return nextSecond(after: now) + random.time(in: sync)
        case .memory: return now
        }
    }

    private func nextSecond(after now: Microseconds) -> Microseconds {
        (now / 1_000_000 + 1) * 1_000_000
    }

    mutating func add(_ batches: [LogEntry]) {
        for batch in batches { logs[place(of: batch.origin)].entries.append(batch) }
    }

    mutating func set(_ changed: [Property]) {
        for property in changed {
            if let index = properties.firstIndex(where: { $0.name == property.name }) {
                properties[index] = property
            } else {
                properties.append(property)
            }
        }
    }

    // MARK: Checkpoints

    mutating func begin(_ checkpoint: Checkpoint) {
        checkpoints.begin(checkpoint, after: lastWritten)
    }

    /// Completes the checkpoint if what it holds is durable; false if it has to wait.
    mutating func completeCheckpoint() -> Bool { checkpoints.complete(stored: lastDurable) }

    /// Whether the log has, beyond the checkpoint of a peer, what the replica holds.
    func mayInstall(keeping held: VersionVector) -> Bool {
        var copy = self
        guard copy.install() != nil else { return true }
        return copy.durable.covers(held)
    }

    /// Takes over the rows of a peer's checkpoint; returns it with the log that it does not cover, or nil
    /// if they are damaged. Everything handed over is durable.
    mutating func install() -> (RestoredCheckpoint, log: [[UInt8]])? {
        guard let checkpoint = checkpoints.install() else { return nil }
        if !installationKeepsLog { logs.removeAll() }
        var held = checkpoint.head.vector
        var log: [[UInt8]] = []
        for index in logs.indices {
            logs[index].entries.removeAll { entry in
                if entry.first != held[entry.origin] + 1 { return true }
                held[entry.origin] = entry.last
                log.append(entry.bytes)
                return false
            }
        }
        durable = held
        return (checkpoint, log)
    }

    /// Keeps the end of an origin's log beside it.
    mutating func keepOrphans(_ origin: WriterID, after sequence: UInt64) -> [[UInt8]] {
        let end = logs.flatMap(\.entries).filter { $0.origin == origin && $0.first > sequence }
        orphans += end.filter { !orphans.contains($0) }
        return orphans.map(\.bytes)
    }

    /// Takes batches from the log.
    mutating func truncate(_ vector: VersionVector) {
        for index in logs.indices {
            logs[index].entries.removeAll { $0.last <= vector[$0.origin] }
        }
    }

    mutating func restoreCheckpoint() throws(FrameError) -> RestoredCheckpoint? {
        (lastWritten, lastDurable) = (0, 0)
        let checkpoint = try checkpoints.restore()
        durable = checkpoint?.head.vector ?? VersionVector()
        for batch in batches { durable[batch.origin] = max(durable[batch.origin], batch.last) }
        return checkpoint
    }

    // MARK: Reading

    /// The batches that a replica wished to read, as many as its limit of bytes allows.
    func read(_ wish: LogRead) -> [[UInt8]] {
        if trouble == .unreadable { return [] }
        guard let log = logs.first(where: { $0.origin == wish.origin }) else { return [] }
        var found: [[UInt8]] = []
        var byteCount = 0
        for entry in log.entries[firstIndex(in: log.entries, holding: wish.from)...] {
            guard entry.first <= wish.through, entry.isWhole else { break }
            found.append(entry.bytes)
            byteCount += entry.bytes.count
            if byteCount >= wish.byteLimit { break }
        }
        return found
    }

    private func firstIndex(in entries: [LogEntry], holding sequence: UInt64) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].last < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func place(of origin: WriterID) -> Int {
        let index = logs.firstIndex { !($0.origin < origin) } ?? logs.count
        if index == logs.count || logs[index].origin != origin {
            logs.insert(Log(origin: origin, entries: []), at: index)
        }
        return index
    }
}
