import Foundation
import Testing

@testable import NodeStorage

/// The files of databases that a node keeps aside.
@Suite final class KeptFilesTests {
    // A test without a folder cannot go on.
    private let folder = try! TemporaryFolder()
    private let files = FileManager.default

    deinit { try? files.removeItem(atPath: folder.path) }

    /// A database with one backup, whose files other users may read.
    private func makeDatabase(_ text: String = "data") throws -> String {
        let database = folder.file("databases/my-chat")
        try files.createDirectory(
            atPath: database + "/backups", withIntermediateDirectories: true)
        for name in ["log.sqlite", "log.sqlite-wal", "placement.json", "backups/monday.sqlite"] {
            let attributes = [FileAttributeKey.posixPermissions: 0o644]
            _ = files.createFile(
                atPath: "\(database)/\(name)", contents: Data(text.utf8), attributes: attributes)
        }
        return database
    }

    private func keep(_ database: String) throws -> String? {
        try KeptFiles.keep(
            database, of: "my-chat", epoch: 3, inFolder: folder.path, at: 1_769_860_800)
    }

    @Test func `all files of a database are kept for their owner alone, and backups stay`() throws {
        let database = try makeDatabase()
        let path = try #require(try keep(database))
        #expect(path == folder.file("kept/my-chat-3-20260131T120000Z"))
        #expect(try files.contentsOfDirectory(atPath: database) == ["backups"])
        let all = KeptFiles.all(inFolder: folder.path)
        #expect(all.count == 1 && all[0].name == "my-chat" && all[0].epoch == 3)
        #expect(all[0].bytes == 12 && all[0].path(inFolder: folder.path) == path)
        let file = all[0].databasePath(inFolder: folder.path)
        let mode = try files.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `files of one second have folders of their own`() throws {
        for _ in 0..<2 { #expect(try keep(makeDatabase()) != nil) }
        #expect(
            KeptFiles.all(inFolder: folder.path).map(\.entry)
                == ["my-chat-3-20260131T120000Z", "my-chat-3-20260131T120001Z"])
    }

    @Test func `a folder with backups alone is not kept`() throws {
        let database = try makeDatabase()
        _ = try keep(database)
        #expect(try keep(database) == nil)
    }

    @Test func `they can be deleted`() throws {
        _ = try keep(makeDatabase())
        try KeptFiles.all(inFolder: folder.path)[0].delete(inFolder: folder.path)
        #expect(KeptFiles.all(inFolder: folder.path) == [])
        #expect(try files.contentsOfDirectory(atPath: folder.file("kept")) == [])
    }
}
