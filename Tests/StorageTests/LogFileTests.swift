import Foundation
import Testing

@testable import Storage

@Suite struct `A log file` {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    static func batch(
        _ origin: UInt64, _ first: UInt64, _ last: UInt64, size: Int = 3
    ) -> StoredBatch {
        StoredBatch(
            origin: origin, first: first, last: last,
            bytes: Array(repeating: UInt8(truncatingIfNeeded: first), count: size))
    }

    func allBatches(
        _ file: LogFile, inOrderOf time: (UnsafeRawBufferPointer) -> UInt64 = { _ in 0 }
    ) throws -> [StoredBatch] {
        var batches: [StoredBatch] = []
        try file.forEachBatch(inOrderOf: time) { origin, first, last, bytes in
            batches.append(
                StoredBatch(origin: origin, first: first, last: last, bytes: Array(bytes)))
        }
        return batches
    }

    @Test func `batches come in the order of their times, those of one origin by sequence`() throws
    {
        let file = try LogFile(path: ":memory:")
        let times: [UInt64: [UInt8]] = [1: [1, 4, 5, 0], 2: [2, 3, 6], .max: [2, 9]]
        for (origin, times) in times {
            for (index, time) in times.enumerated() {
                let sequence = UInt64(index + 1)
                try file.append(
                    Turn(batches: [
                        StoredBatch(
                            origin: origin, first: sequence, last: sequence, bytes: [time])
                    ]))
            }
        }
        let found = try allBatches(file) { UInt64($0.first ?? 0) }
        #expect(found.map(\.bytes) == [[1], [2], [2], [3], [4], [5], [0], [6], [9]])
        #expect(found.filter { $0.origin == 1 }.map(\.first) == [1, 2, 3, 4])
    }

    @Test(arguments: [Synchronization.full, .normal, .off])
    func `what was appended is there when it is opened again`(mode: Synchronization) throws {
        let batches = [
            Self.batch(1, 1, 1, size: 0), Self.batch(1, 2, 9, size: 100_000), Self.batch(7, 1, 4),
            Self.batch(.max, 1, UInt64(Int64.max)),
        ]
        do {
            let file = try LogFile(path: folder.log, synchronization: mode)
            try file.append(
                Turn(batches: batches.reversed(), properties: [StoredProperty("id", [1, 2])]))
            try file.synchronize()
        }
        let file = try LogFile(path: folder.log, synchronization: mode)
        // Origins are in the order of signed numbers: the largest is -1.
        #expect(try allBatches(file) == [batches[3]] + batches[..<3])
        #expect(try file.property("id") == [1, 2])
        try file.check()
    }

    @Test func `a log file can live in memory`() throws {
        let file = try LogFile(path: ":memory:")
        try file.append(Turn(batches: [Self.batch(1, 1, 1)]))
        #expect(try allBatches(file) == [Self.batch(1, 1, 1)])
    }

    @Test func `a property is set, replaced and taken away`() throws {
        let file = try LogFile(path: ":memory:")
        #expect(try file.property("name") == nil)
        try file.append(
            Turn(properties: [StoredProperty("name", [1]), StoredProperty("name", [])]))
        #expect(try file.property("name") == [])
        try file.append(Turn(properties: [StoredProperty("name", nil)]))
        #expect(try file.property("name") == nil)
    }

    @Test func `reading begins with the batch that contains the sequence`() throws {
        let file = try LogFile(path: ":memory:")
        let batches = [Self.batch(5, 1, 3), Self.batch(5, 4, 4), Self.batch(5, 10, 12)]
        try file.append(
            Turn(batches: batches + [Self.batch(4, 1, 100), Self.batch(6, 1, 100)]))
        let expected: [UInt64: Int] = [0: 0, 1: 0, 3: 0, 4: 1, 5: 2, 10: 2, 12: 2, 13: 3, .max: 3]
        for (sequence, index) in expected {
            let found = try file.batches(of: 5, from: sequence, byteLimit: .max)
            #expect(found == Array(batches[index...]), "from sequence \(sequence)")
        }
        #expect(try file.batches(of: 99, from: 1, byteLimit: .max) == [])
    }

