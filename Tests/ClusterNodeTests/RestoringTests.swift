import EventLoop
import Foundation
import ReplicaCore
import Storage
import Testing

@testable import ClusterConfiguration
@testable import ClusterNode

/// A node that was killed while it wrote a checkpoint.
@Suite(.timeLimit(.minutes(1))) struct `An unfinished checkpoint` {
    private let folder: TemporaryFolder
    private let restoring: Restoring
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        let member = NodeConfiguration.Member(
            id: "n1", client: "tcp://127.0.0.1:1", requests: "tcp://127.0.0.1:2",
            updates: "tcp://127.0.0.1:3")
        restoring = Restoring(
            configuration: NodeConfiguration(
                cluster: "test", durability: .commit, directory: folder.path, nodes: [member]),
            member: "n1", log: NodeLog(member: "n1"))
        path = try #require(restoring.databasePath)
        try FileManager.default.createDirectory(
            atPath: folder.file("n1"), withIntermediateDirectories: true)
        try LogFile(path: path).insert([StoredRow(id: 1, bytes: [7]), StoredRow(id: 2, bytes: [8])])
    }

    private func rows() throws -> [[UInt8]] {
        var rows: [[UInt8]] = []
        try LogFile(path: path).forEachRow(through: .max) { _, bytes in rows.append(Array(bytes)) }
        return rows
    }

    @Test func `needs no room for a start`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let (replica, journal) = try restoring.restored()
        #expect(replica.value.isNull)
        let loop = try Loop()
        journal.open(on: loop) { _ in }
        journal.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func `goes when the next one begins`() throws {
        let (replica, journal) = try restoring.restored()
        let loop = try Loop()
        var isDone = false
        journal.open(on: loop) { event in
            if case .done(.checkpointed) = event { isDone = true }
            loop.stop()
        }
        journal.write(replica.checkpoint)
        loop.run()
        journal.close()
        #expect(isDone)
        #expect(try !rows().contains([7]) && !rows().contains([8]))
    }
}
