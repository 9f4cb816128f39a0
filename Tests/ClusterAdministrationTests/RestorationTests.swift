import CommandLineKit
import Foundation
import JSONText
import NodeStorage
import Storage
import Store
import SyncProtocol
import Testing

@testable import ClusterAdministration

/// The replacement of the databases of a stopped node by those of backups.
@Suite struct RestorationTests {
    private static let chat = DatabaseName("chat")!
    private let folder: TemporaryFolder
    private var node: String { folder.path + "/n1" }

    init() throws {
        folder = try TemporaryFolder()
        try Self.makeDatabase(folder.path + "/n1", writer: 1)
    }

    /// Makes the files of a database with an operation of a writer.
    private static func makeDatabase(_ folder: String, writer: UInt64) throws {
        try Storage.makeFolder(folder)
        let tables = try SQLiteTables(path: folder + "/log.sqlite")
        try tables.transaction(.now) { tables throws(StorageError) in
            try tables.insert(StoredRow(owner: writer, number: 1, bytes: [0]), into: .batch)
            try tables.setProperty(Property.Name.vote.rawValue, [1])
        }
    }

    /// Makes a backup with databases, each with an operation of a writer.
    private func backup(
        _ name: String, node: String = "n1", cluster: String = "demo",
        _ writers: [DatabaseName: UInt64], others: [DatabaseName: DatabasePlacement] = [:]
    ) throws -> String {
        let path = "\(folder.path)/\(name).tar"
        let manifest = BackupManifest(
            cluster: cluster, node: node, milliseconds: 0,
            databases: writers.mapValues { _ in .init(isCopied: true) }
                .merging(others.mapValues { .init(isCopied: false, placement: $0) }) { $1 })
        let file = try BackupArchiveFile(
            at: path, unfinishedAt: path + ".part",
            manifest: Array(JSONWriter.text(of: manifest.value).utf8), seconds: 0)
        for (database, writer) in writers.sorted(by: { $0.key < $1.key }) {
            let copy = "\(folder.path)/copies/\(name)-\(database)"
            try Self.makeDatabase(copy, writer: writer)
            try file.append(copyAt: copy + "/log.sqlite", of: database.text)
        }
        try file.finish()
        return path
    }

    private func restore(
        _ paths: [String], _ change: (inout Restoration.Choices) -> Void = { _ in }
    ) throws(CommandError) -> [DatabaseName] {
        var file = ClusterFile(nodeCount: 3, basePort: 9000, durability: "commit")
        file.cluster = "demo"
        var choices = Restoration.Choices()
        change(&choices)
        var backups: [BackupFile] = []
        for path in paths { backups.append(try BackupFile(path)) }
        let target = Restoration.Target(id: "n1", folder: node, cluster: file)
        return try Restoration(of: target, from: backups, choices).run()
    }

    /// The writers of a database of the node, and whether it has the mark of an older disk.
    private func state(of name: DatabaseName = .default) throws -> (
        writers: [UInt64], isMarked: Bool
    ) {
        let folder = node + (name.isDefault ? "" : "/databases/\(name)")
        let tables = try SQLiteTables(path: folder + "/log.sqlite")
        let mark = try tables.property(Property.Name.diskLoss.rawValue)
        return (try tables.owners(in: .batch), mark == Property.lossOfLatestDisk.bytes)
    }

    @Test func `all databases of a backup are restored and marked, and the old files stay`() throws
    {
        let path = try backup("a", [.default: 1, Self.chat: 2])
        #expect(try restore([path]) == [Self.chat, .default])
        #expect(try state() == ([1], true))
        #expect(try state(of: Self.chat) == ([2], true))
        let entries = try FileManager.default.contentsOfDirectory(atPath: node)
        #expect(entries.contains { $0.hasPrefix("log.sqlite.before-restore-") })
        #expect(!entries.contains { $0.contains("restored") })
    }

    @Test func `the copy of another node brings its data, and not its votes`() throws {
        let vote = Property.Name.vote.rawValue
        func stored() throws -> [UInt8]? {
            try SQLiteTables(path: node + "/log.sqlite").property(vote)
        }
        _ = try restore([try backup("own", [.default: 1])])
        #expect(try stored() == [1])
        _ = try restore([try backup("other", node: "n2", [.default: 1])])
        #expect(try stored() == [])
        #expect(try state() == ([1], true))
    }