    @Test func `reading stops before the byte limit, after one batch at least`() throws {
        let file = try LogFile(path: ":memory:")
        let batches = (1...5).map { Self.batch(1, $0, $0, size: 100) }
        try file.append(Turn(batches: batches))
        for (limit, count) in [(0, 1), (100, 1), (199, 1), (200, 2), (499, 4), (500, 5)] {
            let found = try file.batches(of: 1, from: 1, byteLimit: limit)
            #expect(found == Array(batches.prefix(count)), "with a limit of \(limit)")
        }
    }

    @Test func `turns are committed together or not at all, and none after a failure`() throws {
        let file = try LogFile(path: ":memory:")
        try file.append(Turn(batches: [Self.batch(1, 1, 1)]))
        let error = #expect(throws: StorageError.self) {
            try file.append([
                Turn(batches: [Self.batch(1, 2, 2)]), Turn(batches: [Self.batch(1, 1, 5)]),
            ])
        }
        let later = #expect(throws: StorageError.self) {
            try file.append(Turn(batches: [Self.batch(1, 3, 3)]))
        }
        #expect(later == error)
        #expect(try allBatches(file) == [Self.batch(1, 1, 1)])
    }

    @Test func `nothing is written after a checkpoint that failed, either`() throws {
        let folder = try TemporaryFolder()
        let file = try LogFile(path: folder.log)
        let row = StoredRow(id: 1, bytes: [1])
        #expect(throws: StorageError.self) { try file.insert([row, row]) }
        #expect(throws: StorageError.self) {
            try file.append(Turn(properties: [StoredProperty("name", [1])]))
        }
        #expect(throws: StorageError.self) { try file.receiveRows([row], areFirst: true) }
        #expect(try file.property("name") == nil)
    }

    @Test func `a second opening is refused, naming the file`() throws {
        let file = try LogFile(path: folder.log)
        let error = #expect(throws: StorageError.self) { _ = try LogFile(path: folder.log) }
        #expect(error?.code == .locked)
        #expect(error?.problem == "database \(folder.log) is in use by another process")
        try file.append(Turn())
    }

    @Test func `another process is refused while this one has the file`() async throws {
        let file = try LogFile(path: folder.log)
        await #expect(processExitsWith: .exitCode(42)) {
            [path = folder.log as String] in
            do throws(StorageError) {
                _ = try LogFile(path: path)
            } catch {
                exit(error.code == .locked ? 42 : 1)
            }
        }
        try file.append(Turn())
    }

    @Test func `a file of another program or version is refused`() throws {
        do {
            let other = try Connection(path: folder.log)
            try other.execute("CREATE TABLE song (name TEXT)")
        }
        var error = #expect(throws: StorageError.self) { _ = try LogFile(path: folder.log) }
        #expect(error?.code == .wrongFormat)
        #expect(error?.problem == "\(folder.log) is a database of another program")
        unlink(folder.log)
        do { _ = try LogFile(path: folder.log) }
        do { try Connection(path: folder.log).execute("PRAGMA user_version = 9") }
        error = #expect(throws: StorageError.self) { _ = try LogFile(path: folder.log) }
        #expect(error?.code == .wrongFormat)
        #expect(error?.problem.contains("format 9") == true)
    }

    @Test func `a file that is no database, or a damaged one, is called so`() throws {
        try overwrite(at: 0, with: Array("this is a text and no database, clearly".utf8))
        var error = #expect(throws: StorageError.self) { _ = try LogFile(path: folder.log) }
        #expect(error?.code == .corrupt)
        unlink(folder.log)
        do {
            let file = try LogFile(path: folder.log)
            try file.append(Turn(batches: (1...500).map { Self.batch(1, $0, $0, size: 500) }))
        }
        try overwrite(at: 8 * 4096, with: Array(repeating: 0xA5, count: 2 * 4096))
        error = #expect(throws: StorageError.self) { try LogFile(path: folder.log).check() }
        #expect(error?.code == .corrupt)
    }

    private func overwrite(at offset: Int, with bytes: [UInt8]) throws {
        let descriptor = open(folder.log, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        try #require(pwrite(descriptor, bytes, bytes.count, offset) == bytes.count)
    }

    @Test func `waits for room on a full disk, and loses nothing`() throws {
        let folder = try TemporaryFolder()
        let file = try LogFile(path: folder.log)
        try file.append(Turn(properties: [StoredProperty("a", [1])]))
        try file.connection.execute("PRAGMA max_page_count = 10")
        var troubles: [StorageError.Code?] = []
        file.waitForRoom = { error in
            troubles.append(error?.code)
            guard troubles.count == 2 else { return true }
            do {
                try file.connection.execute("PRAGMA max_page_count = 100000")
                return true
            } catch {
                return false
            }
        }
        let bytes = [UInt8](repeating: 7, count: 100_000)
        try file.append(
            Turn(batches: [StoredBatch(origin: 1, first: 1, last: 1, bytes: bytes)]))
        #expect(troubles == [.diskFull, .diskFull, nil])
        #expect(try file.batches(of: 1, from: 1, byteLimit: .max).map(\.bytes) == [bytes])

        file.waitForRoom = { _ in false }
        try file.connection.execute("PRAGMA max_page_count = 10")
        #expect(throws: StorageError.self) {
            try file.append(
                Turn(batches: [StoredBatch(origin: 1, first: 2, last: 2, bytes: bytes)]))
        }
    }

    @Test func `makes room by emptying its own write-ahead log`() throws {
        let folder = try TemporaryFolder()
        let file = try LogFile(path: folder.log)
        // The same page again and again: the database has room for it, the log grows.
        for number in 0..<100 as Range<UInt8> {
            try file.append(Turn(properties: [StoredProperty("a", [number])]))
        }
        func logBytes() throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.log + "-wal")
            return attributes[.size] as? Int ?? -1
        }
        #expect(try logBytes() > 400_000)
        var sizes: [Int] = []
        file.waitForRoom = { error in
            sizes.append((try? logBytes()) ?? -1)
            return sizes.count < 3
        }
        try file.connection.execute("PRAGMA max_page_count = 10")
        #expect(throws: StorageError.self) {
            try file.append(
                Turn(batches: [
                    StoredBatch(
                        origin: 1, first: 1, last: 1, bytes: [UInt8](repeating: 7, count: 100_000))
                ]))
        }
        #expect(sizes.count == 3 && sizes[1] == 0)
    }

    @Test func `copies itself while it is open`() throws {
        let folder = try TemporaryFolder()
        let file = try LogFile(path: folder.log)
        try file.append(
            Turn(
                batches: [StoredBatch(origin: 1, first: 1, last: 1, bytes: [5])],
                properties: [StoredProperty("clockBound", [2])]))
        try file.backUp(to: folder.log + ".copy")
        let before = try LogFile(path: folder.log + ".copy").property("clockBound")
        #expect(before == [2])
        #expect(throws: StorageError.self) { try file.backUp(to: folder.log + ".copy") }
        #expect(access(folder.log + ".copy.partial", F_OK) != 0)
        #expect(throws: Never.self) { try LogFile.check(folder.log + ".copy") }
        #expect(throws: StorageError.self) { try LogFile.check(folder.log + ".none") }
        try file.append(Turn(properties: [StoredProperty("clockBound", [3])]))
        #expect(throws: StorageError.self) { try file.backUp(to: folder.log + ".copy") }

        let copy = try LogFile(path: folder.log + ".copy")
        #expect(try copy.batches(of: 1, from: 1, byteLimit: .max).map(\.bytes) == [[5]])
        #expect(try copy.property("clockBound") == [2])
    }

    @Test func `removes batches, a thousand at a time, and keeps what comes after`() throws {
        let folder = try TemporaryFolder()
        let file = try LogFile(path: folder.log)
        for sequence in 1...1_500 as ClosedRange<UInt64> {
            try file.append(
                Turn(
                    batches: [
                        StoredBatch(origin: 1, first: sequence, last: sequence, bytes: [1])
                    ]))
        }
        #expect(try file.removeBatches(of: 1, through: 1_200).count == 1_000)
        #expect(try file.removeBatches(of: 1, through: 1_200).count == 200)
        #expect(try file.removeBatches(of: 2, through: 1_200).count == 0)
        #expect(try file.batches(of: 1, from: 1, byteLimit: .max).first?.first == 1_201)
    }

    @Test func `a folder is synchronized if it is there`() throws {
        let folder = try TemporaryFolder()
        #expect(synchronizeFolder(of: folder.log))
        #expect(synchronizeFolder(of: "log.sqlite") && synchronizeFolder(of: "/log.sqlite"))
        #expect(!synchronizeFolder(of: folder.log + ".absent/log.sqlite"))
    }
}
