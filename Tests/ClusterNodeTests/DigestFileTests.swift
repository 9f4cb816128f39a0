import DataTree
import Foundation
import Testing

@testable import ClusterNode

/// The digest beside the file of a sleeping database.
@Suite struct DigestFileTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("digest-\(UUID().uuidString)")
    private var database: String { folder.appendingPathComponent("log.sqlite").path }

    private let whole = DigestFile.Digests(operations: .max, tree: TreeDigest(.max, 1))

    private func write(_ text: String, to path: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test func `a digest counts until the database changes, is replaced or is open`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = DigestFile(of: database)
        #expect(file.read() == nil)
        try write("data", to: database)
        file.write(whole)
        #expect(file.read() == whole)
        try write("", to: database + "-wal")
        #expect(file.read() == nil)
        try FileManager.default.removeItem(atPath: database + "-wal")
        #expect(file.read() == whole)
        try write("more data", to: database)
        #expect(file.read() == nil)
    }

    @Test func `a copy of a database has no digest`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = DigestFile(of: database)
        try write("data", to: database)
        file.write(whole)
        try FileManager.default.moveItem(atPath: database, toPath: database + ".old")
        try FileManager.default.copyItem(atPath: database + ".old", toPath: database)
        #expect(file.read() == nil)
    }

    @Test func `a torn digest is none`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = DigestFile(of: database)
        try write("data", to: database)
        file.write(.init(operations: 12_345, tree: TreeDigest(6, 7)))
        let text = try String(contentsOfFile: database + "-digest", encoding: .utf8)
        for count in 0..<text.utf8.count {
            try write(String(text.prefix(count)), to: database + "-digest")
            #expect(file.read() == nil)
        }
    }

    @Test func `a file of an earlier version has no digest of the tree`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = DigestFile(of: database)
        try write("data", to: database)
        file.write(.init(operations: 7, tree: nil))
        let text = try String(contentsOfFile: database + "-digest", encoding: .utf8)
        #expect(text.hasPrefix("7 "))
        #expect(file.read() == .init(operations: 7, tree: nil))
    }
}
