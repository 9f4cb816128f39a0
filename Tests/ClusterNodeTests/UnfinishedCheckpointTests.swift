import EventLoop
import Foundation
import NodeStorage
import ReplicaCore
import Storage
import Store
import Testing

@testable import ClusterConfiguration
@testable import ClusterNode

/// A node that was killed while it wrote a checkpoint.
@Suite(.timeLimit(.minutes(1))) struct `An unfinished checkpoint` {
    private let folder: TemporaryFolder
    private let recovery: Recovery
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        let member = NodeConfiguration.Member(
            id: "n1", client: "http://127.0.0.1:1", requests: "tcp://127.0.0.1:2",
            updates: "tcp://127.0.0.1:3")
        recovery = Recovery(
            configuration: NodeConfiguration(
                cluster: "test", durability: .commit, directory: folder.path, nodes: [member]),
            member: "n1", log: NodeLog(member: "n1", settings: LogSettings()))
        path = try #require(recovery.databasePath)
        try FileManager.default.createDirectory(
            atPath: folder.file("n1"), withIntermediateDirectories: true)
        try SQLiteTables(path: path).transaction(.now) { tables throws(StorageError) in
            for (number, bytes) in [(1, [7]), (2, [8])] as [(UInt64, [UInt8])] {
                try tables.insert(StoredRow(number: number, bytes: bytes), into: .row)
            }
        }
    }

    private func rows() throws -> [[UInt8]] {
        try SQLiteTables(path: path).rows(in: .row, of: 0, 0...(.max), byteLimit: .max).map(\.bytes)
    }

    @Test func `needs no room for a start`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let recovered = try recovery.recovered()
        let (replica, journal) = (recovered.replica, Journal(recovered, durability: .commit))
        #expect(replica.value.isNull)
        let loop = try Loop()
        journal.open(on: loop) { _ in }
        journal.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func `goes when the next one begins`() throws {
        let recovered = try recovery.recovered()
        let (replica, journal) = (recovered.replica, Journal(recovered, durability: .commit))
        let loop = try Loop()
        var isDone = false
        journal.open(on: loop) { event in
            if case .done(.storeReplied(.checkpointed)) = event { isDone = true }
            loop.stop()
        }
        journal.execute(.writeCheckpoint(replica.checkpoint))
        loop.run()
        journal.close()
        #expect(isDone)
        #expect(try !rows().contains([7]) && !rows().contains([8]))
    }
}
