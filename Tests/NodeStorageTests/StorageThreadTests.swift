import Foundation
import NodeStorage
import Storage
import Store
import SyncProtocol
import Synchronization
import Testing

@Suite struct `A storage thread` {
    static func turn(_ sequence: UInt64, size: Int = 10) -> Turn {
        Turn(
            number: sequence,
            batches: [
                LogEntry(
                    origin: WriterID(bits: 1), first: sequence, last: sequence,
                    bytes: Array(repeating: 1, count: size))
            ],
            properties: [Property(.clockBound, sequence)])
    }

    static func batches(at path: String) throws(StorageError) -> [UInt64] {
        try batches(of: SQLiteTables(path: path))
    }

    static func batches(of tables: SQLiteTables) throws(StorageError) -> [UInt64] {
        try tables.rows(in: .batch, of: 1, 0...(.max), byteLimit: .max).map(\.number)
    }

    static func countBatches(of store: inout NodeStore) throws(StorageError) -> Int {
        try batches(of: store.tables).count
    }

    static func clockBound(at path: String) throws(StorageError) -> UInt64? {
        try SQLiteTables(path: path).property(Property.Name.clockBound.rawValue).flatMap {
            Property(.clockBound, bytes: $0).number
        }
    }

    @Test func `turns complete in order, and all before the thread closes`() throws {
        let folder = try TemporaryFolder()
        let storage = try StorageThread(owning: NodeStore(SQLiteTables(path: folder.log)))
        let completed = Mutex([UInt64]())
        for sequence in 1...1000 as ClosedRange<UInt64> {
            storage.commit([Self.turn(sequence)]) { result in
                if case .success = result { completed.withLock { $0.append(sequence) } }
            }
        }
        storage.close()
        #expect(completed.withLock { $0 } == Array(1...1000))
        #expect(storage.backlog == 0)
        #expect(try Self.batches(at: folder.log).count == 1000)
        #expect(try Self.clockBound(at: folder.log) == 1000)
    }

    @Test func `each store has its own turns, in order`() throws {
        let (one, other) = try (TemporaryFolder(), TemporaryFolder())
        let storage = try StorageThread(owning: NodeStore(SQLiteTables(path: one.log)))
        let second = storage.add(NodeStore(try SQLiteTables(path: other.log)))
        let completed = Mutex([String]())
        for sequence in 1...300 as ClosedRange<UInt64> {
            storage.commit([Self.turn(sequence)]) { result in
                if case .success = result { completed.withLock { $0.append("a\(sequence)") } }
            }
            guard sequence.isMultiple(of: 3) else { continue }
            storage.commit([Self.turn(sequence / 3)], to: second) { result in
                if case .success = result { completed.withLock { $0.append("b\(sequence / 3)") } }
            }
        }
        storage.run(on: second, Self.countBatches) { result in
            if case .success(let count) = result { completed.withLock { $0.append("\(count)") } }
        }
        storage.close()
        #expect(try Self.batches(at: one.log) == Array(1...300))
        #expect(try Self.batches(at: other.log) == Array(1...100))
        let order = completed.withLock { $0 }
        #expect(order.filter { $0.hasPrefix("a") } == (1...300).map { "a\($0)" })
        #expect(order.filter { $0.hasPrefix("b") } == (1...100).map { "b\($0)" })
        #expect(order.contains("100") && storage.backlog == 0)
    }

    @Test func `a store closes once what waits for others is done`() throws {
        let storage = try StorageThread(owning: NodeStore(SQLiteTables(path: ":memory:")))
        let second = storage.add(NodeStore(try SQLiteTables(path: ":memory:")))
        let third = storage.add(NodeStore(try SQLiteTables(path: ":memory:")))
        let isRunning = DispatchSemaphore(value: 0)
        let gate = Mutex(())
        let done = Mutex([String]())
        gate.withLock { _ in
            storage.run(
                { _ in
                    isRunning.signal()
                    gate.withLock { _ in }
                }, completion: { _ in })
            isRunning.wait()
            storage.commit([Self.turn(1)], to: second) { _ in done.withLock { $0.append("b") } }
            storage.remove(second) { done.withLock { $0.append("b closed") } }
            storage.remove(third) { done.withLock { $0.append("c closed") } }
            storage.commit([Self.turn(1)]) { _ in done.withLock { $0.append("a") } }
            storage.run({ _ in }, completion: { _ in done.withLock { $0.append("read") } })
        }
        storage.close()
        #expect(done.withLock { $0 } == ["a", "read", "b", "b closed", "c closed"])
        #expect(storage.backlog == 0)
    }

