/// Tables in memory that keep keys unique as SQLite does, and inject faults on demand.
///
/// Transactions that are not synced can be undone, the newest first: a power failure leaves a prefix of
/// what was written.
public struct MemoryTables: Tables, Sendable {
    /// Why a transaction failed.
    public enum Failure: Error, Equatable, Sendable {
        /// A row has the key already.
        case keyIsTaken(Table, owner: UInt64, number: UInt64)
        /// The disk did not store what it was given.
        case notWritten
        case finding(StoreFinding)
    }

    /// A fault of the following transactions.
    public enum Fault: Equatable, Sendable {
        /// The next transaction finds no room once, and is run again from the beginning.
        case hasNoRoom
        /// The next transaction fails; its changes may be there. Until `rewrite`, a power failure loses them
        /// and all later ones, whatever is synced: the system reports a failed write only once.
        case fails
    }

    /// Whether an ordinary transaction is on the disk when it ends.
    public var syncsEachTransaction = true
    /// The fault to inject next; nil once it has happened.
    public var fault: Fault?
    /// Whether the disk reports syncs that it does not do.
    public var isLying = false
    /// Whether a sync has failed since the tables were last rewritten.
    private var hasFailedSync = false
    private var shelves: [Table: [UInt64: [StoredRow]]] = [:]
    private var properties: [String: [UInt8]] = [:]
    /// How to undo the open transaction, and those that are not synced, oldest first.
    private var undo: [Undo] = []
    private var unsynced: [[Undo]] = []

    private enum Undo: Sendable {
        case remove(Table, owner: UInt64, number: UInt64)
        case insert(StoredRow, Table)
        case replace(Table, [UInt64: [StoredRow]])
        case setProperty(String, [UInt8]?)
    }

    /// Empty tables.
    public init(syncsEachTransaction: Bool = true) {
        self.syncsEachTransaction = syncsEachTransaction
    }

    /// Runs `body` as one change, and injects `fault` if one is set.
    public mutating func transaction(
        _ flush: Flush, _ body: (inout MemoryTables) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(undo.isEmpty, "a transaction within a transaction")
        if fault == .hasNoRoom {
            fault = nil
            try? body(&self)
            takeBack()
        }
        do throws(Failure) {
            try body(&self)
        } catch {
            takeBack()
            throw error
        }
        unsynced.append(undo)
        undo.removeAll()
        if fault == .fails {
            fault = nil
            hasFailedSync = true
            throw .notWritten
        }
        switch flush {
        case .later: break
        case .asConfigured: if syncsEachTransaction { synchronize() }
        case .now: synchronize()
        }
    }

    /// Syncs all transactions, even after a failed sync.
    public mutating func rewrite() {
        hasFailedSync = false
        synchronize()
    }

    /// The error for what a store found wrong.
    public func failure(_ finding: StoreFinding) -> Failure { .finding(finding) }
}

// MARK: - What is not synced

extension MemoryTables {
    /// The number of transactions that a power failure may undo.
    public var unsyncedCount: Int { unsynced.count }

    private mutating func synchronize() {
        if !isLying, !hasFailedSync { unsynced.removeAll() }
    }

    /// Simulates a power failure: of the transactions that are not synced, this many stay.
    public mutating func losePower(keeping count: Int) {
        while unsynced.count > count {
            undo = unsynced.removeLast()
            takeBack()
        }
        unsynced.removeAll()
        hasFailedSync = false
    }

    private mutating func takeBack() {
        while let step = undo.popLast() {
            switch step {
            case .remove(let table, let owner, let number):
                shelves[table]?[owner]?.removeRow(number)
            case .insert(let row, let table):
                shelves[table, default: [:]][row.owner, default: []].insertRow(row)
            case .replace(let table, let rows): shelves[table] = rows
            case .setProperty(let name, let bytes): properties[name] = bytes
            }
        }
    }
}

// MARK: - Rows

extension MemoryTables {
    /// The owners of rows.
    public func owners(in table: Table) -> [UInt64] {
        (shelves[table] ?? [:]).compactMap { $1.isEmpty ? nil : $0 }.sorted()
    }

