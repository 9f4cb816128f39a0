import Store
import SyncProtocol

/// The expected tables of a store: each request in its simplest form, and the part that was
/// reported as durable.
///
/// A power failure may undo the newest changes that were not reported as durable, and no others. A
/// new process must find the reported changes and a prefix of the rest.
struct StoreModel {
    enum Change {
        case turns([Turn])
        case checkpoint(VersionVector)
        case installation(VersionVector, keepsLog: Bool)
        case orphans(WriterID, after: UInt64)
        case truncation(WriterID, through: UInt64)
    }

    /// Whether the next process may find something else.
    private(set) var isVague = false
    private var durable = StoreContents()
    /// The changes since then, oldest first.
    private var pending: [Change] = []
    /// The operations in the checkpoint that is being written.
    private var writing = VersionVector()
    /// The sequences that the truncations under way have to reach.
    private var truncating = VersionVector()

    /// A model of empty tables.
    init() {}

    /// A model of tables that are durable as they are, unless it is vague.
    init(of tables: MemoryTables, isVague: Bool = false) {
        durable = StoreContents(of: tables)
        self.isVague = isVague
    }

    /// The contents of the tables while the machine runs.
    private var newest: StoreContents {
        var contents = durable
        for change in pending { contents.apply(change) }
        return contents
    }

    mutating func add(_ change: Change) { pending.append(change) }

    /// All changes so far are durable.
    mutating func settle() {
        for change in pending { durable.apply(change) }
        pending.removeAll()
    }
}

// MARK: - Requests

extension StoreModel {
    mutating func begin(_ request: StoreRequest) {
        switch request {
        case .writeCheckpoint(let checkpoint): writing = checkpoint.vector
        case .keepOrphans(let origin, let sequence, _): add(.orphans(origin, after: sequence))
        case .truncate(let bound):
            truncating.raise(to: bound)
            for (origin, sequence) in bound.entries {
                add(.truncation(origin, through: sequence))
            }
        default: break
        }
    }

    /// Adds what a request has changed; without progress it failed, and may have changed that.
    mutating func complete(_ request: StoreRequest, _ progress: StoreProgress?) {
        switch (request, progress) {
        case (.continueCheckpoint, .replied), (.continueCheckpoint, nil): add(.checkpoint(writing))
        case (.install(let head, let keepsLog, _), .replied(.installed(.some))),
            (.install(let head, let keepsLog, _), nil):
            guard let head = try? CheckpointHead(head) else { return }
            add(.installation(head.vector, keepsLog: keepsLog))
        default: break
        }
    }
}

// MARK: - Comparisons

extension StoreModel {
    /// How tables differ now, in these tables alone.
    func difference(of tables: MemoryTables, in chosen: [Table]) -> String? {
        StoreContents(of: tables).difference(from: newest, in: chosen)
    }

    /// How batches that a peer is given differ from those that were requested, up to some size.
    func difference(of batches: [[UInt8]], for read: LogRead) -> String? {
        let expected = newest.batches(of: read.origin, read.from, through: read.through)
        guard batches == expected.prefix(batches.count).map(\.bytes),
            expected.isEmpty || !batches.isEmpty
        else {
            return
                "a peer that requests \(read.from) to \(read.through) of \(read.origin) is given "
                + "other batches"
        }
        return nil
    }

    /// The rows that finished truncations have left in the log.
    mutating func endOfTruncation() -> String? {
        defer { truncating = VersionVector() }
        return newest.firstBatch(through: truncating).map { "a truncation has left \($0)" }
    }

    /// Continues with the contents that a new process has found, and returns how they contradict
    /// the reports. Contents that are not durable can still be lost, because a disk that lies does
    /// not store them.
    mutating func recover(_ tables: MemoryTables) -> String? {
        (writing, truncating) = (VersionVector(), VersionVector())
        let found = StoreContents(of: tables)
        var expected = durable
        var difference = found.difference(from: expected)
        var kept = 0
        while difference != nil, kept < pending.count {
            expected.apply(pending[kept])
            kept += 1
            if found.difference(from: expected) == nil { difference = nil }
        }
        pending.removeSubrange(kept...)
        if difference != nil { self = StoreModel(of: tables) }
        return difference.map { "after a start \($0)" }
    }

    /// The gap between the checkpoint and the log of an origin.
    var gap: String? { newest.gap }
}
