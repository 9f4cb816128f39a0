import CSQLite
import Glibc
import Testing

@testable import Storage

@Suite struct `A connection` {
    @Test func `values come back as they were bound`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE row (number INTEGER, text TEXT, bytes BLOB)")
        let insert = try connection.prepare("INSERT INTO row VALUES (?1, ?2, ?3)")
        insert.bind(Int64.min, at: 1)
        insert.bind("é\u{0}é", at: 2)
        try insert.run(binding: [0, 255, 7], at: 3)
        try insert.run(binding: [], at: 3)
        let rows = try connection.prepare("SELECT number, text, bytes, typeof(bytes) FROM row")
        var seen: [[UInt8]] = []
        try rows.forEachRow { row in
            #expect(row.integer(at: 0) == Int64.min)
            #expect(row.text(at: 1) == "é\u{0}é")
            #expect(row.text(at: 3) == "blob")
            seen.append(Array(row.bytes(at: 2)))
            return true
        }
        #expect(seen == [[0, 255, 7], []])
    }

    @Test func `a transaction that throws leaves nothing`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE row (number INTEGER PRIMARY KEY)")
        let error = #expect(throws: StorageError.self) {
            try connection.transaction { () throws(StorageError) in
                try connection.execute("INSERT INTO row VALUES (1)")
                try connection.execute("INSERT INTO row VALUES (1)")
            }
        }
        #expect(error?.problem.contains("UNIQUE constraint failed") == true)
        try connection.transaction { () throws(StorageError) in
            try connection.execute("INSERT INTO row VALUES (2)")
        }
        let numbers = try connection.prepare("SELECT sum(number) FROM row")
        #expect(try numbers.firstRow { $0.integer(at: 0) } == 2)
    }

    @Test func `the cache of what was read can be freed`() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection(path: folder.log)
        try connection.execute(
            "CREATE TABLE row (bytes BLOB); INSERT INTO row VALUES (zeroblob(1000000))")
        let read = try connection.prepare("SELECT bytes FROM row")
        func cachedBytes() -> Int {
            var (bytes, most) = (Int32(0), Int32(0))
            sqlite3_db_status(
                connection.handle, SQLITE_DBSTATUS_CACHE_USED, &bytes, &most, 0)
            return Int(bytes)
        }
        #expect(try read.firstRow { $0.bytes(at: 0).count } == 1_000_000)
        #expect(cachedBytes() > 1_000_000)
        connection.freeCache()
        #expect(cachedBytes() < 100_000)
        #expect(try read.firstRow { $0.bytes(at: 0).count } == 1_000_000)
    }

    @Test func `a connection outlives its release while a statement needs it`() throws {
        let statement = try Connection(path: ":memory:").prepare("SELECT 7")
        #expect(try statement.firstRow { $0.integer(at: 0) } == 7)
    }

    @Test func `a missing folder is named`() {
        let error = #expect(throws: StorageError.self) {
            _ = try Connection(path: "/no/such/folder/log.sqlite")
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.problem.contains("/no/such/folder/log.sqlite") == true)
    }

    @Test func `a database that may not grow is a full disk`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE row (bytes BLOB); PRAGMA max_page_count = 10")
        let error = #expect(throws: StorageError.self) {
            try connection.execute("INSERT INTO row VALUES (zeroblob(100000))")
        }
        #expect(error?.code == .diskFull)
    }
}

@Suite struct StorageErrorTests {
    @Test func `a file that finds no room on a disk means a full disk`() {
        func code(_ system: Int32) -> StorageError.Code {
            StorageError(SQLITE_CANTOPEN, system: system, message: "m", path: "p").code
        }
        #expect(code(ENOSPC) == .diskFull)
        #expect(code(EDQUOT) == .diskFull)
        #expect(code(EACCES) == .cannotOpen)
        #expect(StorageError(SQLITE_BUSY, system: ENOSPC, message: "m", path: "p").code == .locked)
    }
}