    /// The rows of an owner with these numbers, ascending, up to the byte limit.
    public func rows(
        in table: Table, of owner: UInt64, _ numbers: ClosedRange<UInt64>, byteLimit: Int
    ) -> [StoredRow] {
        guard let rows = shelves[table]?[owner] else { return [] }
        var found: [StoredRow] = []
        var bytesLeft = byteLimit
        for row in rows[rows.firstIndex(from: numbers.lowerBound)...] {
            guard row.number <= numbers.upperBound, found.isEmpty || row.bytes.count <= bytesLeft
            else { break }
            bytesLeft -= row.bytes.count
            found.append(row)
        }
        return found
    }

    /// The highest number of a row of an owner, up to some number.
    public func lastNumber(
        in table: Table, of owner: UInt64, through number: UInt64
    ) -> UInt64? {
        guard let rows = shelves[table]?[owner] else { return nil }
        let index = rows.firstIndex(from: number)
        if index < rows.count, rows[index].number == number { return number }
        return index > 0 ? rows[index - 1].number : nil
    }

    /// Adds a row; throws if the table has one with this key.
    public mutating func insert(_ row: StoredRow, into table: Table) throws(Failure) {
        let isNew = shelves[table, default: [:]][row.owner, default: []].insertRow(row)
        guard isNew else { throw .keyIsTaken(table, owner: row.owner, number: row.number) }
        undo.append(.remove(table, owner: row.owner, number: row.number))
    }

    /// Removes rows of an owner with these numbers, the lowest first.
    public mutating func remove(
        from table: Table, of owner: UInt64, _ numbers: ClosedRange<UInt64>, limit: Int
    ) -> RemovedRows {
        guard let removed = shelves[table]?[owner]?.removeRows(numbers, limit: limit) else {
            return RemovedRows()
        }
        undo += removed.map { .insert($0, table) }
        return RemovedRows(
            count: removed.count, byteCount: removed.reduce(0) { $0 + $1.bytes.count })
    }

    /// Replaces the rows of a table by those of another one, which is then empty.
    public mutating func replaceRows(of table: Table, withThoseOf other: Table) {
        for changed in [table, other] { undo.append(.replace(changed, shelves[changed] ?? [:])) }
        shelves[table] = shelves.removeValue(forKey: other)
    }

    /// The content under a name.
    public func property(_ name: String) -> [UInt8]? { properties[name] }

    /// Replaces the content under a name.
    public mutating func setProperty(_ name: String, _ bytes: [UInt8]) {
        undo.append(.setProperty(name, properties.updateValue(bytes, forKey: name)))
    }
}

// MARK: - Damage

extension MemoryTables {
    /// Every row of a table, by owner and number.
    public func allRows(in table: Table) -> [StoredRow] {
        owners(in: table).flatMap { shelves[table]?[$0] ?? [] }
    }

    /// Simulates damage of a row: other bytes than were written, or none.
    public mutating func damage(_ row: StoredRow, in table: Table, to bytes: [UInt8]?) {
        shelves[table]?[row.owner]?.removeRow(row.number)
        guard let bytes else { return }
        var damaged = row
        damaged.bytes = bytes
        shelves[table]?[row.owner]?.insertRow(damaged)
    }

    /// Simulates damage of a property: other bytes than were written.
    public mutating func damageProperty(_ name: String, to bytes: [UInt8]) {
        properties[name] = bytes
    }
}

/// Rows of one owner, ascending by number.
extension [StoredRow] {
    fileprivate func firstIndex(from number: UInt64) -> Int {
        // Most lookups are for the newest rows.
        guard let last, last.number >= number else { return count }
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                self[middle].number < number
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// Inserts a row; returns false if one has this number already.
    @discardableResult
    fileprivate mutating func insertRow(_ row: StoredRow) -> Bool {
        let index = firstIndex(from: row.number)
        if index < count, self[index].number == row.number { return false }
        insert(row, at: index)
        return true
    }

    /// Removes and returns the lowest rows with these numbers, in place.
    fileprivate mutating func removeRows(_ numbers: ClosedRange<UInt64>, limit: Int) -> [StoredRow]
    {
        let start = firstIndex(from: numbers.lowerBound)
        let removed = Array(self[start...].prefix(limit).prefix { $0.number <= numbers.upperBound })
        removeSubrange(start..<start + removed.count)
        return removed
    }

    fileprivate mutating func removeRow(_ number: UInt64) {
        let index = firstIndex(from: number)
        if index < count, self[index].number == number { remove(at: index) }
    }
}