    @Test func `one file of version 0.4.0 is restored as the named database`() throws {
        let copy = folder.path + "/copies/old"
        try Self.makeDatabase(copy, writer: 1)
        #expect(try restore([copy + "/log.sqlite"]) == [.default])
        try Self.makeDatabase(copy + "2", writer: 5)
        let names = try restore([copy + "2/log.sqlite"]) { $0.database = Self.chat }
        #expect(names == [Self.chat])
        #expect(try state(of: Self.chat) == ([5], true))
    }

    @Test func `the backup of another cluster or database is refused, unless it is new`() throws {
        let foreign = try backup("foreign", cluster: "other", [.default: 1])
        #expect(throws: CommandError.self) { try restore([foreign]) }
        // The name of the cluster may be the same.
        let stranger = try backup("stranger", [.default: 9])
        let error = #expect(throws: CommandError.self) { try restore([stranger]) }
        #expect(error?.problem.contains("they share no operations") == true)
        let one = folder.path + "/copies/stranger-default/log.sqlite"
        #expect(throws: CommandError.self) { try restore([one]) }
        #expect(try state() == ([1], false))
        #expect(try restore([foreign]) { $0.isAsNew = true } == [.default])
        #expect(try restore([stranger]) { $0.isAsNew = true } == [.default])
        #expect(try state() == ([9], true))
    }

    @Test func `a backup that is cut off or damaged changes nothing`() throws {
        let path = try backup("a", [.default: 1, Self.chat: 2])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for count in [0, 10, 600, 5_000, bytes.count - 1_024] {
            let part = folder.path + "/part.tar"
            try bytes.prefix(count).write(to: URL(fileURLWithPath: part))
            #expect(throws: CommandError.self) { try restore([part]) }
        }
        #expect(try state() == ([1], false))
        #expect(!FileManager.default.fileExists(atPath: node + "/log.sqlite.restored"))
    }

    @Test func `the whole cluster returns with all databases, or names those that it would lose`()
        throws
    {
        let placement = DatabasePlacement(epoch: 1, nodes: ["n2", "n3"])
        let first = try backup("first", [.default: 1], others: [Self.chat: placement])
        try Self.makeDatabase(node + "/databases/later", writer: 4)
        let error = #expect(throws: CommandError.self) {
            try restore([first]) { $0.isWholeCluster = true }
        }
        #expect(
            error?.problem.hasSuffix("chat (on n2, n3), later") == true,
            "\(String(describing: error))")
        #expect(try state() == ([1], false))
        let second = try backup("second", node: "n2", [.default: 2, Self.chat: 3])
        let names = try restore([second, first]) {
            $0.isWholeCluster = true
            $0.omitted = [DatabaseName("later")!]
        }
        // The node holds no copy of a database of others, and takes its own copy of each of its own.
        #expect(names == [.default])
        #expect(try state() == ([1], true))
        #expect(!FileManager.default.fileExists(atPath: node + "/databases/later"))
        let aside = try FileManager.default.contentsOfDirectory(atPath: node)
            .filter { $0.hasPrefix("before-restore-") }
        #expect(aside.count == 1)
        #expect(
            FileManager.default.fileExists(
                atPath: "\(node)/\(aside[0])/databases/later/log.sqlite"))
    }

    @Test func `a cluster that was set up anew gets the databases of its nodes`() throws {
        try FileManager.default.removeItem(atPath: node)
        let gone = DatabasePlacement(epoch: 2, nodes: ["n8"])
        let lost = try backup("b", node: "n2", [.default: 1], others: [Self.chat: gone])
        #expect(throws: CommandError.self) { try restore([lost]) { $0.isWholeCluster = true } }
        let whole = try backup("c", node: "n2", [.default: 1, Self.chat: 2])
        #expect(try restore([whole]) { $0.isWholeCluster = true } == [Self.chat, .default])
        #expect(try state(of: Self.chat) == ([2], true))
    }
}
