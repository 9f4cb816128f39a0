import NodeStorage
import Storage
import Store

/// Either kind of tables, so that one test is for both.
enum TestTables: Tables {
    case memory(MemoryTables)
    case sqlite(SQLiteTables)

    enum Kind: CaseIterable { case memory, sqlite }

    /// The error that both kinds report for a failure.
    enum Failure: Error, Equatable {
        case keyIsTaken
        case finding(StoreFinding)
        case other(String)

        init(_ failure: MemoryTables.Failure) {
            switch failure {
            case .keyIsTaken: self = .keyIsTaken
            case .finding(let finding): self = .finding(finding)
            case .notWritten: self = .other("not written")
            }
        }

        init(_ failure: StorageError) {
            self = failure.problem.contains("UNIQUE") ? .keyIsTaken : .other(failure.problem)
        }
    }

    init(_ kind: Kind) throws {
        switch kind {
        case .memory: self = .memory(MemoryTables())
        case .sqlite: self = .sqlite(try SQLiteTables(path: ":memory:"))
        }
    }

    private mutating func with<Result>(
        _ memory: (inout MemoryTables) throws(MemoryTables.Failure) -> Result,
        _ sqlite: (inout SQLiteTables) throws(StorageError) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .memory(var tables):
            defer { self = .memory(tables) }
            do { return try memory(&tables) } catch { throw Failure(error) }
        case .sqlite(var tables):
            do { return try sqlite(&tables) } catch { throw Failure(error) }
        }
    }

    mutating func transaction(
        _ flush: Flush, _ body: (inout TestTables) throws(Failure) -> Void
    ) throws(Failure) {
        // The error of the body goes around the kind, which has one of its own.
        var failure: Failure?
        do throws(Failure) {
            try with { tables throws(MemoryTables.Failure) in
                try tables.transaction(flush) { tables throws(MemoryTables.Failure) in
                    var test = TestTables.memory(tables)
                    do throws(Failure) { try body(&test) } catch { failure = error }
                    if case .memory(let changed) = test { tables = changed }
                    if failure != nil { throw .notWritten }
                }
            } _: { tables throws(StorageError) in
                try tables.transaction(flush) { tables throws(StorageError) in
                    var test = TestTables.sqlite(tables)
                    do throws(Failure) { try body(&test) } catch { failure = error }
                    if failure != nil { throw tables.failure(.contradiction("")) }
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    mutating func owners(in table: Table) throws(Failure) -> [UInt64] {
        try with {
            $0.owners(in: table)
        } _: { tables throws(StorageError) in
            try tables.owners(in: table)
        }
    }

    mutating func rows(
        in table: Table, of owner: UInt64, _ numbers: ClosedRange<UInt64>, byteLimit: Int
    ) throws(Failure) -> [StoredRow] {
        try with {
            $0.rows(in: table, of: owner, numbers, byteLimit: byteLimit)
        } _: { tables throws(StorageError) in
            try tables.rows(in: table, of: owner, numbers, byteLimit: byteLimit)
        }
    }

    mutating func lastNumber(
        in table: Table, of owner: UInt64, through number: UInt64
    ) throws(Failure) -> UInt64? {
        try with {
            $0.lastNumber(in: table, of: owner, through: number)
        } _: { tables throws(StorageError) in
            try tables.lastNumber(in: table, of: owner, through: number)
        }
    }

    mutating func insert(_ row: StoredRow, into table: Table) throws(Failure) {
        try with { tables throws(MemoryTables.Failure) in
            try tables.insert(row, into: table)
        } _: { tables throws(StorageError) in
            try tables.insert(row, into: table)
        }
    }

    mutating func remove(
        from table: Table, of owner: UInt64, _ numbers: ClosedRange<UInt64>, limit: Int
    ) throws(Failure) -> RemovedRows {
        try with {
            $0.remove(from: table, of: owner, numbers, limit: limit)
        } _: { tables throws(StorageError) in
            try tables.remove(from: table, of: owner, numbers, limit: limit)
        }
    }

    mutating func replaceRows(of table: Table, withThoseOf other: Table) throws(Failure) {
        try with {
            $0.replaceRows(of: table, withThoseOf: other)
        } _: { tables throws(StorageError) in
            try tables.replaceRows(of: table, withThoseOf: other)
        }
    }

    mutating func property(_ name: String) throws(Failure) -> [UInt8]? {
        try with {
            $0.property(name)
        } _: { tables throws(StorageError) in
            try tables.property(name)
        }
    }

    mutating func setProperty(_ name: String, _ bytes: [UInt8]) throws(Failure) {
        try with {
            $0.setProperty(name, bytes)
        } _: { tables throws(StorageError) in
            try tables.setProperty(name, bytes)
        }
    }

    mutating func rewrite() throws(Failure) {
        try with {
            $0.rewrite()
        } _: { tables throws(StorageError) in
            try tables.rewrite()
        }
    }

    func failure(_ finding: StoreFinding) -> Failure { .finding(finding) }
}
