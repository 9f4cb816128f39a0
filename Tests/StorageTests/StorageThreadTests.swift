import Foundation
import Storage
import Synchronization
import Testing

@Suite struct `A storage thread` {
    static func turn(_ sequence: UInt64, size: Int = 10) -> Turn {
        Turn(
            batches: [
                StoredBatch(
                    origin: 1, first: sequence, last: sequence,
                    bytes: Array(repeating: 1, count: size))
            ],
            properties: [StoredProperty("sequence", Array("\(sequence)".utf8))])
    }

    static func countBatches(of file: LogFile) throws(StorageError) -> Int {
        try file.batches(of: 1, from: 1, byteLimit: .max).count
    }

    @Test func `turns complete in order, and all before the thread closes`() throws {
        let folder = try TemporaryFolder()
        let storage = try StorageThread(owning: LogFile(path: folder.log))
        let completed = Mutex([UInt64]())
        for sequence in 1...1000 as ClosedRange<UInt64> {
            storage.submit(Self.turn(sequence)) { result in
                if case .success = result { completed.withLock { $0.append(sequence) } }
            }
        }
        storage.close()
        #expect(completed.withLock { $0 } == Array(1...1000))
        #expect(storage.backlog == 0)
        let file = try LogFile(path: folder.log)
        #expect(try file.batches(of: 1, from: 1, byteLimit: .max).count == 1000)
        #expect(try file.property("sequence") == Array("1000".utf8))
    }

    @Test func `what a process has left in the log is written anew before all else`() throws {
        let (left, found, written) = try (TemporaryFolder(), TemporaryFolder(), TemporaryFolder())
        let file = try LogFile(path: left.log)
        try file.append(Self.turn(1))
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: left.log + suffix, toPath: found.log + suffix)
        }
        let storage = try StorageThread(owning: LogFile(path: found.log))
        let isDone = DispatchSemaphore(value: 0)
        storage.perform({ _ in }, completion: { _ in isDone.signal() })
        isDone.wait()
        try FileManager.default.copyItem(atPath: found.log, toPath: written.log)
        #expect(try Self.countBatches(of: LogFile(path: written.log)) == 1)
        storage.close()
    }

    @Test func `turns that wait together are committed together, within the limit`() throws {
        let storage = try StorageThread(owning: LogFile(path: ":memory:"))
        let gate = Mutex(())
        let sizes = Mutex([UInt64]())
        gate.withLock { _ in
            storage.perform({ _ in gate.withLock { _ in } }, completion: { _ in })
            for sequence in 1...600 as ClosedRange<UInt64> {
                storage.submit(Self.turn(sequence)) { _ in
                    sizes.withLock { $0.append(sequence) }
                }
            }
            #expect(storage.backlog == 601)
        }
        let held = Mutex([Int]())
        storage.perform(Self.countBatches) {
            result in held.withLock { $0.append((try? result.get()) ?? -1) }
        }
        storage.close()
        #expect(sizes.withLock { $0.count } == 600)
        #expect(held.withLock { $0 } == [600])
    }

    @Test func `a read sees the turns before it and none after`() throws {
        let storage = try StorageThread(owning: LogFile(path: ":memory:"))
        let counts = Mutex([Int]())
        for sequence in 1...20 as ClosedRange<UInt64> {
            storage.submit(Self.turn(sequence)) { _ in }
            storage.perform(Self.countBatches) { result in
                counts.withLock { $0.append((try? result.get()) ?? -1) }
            }
        }
        storage.close()
        #expect(counts.withLock { $0 } == Array(1...20))
    }

    @Test func `a failing turn reports why, and so does every later one`() throws {
        let storage = try StorageThread(owning: LogFile(path: ":memory:"))
        let outcomes = Mutex([String]())
        for sequence in [1, 2, 2, 3] as [UInt64] {
            storage.submit(Self.turn(sequence)) { result in
                outcomes.withLock { outcomes in
                    switch result {
                    case .success: outcomes.append("stored \(sequence)")
                    case .failure(let error): outcomes.append("\(sequence): \(error.problem)")
                    }
                }
            }
            // Ends the group: each turn has a transaction of its own.
            storage.perform({ _ in }, completion: { _ in })
        }
        storage.close()
        let failure =
            "database :memory: failed: UNIQUE constraint failed: batch.origin, batch.first"
        #expect(
            outcomes.withLock { $0 } == [
                "stored 1", "stored 2", "2: " + failure, "3: " + failure,
            ])
    }

    @Test func `what comes after the close is refused`() throws {
        let storage = try StorageThread(owning: LogFile(path: ":memory:"))
        storage.close()
        storage.close()
        let codes = Mutex([StorageError.Code]())
        let record: @Sendable (Result<Void, StorageError>) -> Void = { result in
            if case .failure(let error) = result { codes.withLock { $0.append(error.code) } }
        }
        storage.submit(Self.turn(1), completion: record)
        storage.perform({ _ in }, completion: record)
        #expect(codes.withLock { $0 } == [.closed, .closed])
    }
}
