/// Keeps the rows of a store: in SQLite on a node, in memory in the simulator and in tests.
///
/// Four tables hold rows by key, and no two rows of a table have one key. Beside them are named
/// properties. All changes happen in a transaction.
public protocol Tables {
    associatedtype Failure: Error & Equatable

    /// Runs `body` as one change: all of it is kept, or nothing when it throws.
    ///
    /// On a full disk it waits for room, and runs `body` again from the beginning.
    mutating func transaction(
        _ flush: Flush, _ body: (inout Self) throws(Failure) -> Void
    ) throws(Failure)

    /// The owners of rows, in any order.
    mutating func owners(in table: Table) throws(Failure) -> [UInt64]

    /// The rows of an owner with these numbers, ascending, until they have more bytes than the limit; at
    /// least one if there is any.
    mutating func rows(
        in table: Table, of owner: UInt64, _ numbers: ClosedRange<UInt64>, byteLimit: Int
    ) throws(Failure) -> [StoredRow]

    /// The highest number of a row of an owner, up to some number.
    mutating func lastNumber(
        in table: Table, of owner: UInt64, through number: UInt64
    ) throws(Failure) -> UInt64?

    /// Adds a row.
    ///
    /// - Throws: also when the table has a row of this key.
    mutating func insert(_ row: StoredRow, into table: Table) throws(Failure)

    /// Removes rows of an owner with these numbers, the lowest ones, as many as the limit says.
    mutating func remove(
        from table: Table, of owner: UInt64, _ numbers: ClosedRange<UInt64>, limit: Int
    ) throws(Failure) -> RemovedRows

    /// Removes every row of a table, and makes those of another one its rows.
    mutating func replaceRows(of table: Table, withThoseOf other: Table) throws(Failure)

    /// What is kept under a name.
    mutating func property(_ name: String) throws(Failure) -> [UInt8]?

    /// Keeps bytes under a name, in place of those that were there.
    mutating func setProperty(_ name: String, _ bytes: [UInt8]) throws(Failure)

    /// Writes anew what an earlier process has left, and waits until it is on the disk; leaves it out if
    /// there is no room.
    ///
    /// Where a sync has failed, the system may show what it never wrote, and not write it any more.
    mutating func rewrite() throws(Failure)

    /// The error for what a store found wrong.
    func failure(_ finding: StoreFinding) -> Failure
}

/// Names a table; in each a row has an owner and a number.
public enum Table: CaseIterable, Sendable {
    /// The log: the owner is the origin, the number the first sequence of the batch.
    case batch
    /// Rows of checkpoints: there is one owner, 0, and the number is the ID.
    case row
    /// Rows of a peer's checkpoint, until all are there; as `row`.
    case received
    /// Orphaned batches; as `batch`.
    case orphan
}

/// A row of a table.
public struct StoredRow: Equatable, Sendable {
    public var owner: UInt64
    public var number: UInt64
    /// The last sequence of a batch of the log; the number of any other row.
    public var last: UInt64
    public var bytes: [UInt8]

    public init(owner: UInt64 = 0, number: UInt64, last: UInt64? = nil, bytes: [UInt8]) {
        self.owner = owner
        self.number = number
        self.last = last ?? number
        self.bytes = bytes
    }
}

/// How much was removed.
public struct RemovedRows: Equatable, Sendable {
    public var count: Int
    public var byteCount: Int

    public init(count: Int = 0, byteCount: Int = 0) {
        self.count = count
        self.byteCount = byteCount
    }
}

/// When what a transaction wrote is on the disk.
public enum Flush: Sendable {
    /// With a later transaction: nothing rests on it before that.
    case later
    /// When the node's durability says.
    case asConfigured
    /// When the transaction ends, together with all that was committed before.
    case now
}

/// What a store finds wrong.
public enum StoreFinding: Equatable, Sendable {
    /// What is stored is not what was written.
    case damage(String)
    /// What is to be stored contradicts what is.
    case contradiction(String)
}
