import Foundation
import Storage
import Store
import Testing

@testable import NodeStorage

@Suite struct `A node's database` {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [Synchronization.full, .normal, .off])
    func `committed rows are there after reopening`(mode: Synchronization) throws {
        let rows = [
            StoredRow(owner: 1, number: 1, bytes: []),
            StoredRow(owner: 1, number: 2, last: 9, bytes: Array(repeating: 3, count: 100_000)),
            StoredRow(owner: 7, number: 1, last: 4, bytes: [1]),
            StoredRow(owner: .max, number: 1, last: UInt64(Int64.max), bytes: [2]),
        ]
        do {
            let tables = try SQLiteTables(path: folder.log, synchronization: mode)
            try tables.transaction(.asConfigured) { tables throws(StorageError) in
                for row in rows { try tables.insert(row, into: .batch) }
                try tables.setProperty("id", [1, 2])
            }
            try tables.transaction(.now) { _ in }
        }
        let tables = try SQLiteTables(path: folder.log, synchronization: mode)
        #expect(try tables.owners(in: .batch).sorted() == [1, 7, .max])
        for owner in [1, 7, .max] as [UInt64] {
            let found = try tables.rows(in: .batch, of: owner, 0...(.max), byteLimit: .max)
            #expect(found == rows.filter { $0.owner == owner })
        }
        #expect(try tables.property("id") == [1, 2])
        try tables.check()
    }

    @Test func `a second opening is refused, naming the file`() throws {
        let tables = try SQLiteTables(path: folder.log)
        let error = #expect(throws: StorageError.self) { _ = try SQLiteTables(path: folder.log) }
        #expect(error?.code == .locked)
        #expect(error?.problem == "database \(folder.log) is in use by another process")
        try tables.set("a", [1])
    }

    @Test func `another process is refused while this one has the file`() async throws {
        let tables = try SQLiteTables(path: folder.log)
        await #expect(processExitsWith: .exitCode(42)) {
            [path = folder.log as String] in
            do throws(StorageError) {
                _ = try SQLiteTables(path: path)
            } catch {
                exit(error.code == .locked ? 42 : 1)
            }
        }
        try tables.set("a", [1])
    }

    @Test func `a file of another program or version is refused`() throws {
        do {
            let other = try Connection(path: folder.log)
            try other.execute("CREATE TABLE song (name TEXT)")
        }
        var error = #expect(throws: StorageError.self) { _ = try SQLiteTables(path: folder.log) }
        #expect(error?.code == .wrongFormat)
        #expect(error?.problem == "\(folder.log) is a database of another program")
        unlink(folder.log)
        do { _ = try SQLiteTables(path: folder.log) }
        do { try Connection(path: folder.log).execute("PRAGMA user_version = 9") }
        error = #expect(throws: StorageError.self) { _ = try SQLiteTables(path: folder.log) }
        #expect(error?.code == .wrongFormat)
        #expect(error?.problem.contains("format 9") == true)
    }

    @Test func `a file that is no database, or a damaged one, is called so`() throws {
        try overwrite(at: 0, with: Array("this is a text and no database, clearly".utf8))
        var error = #expect(throws: StorageError.self) { _ = try SQLiteTables(path: folder.log) }
        #expect(error?.code == .corrupt)
        unlink(folder.log)
        do {
            let tables = try SQLiteTables(path: folder.log)
            let bytes = [UInt8](repeating: 5, count: 500)
            try tables.transaction(.now) { tables throws(StorageError) in
                for number in 1...500 as ClosedRange<UInt64> {
                    try tables.insert(StoredRow(number: number, bytes: bytes), into: .batch)
                }
            }
        }
        try overwrite(at: 8 * 4096, with: Array(repeating: 0xA5, count: 2 * 4096))
        error = #expect(throws: StorageError.self) { try SQLiteTables(path: folder.log).check() }
        #expect(error?.code == .corrupt)
    }

    private func overwrite(at offset: Int, with bytes: [UInt8]) throws {
        let descriptor = open(folder.log, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        try #require(pwrite(descriptor, bytes, bytes.count, offset) == bytes.count)
    }

    @Test func `waits for room on a full disk, and loses nothing`() throws {
        let tables = try SQLiteTables(path: folder.log)
        try tables.set("a", [1])
        try tables.connection.execute("PRAGMA max_page_count = 10")
        var troubles: [StorageError.Code?] = []
        tables.waitForRoom = { error in
            troubles.append(error?.code)
            guard troubles.count == 2 else { return true }
            do {
                try tables.connection.execute("PRAGMA max_page_count = 100000")
                return true
            } catch {
                return false
            }
        }
        let bytes = [UInt8](repeating: 7, count: 100_000)
        try tables.set("b", bytes)
        #expect(troubles == [.diskFull, .diskFull, nil])
        #expect(try tables.property("b") == bytes)

        tables.waitForRoom = { _ in false }
        try tables.connection.execute("PRAGMA max_page_count = 10")
        #expect(throws: StorageError.self) { try tables.set("c", bytes) }
    }

    @Test func `makes room by emptying its own write-ahead log`() throws {
        let tables = try SQLiteTables(path: folder.log)
        // The same page again and again: the database has room for it, the log grows.
        for number in 0..<100 as Range<UInt8> { try tables.set("a", [number]) }
        func logBytes() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.log + "-wal")
            return attributes[.size] as? Int ?? -1
        }
        #expect(try logBytes() > 400_000)
        var sizes: [Int] = []
        tables.waitForRoom = { error in
            sizes.append((try? logBytes()) ?? -1)
            return sizes.count < 3
        }
        try tables.connection.execute("PRAGMA max_page_count = 10")
        #expect(throws: StorageError.self) {
            try tables.set("b", [UInt8](repeating: 7, count: 100_000))
        }
        #expect(sizes.count == 3 && sizes[1] == 0)
    }

    @Test func `copies itself while it is open`() throws {
        let tables = try SQLiteTables(path: folder.log)
        try tables.set("a", [2])
        try tables.backUp(to: folder.log + ".copy")
        let before = try SQLiteTables(path: folder.log + ".copy").property("a")
        #expect(before == [2])
        #expect(throws: StorageError.self) { try tables.backUp(to: folder.log + ".copy") }
        #expect(access(folder.log + ".copy.partial", F_OK) != 0)
        #expect(throws: Never.self) { try SQLiteTables.check(folder.log + ".copy") }
        #expect(throws: StorageError.self) { try SQLiteTables.check(folder.log + ".none") }
        try tables.set("a", [3])
        #expect(throws: StorageError.self) { try tables.backUp(to: folder.log + ".copy") }
        #expect(try SQLiteTables(path: folder.log + ".copy").property("a") == [2])
    }

    @Test(arguments: [0, 17, 100, 4_095, 4_096, 12_000])
    func `the beginning of a copy is not complete, and stays as it is`(count: Int) throws {
        let tables = try SQLiteTables(path: folder.log)
        try tables.set("a", [UInt8](repeating: 7, count: 20_000))
        try tables.backUp(to: folder.log + ".copy")
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.log + ".copy"))
        let part = URL(fileURLWithPath: folder.log + ".part")
        try whole.prefix(count).write(to: part)
        #expect(throws: StorageError.self) { try SQLiteTables.check(part.path) }
        #expect(try Data(contentsOf: part) == whole.prefix(count))
    }

    @Test func `a copy is marked as older than the latest disk, in the file itself`() throws {
        let copy = folder.log + ".copy"
        do {
            let tables = try SQLiteTables(path: folder.log)
            try tables.set("a", [2])
            try tables.set("vote", [1])
            try tables.backUp(to: copy)
        }
        try SQLiteTables.markAsOlderDisk(copy)
        for suffix in ["-wal", "-shm"] { #expect(access(copy + suffix, F_OK) != 0) }
        let tables = try SQLiteTables(path: copy)
        #expect(try tables.property(Property.Name.diskLoss.rawValue) == [3, 0, 0, 0, 0, 0, 0, 0])
        #expect(try tables.property("a") == [2])
        #expect(try tables.property("vote") == [1])
        #expect(try SQLiteTables(path: folder.log).property("diskLoss") == nil)
    }

    @Test func `an existing folder is synchronized`() throws {
        #expect(synchronizeFolder(of: folder.log))
        #expect(synchronizeFolder(of: "log.sqlite") && synchronizeFolder(of: "/log.sqlite"))
        #expect(!synchronizeFolder(of: folder.log + ".absent/log.sqlite"))
    }
}

extension SQLiteTables {
    fileprivate func set(_ name: String, _ bytes: [UInt8]) throws(StorageError) {
        try transaction(.asConfigured) { tables throws(StorageError) in
            try tables.setProperty(name, bytes)
        }
    }
}
