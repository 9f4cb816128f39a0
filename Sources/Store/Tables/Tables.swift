/// Stores the rows of a store: in SQLite on a node, in memory in the simulator and in tests.
///
/// Four tables hold rows with unique keys. Beside them are named properties. All changes happen in a
/// transaction.
public protocol Tables {
    associatedtype Failure: Error & Equatable

    /// Runs `body` as one change: all of it is kept or, when it throws, nothing.
    ///
    /// On a full disk it waits for room, and runs `body` again from the beginning.
    mutating func transaction(
        _ flush: Flush, _ body: (inout Self) throws(Failure) -> Void
    ) throws(Failure)

    /// The owners of rows, in any order.
    mutating func owners(in table: Table) throws(Failure) -> [UInt64]

    /// The rows of an owner with these numbers, ascending, until they exceed the byte limit; at least
    /// one if there is any.
    mutating func rows(
        in table: Table, of owner: UInt64, _ numbers: ClosedRange<UInt64>, byteLimit: Int
    ) throws(Failure) -> [StoredRow]

    /// The highest number of a row of an owner, up to some number.
    mutating func lastNumber(
        in table: Table, of owner: UInt64, through number: UInt64
    ) throws(Failure) -> UInt64?

    /// Adds a row.
    ///
    /// - Throws: also when the table has a row with this key.
    mutating func insert(_ row: StoredRow, into table: Table) throws(Failure)

    /// Removes rows of an owner with these numbers, the lowest first, up to the limit.
    mutating func remove(
        from table: Table, of owner: UInt64, _ numbers: ClosedRange<UInt64>, limit: Int
    ) throws(Failure) -> RemovedRows

    /// Replaces the rows of a table by those of another one, which is then empty.
    mutating func replaceRows(of table: Table, withThoseOf other: Table) throws(Failure)

    /// The content under a name.
    mutating func property(_ name: String) throws(Failure) -> [UInt8]?

    /// Replaces the content under a name.
    mutating func setProperty(_ name: String, _ bytes: [UInt8]) throws(Failure)

    /// Rewrites what an earlier process has left, and waits until it is on the disk; skips this if there
    /// is no room.
    ///
    /// After a failed sync, the system may show data that it never wrote, and not write it later.
    mutating func rewrite() throws(Failure)

    /// The error for what a store found wrong.
    func failure(_ finding: StoreFinding) -> Failure
}

/// A table, whose rows have an owner and a number.
public enum Table: CaseIterable, Sendable {
    /// The log: the owner is the origin, the number the first sequence of the batch.
    case batch
    /// Rows of checkpoints: the owner is 0, the number the ID.
    case row
    /// Rows of a peer's checkpoint until all have arrived; keys as in `row`.
    case received
    /// Orphaned batches; keys as in `batch`.
    case orphan
}

/// A row of a table.
public struct StoredRow: Equatable, Sendable {
    /// The first part of the key: what the table says owns the row.
    public var owner: UInt64
    /// The second part of the key.
    public var number: UInt64
    /// The last sequence of a batch of the log; the number of any other row.
    public var last: UInt64
    /// The content.
    public var bytes: [UInt8]

    /// A row; `last` is `number` unless given.
    public init(owner: UInt64 = 0, number: UInt64, last: UInt64? = nil, bytes: [UInt8]) {
        self.owner = owner
        self.number = number
        self.last = last ?? number
        self.bytes = bytes
    }
}

/// The result of one removal.
public struct RemovedRows: Equatable, Sendable {
    /// The number of rows.
    public var count: Int
    /// The size of their contents.
    public var byteCount: Int

    /// A removal of so many rows and bytes.
    public init(count: Int = 0, byteCount: Int = 0) {
        self.count = count
        self.byteCount = byteCount
    }
}

/// When the changes of a transaction are on the disk.
public enum Flush: Sendable {
    /// With a later transaction: nothing depends on them earlier.
    case later
    /// As the node's durability mode says.
    case asConfigured
    /// When the transaction ends, together with all earlier ones.
    case now
}

/// An error that a store finds.
public enum StoreFinding: Equatable, Sendable {
    /// The stored bytes differ from the written ones.
    case damage(String)
    /// The data to store contradict the stored data.
    case contradiction(String)
}
