import Store
import Testing

/// Rows and properties, which both kinds of tables keep alike.
@Suite struct TablesTests {
    private func tables(
        _ kind: TestTables.Kind, batches: [(owner: UInt64, number: UInt64, last: UInt64)],
        size: Int = 1
    ) throws -> TestTables {
        var tables = try TestTables(kind)
        try tables.transaction(.asConfigured) { tables throws(TestTables.Failure) in
            for batch in batches {
                try tables.insert(
                    StoredRow(
                        owner: batch.owner, number: batch.number, last: batch.last,
                        bytes: Array(repeating: UInt8(batch.number % 250), count: size)),
                    into: .batch)
            }
        }
        return tables
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `rows come by number, those of one owner, within their range`(
        kind: TestTables.Kind
    ) throws {
        var tables = try tables(
            kind, batches: [(5, 10, 12), (5, 1, 3), (4, 1, 9), (5, 4, 9), (.max, 2, 2)])
        #expect(try tables.owners(in: .batch).sorted() == [4, 5, .max])
        #expect(try tables.owners(in: .orphan) == [])
        let cases: [(ClosedRange<UInt64>, [UInt64])] = [
            (0...(.max), [1, 4, 10]), (1...1, [1]), (2...4, [4]), (2...3, []), (4...10, [4, 10]),
            (11...(.max), []),
        ]
        for (range, expected) in cases {
            let rows = try tables.rows(in: .batch, of: 5, range, byteLimit: .max)
            #expect(rows.map(\.number) == expected, "\(range)")
            #expect(rows.allSatisfy { $0.owner == 5 && $0.last >= $0.number })
        }
        let last: [(UInt64, UInt64?)] = [(0, nil), (1, 1), (3, 1), (4, 4), (9, 4), (.max, 10)]
        for (number, expected) in last {
            #expect(try tables.lastNumber(in: .batch, of: 5, through: number) == expected)
        }
        #expect(try tables.lastNumber(in: .batch, of: 6, through: 9) == nil)
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `a read ends before its limit of bytes, after one row at least`(
        kind: TestTables.Kind
    ) throws {
        var tables = try tables(kind, batches: (1...5).map { (1, $0, $0) }, size: 100)
        for (limit, count) in [(0, 1), (100, 1), (199, 1), (200, 2), (499, 4), (500, 5)] {
            let rows = try tables.rows(in: .batch, of: 1, 1...9, byteLimit: limit)
            #expect(rows.count == count, "with a limit of \(limit)")
        }
    }

    @Test(arguments: TestTables.Kind.allCases, Table.allCases)
    func `no two rows of a table have one key, and a transaction that fails leaves nothing`(
        kind: TestTables.Kind, table: Table
    ) throws {
        var tables = try TestTables(kind)
        let row = StoredRow(number: 3, bytes: [1])
        try tables.transaction(.asConfigured) { tables throws(TestTables.Failure) in
            try tables.insert(row, into: table)
        }
        let error = #expect(throws: TestTables.Failure.self) {
            try tables.transaction(.asConfigured) { tables throws(TestTables.Failure) in
                try tables.setProperty("name", [1])
                try tables.insert(StoredRow(number: 4, bytes: [2]), into: table)
                _ = try tables.remove(from: table, of: 0, 3...3, limit: 1)
                try tables.insert(StoredRow(number: 3, bytes: [3]), into: table)
                try tables.insert(StoredRow(number: 3, bytes: [4]), into: table)
            }
        }
        #expect(error == .keyIsTaken)
        #expect(try tables.rows(in: table, of: 0, 0...9, byteLimit: .max) == [row])
        #expect(try tables.property("name") == nil)
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `the lowest rows of a range are removed, as many as the limit says`(
        kind: TestTables.Kind
    ) throws {
        var tables = try tables(
            kind, batches: (1...6).map { (1, $0, $0) } + [(2, 1, 1)], size: 10)
        let cases: [(ClosedRange<UInt64>, Int, [UInt64])] = [
            (2...4, 2, [1, 4, 5, 6]), (2...4, 2, [1, 5, 6]), (2...4, 2, [1, 5, 6]),
            (0...(.max), .max, []),
        ]
        var count = 6
        for (range, limit, left) in cases {
            try tables.transaction(.asConfigured) { tables throws(TestTables.Failure) in
                let removed = try tables.remove(from: .batch, of: 1, range, limit: limit)
                #expect(removed.count == count - left.count)
                #expect(removed.byteCount == 10 * removed.count)
            }
            count = left.count
            let rows = try tables.rows(in: .batch, of: 1, 0...9, byteLimit: .max)
            #expect(rows.map(\.number) == left)
        }
        #expect(try tables.owners(in: .batch) == [2])
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `rows take the place of those of another table`(kind: TestTables.Kind) throws {
        var tables = try TestTables(kind)
        try tables.transaction(.asConfigured) { tables throws(TestTables.Failure) in
            try tables.insert(StoredRow(number: 1, bytes: [1]), into: .row)
            try tables.insert(StoredRow(number: 2, bytes: [2]), into: .received)
        }
        try tables.transaction(.now) { tables throws(TestTables.Failure) in
            try tables.replaceRows(of: .row, withThoseOf: .received)
        }
        #expect(
            try tables.rows(in: .row, of: 0, 0...9, byteLimit: .max) == [
                StoredRow(number: 2, bytes: [2])
            ])
        #expect(try tables.owners(in: .received) == [])
    }

    @Test(arguments: TestTables.Kind.allCases)
    func `a property is set and replaced`(kind: TestTables.Kind) throws {
        var tables = try TestTables(kind)
        for bytes in [[1], [], [2, 3]] as [[UInt8]] {
            try tables.transaction(.later) { tables throws(TestTables.Failure) in
                try tables.setProperty("name", bytes)
            }
            #expect(try tables.property("name") == bytes)
        }
        #expect(try tables.property("other") == nil)
    }
}

/// Functions that only tables in memory have.
@Suite struct MemoryTablesTests {
    private func write(
        _ number: UInt64, _ flush: Flush = .asConfigured, to tables: inout MemoryTables
    ) throws {
        try tables.transaction(flush) { tables throws(MemoryTables.Failure) in
            try tables.insert(StoredRow(number: number, bytes: [1]), into: .row)
        }
    }

    private func numbers(_ tables: MemoryTables) -> [UInt64] {
        tables.allRows(in: .row).map(\.number)
    }

    @Test func `a power failure leaves what was synced, and a beginning of the rest`() throws {
        let cases: [(syncsEach: Bool, [Flush], keeping: Int, left: [UInt64])] = [
            (true, [.asConfigured, .later, .later], 1, [1, 2]),
            (true, [.later, .asConfigured, .later], 0, [1, 2]),
            (false, [.asConfigured, .asConfigured, .now], 0, [1, 2, 3]),
            (false, [.now, .asConfigured, .later], 1, [1, 2]),
            (false, [.asConfigured, .later, .later], 0, []),
        ]
        for (syncsEach, flushes, kept, left) in cases {
            var tables = MemoryTables(syncsEachTransaction: syncsEach)
            for (index, flush) in flushes.enumerated() {
                try write(UInt64(index) + 1, flush, to: &tables)
            }
            tables.losePower(keeping: kept)
            #expect(numbers(tables) == left)
            tables.losePower(keeping: 0)
            #expect(numbers(tables) == left)
        }
    }

    @Test func `a row that the disk lost is lost after a power failure, and no other one`() throws {
        var tables = MemoryTables()
        for number in 1...3 as ClosedRange<UInt64> { try write(number, .later, to: &tables) }
        for row in tables.allRows(in: .row) where row.number != 2 {
            tables.damage(row, in: .row, to: nil)
        }
        tables.losePower(keeping: 2)
        #expect(numbers(tables) == [2])
        tables.losePower(keeping: 0)
        #expect(numbers(tables) == [2])
    }

    @Test func `what was removed or replaced is back after a power failure`() throws {
        var tables = MemoryTables()
        try write(1, to: &tables)
        try tables.transaction(.now) { $0.setProperty("name", [1]) }
        let before = tables
        try tables.transaction(.later) { tables throws(MemoryTables.Failure) in
            _ = tables.remove(from: .row, of: 0, 0...9, limit: 9)
            try tables.insert(StoredRow(number: 7, bytes: [7]), into: .received)
            tables.replaceRows(of: .row, withThoseOf: .received)
            tables.setProperty("name", [2])
            tables.setProperty("other", [2])
        }
        #expect(numbers(tables) == [7])
        tables.losePower(keeping: 0)
        for table in Table.allCases {
            #expect(tables.allRows(in: table) == before.allRows(in: table))
        }
        #expect(tables.property("name") == [1] && tables.property("other") == nil)
    }

    @Test func `a disk that lies syncs nothing until it is honest`() throws {
        var tables = MemoryTables()
        try write(1, to: &tables)
        tables.isLying = true
        try write(2, to: &tables)
        try write(3, .now, to: &tables)
        var honest = tables
        honest.isLying = false
        try write(4, to: &honest)
        tables.losePower(keeping: 1)
        honest.losePower(keeping: 0)
        #expect(numbers(tables) == [1, 2])
        #expect(numbers(honest) == [1, 2, 3, 4])
    }

    @Test func `a transaction is run again when there is room, and may be there when it failed`()
        throws
    {
        var tables = MemoryTables()
        tables.fault = .hasNoRoom
        var runs = 0
        try tables.transaction(.asConfigured) { tables throws(MemoryTables.Failure) in
            runs += 1
            try tables.insert(StoredRow(number: 1, bytes: [1]), into: .row)
        }
        #expect(runs == 2 && numbers(tables) == [1])
        tables.fault = .fails
        #expect(throws: MemoryTables.Failure.notWritten) { try write(2, to: &tables) }
        #expect(tables.unsyncedCount == 1)
        tables.losePower(keeping: 0)
        #expect(numbers(tables) == [1])
    }

    @Test func `after a failed sync nothing becomes durable before a rewrite`() throws {
        for rewrites in [false, true] {
            var tables = MemoryTables()
            tables.fault = .fails
            #expect(throws: MemoryTables.Failure.notWritten) { try write(1, to: &tables) }
            if rewrites { tables.rewrite() }
            try write(2, .now, to: &tables)
            #expect(numbers(tables) == [1, 2])
            tables.losePower(keeping: 0)
            #expect(numbers(tables) == (rewrites ? [1, 2] : []))
            try write(3, to: &tables)
            tables.losePower(keeping: 0)
            #expect(numbers(tables).last == 3)
        }
    }
}