    @Test func `the log of the previous process is rewritten first`() throws {
        let (left, found, written) = try (TemporaryFolder(), TemporaryFolder(), TemporaryFolder())
        var store = NodeStore(try SQLiteTables(path: left.log))
        try store.commit([Self.turn(1)])
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: left.log + suffix, toPath: found.log + suffix)
        }
        let storage = try StorageThread(owning: NodeStore(SQLiteTables(path: found.log)))
        let isDone = DispatchSemaphore(value: 0)
        storage.run({ _ in }, completion: { _ in isDone.signal() })
        isDone.wait()
        try FileManager.default.copyItem(atPath: found.log, toPath: written.log)
        #expect(try Self.batches(at: written.log).count == 1)
        storage.close()
    }

    @Test func `turns that wait together are committed together, within the limit`() throws {
        let storage = try StorageThread(owning: NodeStore(SQLiteTables(path: ":memory:")))
        let gate = Mutex(())
        let sizes = Mutex([UInt64]())
        gate.withLock { _ in
            storage.run({ _ in gate.withLock { _ in } }, completion: { _ in })
            for sequence in 1...600 as ClosedRange<UInt64> {
                storage.commit([Self.turn(sequence)]) { _ in
                    sizes.withLock { $0.append(sequence) }
                }
            }
            #expect(storage.backlog == 601)
        }
        let held = Mutex([Int]())
        storage.run(Self.countBatches) { result in
            held.withLock { $0.append((try? result.get()) ?? -1) }
        }
        storage.close()
        #expect(sizes.withLock { $0.count } == 600)
        #expect(held.withLock { $0 } == [600])
    }

    @Test func `a read sees the turns before it and none after`() throws {
        let storage = try StorageThread(owning: NodeStore(SQLiteTables(path: ":memory:")))
        let counts = Mutex([Int]())
        for sequence in 1...20 as ClosedRange<UInt64> {
            storage.commit([Self.turn(sequence)]) { _ in }
            storage.run(Self.countBatches) { result in
                counts.withLock { $0.append((try? result.get()) ?? -1) }
            }
        }
        storage.close()
        #expect(counts.withLock { $0 } == Array(1...20))
    }

    @Test func `a failing turn reports why, and so does every later one`() throws {
        let storage = try StorageThread(owning: NodeStore(SQLiteTables(path: ":memory:")))
        let outcomes = Mutex([String]())
        for sequence in [1, 2, 2, 3] as [UInt64] {
            storage.commit([Self.turn(sequence)]) { result in
                outcomes.withLock { outcomes in
                    switch result {
                    case .success: outcomes.append("stored \(sequence)")
                    case .failure(let error): outcomes.append("\(sequence): \(error.problem)")
                    }
                }
            }
            // Ends the group: each turn has a transaction of its own.
            storage.run({ _ in }, completion: { _ in })
        }
        storage.close()
        let failure =
            "database :memory: failed: a batch of \(WriterID(bits: 1)) begins at 2, and what is held "
            + "of it ends at 2"
        #expect(
            outcomes.withLock { $0 } == [
                "stored 1", "stored 2", "2: " + failure, "3: " + failure,
            ])
    }

    @Test func `requests after the close are refused`() throws {
        let storage = try StorageThread(owning: NodeStore(SQLiteTables(path: ":memory:")))
        storage.close()
        storage.close()
        let codes = Mutex([StorageError.Code]())
        let record: @Sendable (Result<Void, StorageError>) -> Void = { result in
            if case .failure(let error) = result { codes.withLock { $0.append(error.code) } }
        }
        storage.commit([Self.turn(1)], completion: record)
        storage.run({ _ in }, completion: record)
        #expect(codes.withLock { $0 } == [.closed, .closed])
    }
}
