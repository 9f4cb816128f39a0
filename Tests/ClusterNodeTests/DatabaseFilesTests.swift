import Foundation
import Testing

@testable import ClusterNode

@Suite struct `Files of a database` {
    private let folder: TemporaryFolder
    private var path: String { folder.file("n1/log.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("n1"), withIntermediateDirectories: true)
        try write("n1/log.sqlite")
    }

    private func write(_ name: String) throws {
        try Data([1]).write(to: URL(fileURLWithPath: folder.file(name)))
    }

    private func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(
            atPath: folder.file(name), toPath: folder.file(other))
    }

    @Test func `are missing while their folder is elsewhere`() throws {
        var files = DatabaseFiles(of: path)
        #expect(files.problem() == nil)
        try move("n1", to: "away")
        #expect(
            files.problem()?.problem.hasPrefix("\(path) was deleted, moved or replaced") == true)
        try move("away", to: "n1")
        #expect(files.problem() == nil)
    }

    @Test func `are missing if others have their names`() throws {
        var files = DatabaseFiles(of: path)
        try move("n1/log.sqlite", to: "n1/old")
        try write("n1/log.sqlite")
        #expect(files.problem() != nil)
    }

    @Test func `include the write-ahead log, once it is there`() throws {
        var files = DatabaseFiles(of: path)
        #expect(files.problem() == nil)
        try write("n1/log.sqlite-wal")
        #expect(files.problem() == nil)
        try FileManager.default.removeItem(atPath: path + "-wal")
        #expect(files.problem()?.problem.hasPrefix(path + "-wal was deleted") == true)
    }

    @Test func `are none in memory`() {
        var files = DatabaseFiles(of: nil)
        #expect(files.problem() == nil)
    }
}
