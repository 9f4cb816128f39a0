public import SyncProtocol

/// The durable state of a node: its log of batches, the rows of its last checkpoint, orphaned batches, and named
/// properties. This type defines their meaning and the order of their changes.
///
/// It does no I/O of its own: rows are in `Tables`. Its driver recovers it once, then commits turns and executes
/// requests one at a time, in the order of the replica's outputs.
///
/// After a failed transaction, every later one fails with the same error. Committing it would leave a hole in the
/// log, and the operating system reports a failed write only once.
public struct DurableStore<Rows: Tables> {
    /// The error of the tables, which the store throws for its own findings as well.
    public typealias Failure = Rows.Failure

    /// The tables of the rows: a backup copies them, and the simulator injects faults.
    public var tables: Rows
    /// The operations in the checkpoint and the log.
    public internal(set) var vector = VersionVector()
    /// The size of the log.
    public internal(set) var logByteCount = 0
    let limits: StoreLimits
    /// The writer's state after the last complete slice.
    var writer: CheckpointWriter
    private var failure: Failure?

    /// A store on tables whose content, if any, `recover` reads.
    public init(_ tables: Rows, limits: StoreLimits = StoreLimits()) {
        self.tables = tables
        self.limits = limits
        writer = CheckpointWriter(limits: limits.checkpoint)
    }

    /// Commits turns, in order, in one transaction: all of them or, when it throws, none.
    ///
    /// - Throws: also if a batch does not continue its origin's sequence.
    public mutating func commit(_ turns: [Turn]) throws(Failure) {
        var end = vector
        var byteCount = 0
        for batch in turns.lazy.flatMap(\.batches) {
            guard batch.first == end[batch.origin] + 1, batch.last >= batch.first else {
                throw fail(
                    .contradiction(
                        "a batch of \(batch.origin) begins at \(batch.first), and what is held "
                            + "of it ends at \(end[batch.origin])"))
            }
            end[batch.origin] = batch.last
            byteCount += batch.bytes.count
        }
        try change(.asConfigured) { tables throws(Failure) in
            for turn in turns { try tables.write(turn) }
        }
        vector = end
        logByteCount += byteCount
    }

    /// Performs a request, or its first part.
    public mutating func execute(_ request: StoreRequest) throws(Failure) -> StoreProgress {
        switch request {
        case .readBatches(let read):
            .replied(.batches(try batches(for: read), for: read))
        case .searchLog(let search): .replied(try log(for: search))
        case .writeCheckpoint(let checkpoint): try begin(checkpoint)
        case .continueCheckpoint: try continueCheckpoint()
        case .truncate(let vector): try truncate(vector)
        case .readRows(let read): .replied(.rows(try chunk(for: read), for: read))
        case .receive(let rows, let areFirst): try receive(rows, areFirst: areFirst)
        case .install(let head, let keepsLog, let held):
            .replied(.installed(try install(head, keepsLog: keepsLog, holding: held)))
        case .keepOrphans(let origin, let sequence, let end):
            .replied(.orphans(try keepOrphans(of: origin, after: sequence, through: end)))
        }
    }

    /// Waits until everything committed is on the disk, even where commits do not wait for it.
    public mutating func synchronize() throws(Failure) {
        // A commit that waits for the disk syncs all earlier commits.
        try change(.now) { tables throws(Failure) in try tables.setProperty("synchronized", []) }
    }

    /// Records durably that these tables are older than the latest disk of the node that starts on them.
    public mutating func markAsOlderDisk() throws(Failure) {
        let mark = Property.lossOfLatestDisk
        try change(.now) { tables throws(Failure) in
            try tables.setProperty(mark.name.rawValue, mark.bytes)
        }
    }

    /// Removes durably what concerns the node that wrote these tables, and not their data: another node will start on them.
    public mutating func forgetNode() throws(Failure) {
        try change(.now) { tables throws(Failure) in
            for name in [Property.Name.incarnations, .peerDisks, .vote] {
                try tables.setProperty(name.rawValue, [])
            }
        }
    }

    /// Records durably that the node shall serve without what it has lost with its disk.
    ///
    /// - Returns: Whether it had lost something and waits for other members.
    public mutating func acceptLoss() throws(Failure) -> Bool {
        guard let bytes = try tables.property(Property.Name.diskLoss.rawValue),
            let loss = Property(.diskLoss, bytes: bytes).number, loss & Property.dataIsLost != 0
        else { return false }
        let accepted = Property(.diskLoss, loss | Property.lossIsAccepted)
        try change(.now) { tables throws(Failure) in
            try tables.setProperty(accepted.name.rawValue, accepted.bytes)
        }
        return true
    }

    /// Makes what was recovered durable, before anything depends on it.
    public mutating func rewrite() {
        do throws(Failure) { try tables.rewrite() } catch { failure = failure ?? error }
    }

    /// Runs a transaction. All writes go through here, so that nothing is written after a failure.
    mutating func change(
        _ flush: Flush, _ body: (inout Rows) throws(Failure) -> Void
    ) throws(Failure) {
        if let failure { throw failure }
        do throws(Failure) {
            try tables.transaction(flush, body)
        } catch {
            failure = error
            throw error
        }
    }

    /// The error for what is wrong; the store writes nothing after it.
    mutating func fail(_ finding: StoreFinding) -> Failure {
        let error = failure ?? tables.failure(finding)
        failure = error
        return error
    }
}

extension Tables {
    fileprivate mutating func write(_ turn: Turn) throws(Failure) {
        for batch in turn.batches { try insert(StoredRow(batch), into: .batch) }
        for property in turn.properties {
            try setProperty(property.name.rawValue, property.bytes)
        }
        if turn.clearsOrphans { try removeAll(from: .orphan) }
    }

    /// Removes every row of a table.
    mutating func removeAll(from table: Table) throws(Failure) {
        for owner in try owners(in: table) {
            _ = try remove(from: table, of: owner, 0 ... .max, limit: .max)
        }
    }
}

extension StoredRow {
    /// The row of a batch.
    public init(_ entry: LogEntry) {
        self.init(
            owner: entry.origin.bits, number: entry.first, last: entry.last, bytes: entry.bytes)
    }

    init(_ row: CheckpointRow) { self.init(number: row.id, bytes: row.bytes) }
}

extension LogEntry {
    /// The batch of a row.
    public init(_ row: StoredRow) {
        self.init(
            origin: WriterID(bits: row.owner), first: row.number, last: row.last, bytes: row.bytes)
    }
}

extension CheckpointRow {
    init(_ row: StoredRow) { self.init(id: row.number, bytes: row.bytes) }
}
