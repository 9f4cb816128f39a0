import Foundation
import Storage
import Testing

@testable import NodeStorage

@Suite struct `The archive of a backup` {
    private typealias Part = BackupArchiveReader.Part

    /// An archive with a manifest and two databases.
    private static let archive: [UInt8] =
        BackupArchive.firstEntry(Array("{}".utf8), seconds: 1)
        + BackupArchive.head(of: "a.sqlite", byteCount: 512, seconds: 1)
        + [UInt8](repeating: 7, count: 512)
        + BackupArchive.head(of: "b.sqlite", byteCount: 0, seconds: 1) + BackupArchive.end

    /// The parts of an archive that arrives in pieces, with the content of each entry together.
    private static func parts(
        of bytes: [UInt8], inPiecesOf count: Int
    ) -> (parts: [Part], problem: String?, hasEnded: Bool) {
        var reader = BackupArchiveReader()
        var parts: [Part] = []
        var content: [UInt8] = []
        var problem: String?
        for start in stride(from: 0, to: bytes.count, by: count) {
            reader.read(Array(bytes[start...].prefix(count))) { part in
                switch part {
                case .failure(let error): problem = error.problem
                case .success(.content(let bytes)): content += bytes
                case .success(let part):
                    if !content.isEmpty { parts.append(.content(content[...])) }
                    content = []
                    parts.append(part)
                }
            }
        }
        return (parts, problem, reader.hasEnded)
    }

    @Test(arguments: [1, 100, 511, 512, 513, 10_000])
    func `is read in any split`(count: Int) {
        let (parts, problem, hasEnded) = Self.parts(of: Self.archive, inPiecesOf: count)
        #expect(
            parts == [
                .entry(name: "manifest.json", byteCount: 2), .content(Array("{}".utf8)[...]),
                .entryEnd, .entry(name: "a.sqlite", byteCount: 512),
                .content([UInt8](repeating: 7, count: 512)[...]), .entryEnd,
                .entry(name: "b.sqlite", byteCount: 0), .entryEnd, .end,
            ])
        #expect(problem == nil && hasEnded)
    }

    @Test(arguments: [0, 1, 512, 1_024, 2_000, 2_560])
    func `is not complete without its end`(count: Int) {
        #expect(!Self.parts(of: Array(Self.archive.prefix(count)), inPiecesOf: 300).hasEnded)
    }

    @Test(arguments: [0, 130, 150, 156, 260])
    func `with a damaged head is refused`(offset: Int) {
        var bytes = Self.archive
        bytes[offset] ^= 1
        #expect(Self.parts(of: bytes, inPiecesOf: 512).problem != nil)
    }

    @Test(arguments: [0, 1, 511, 1 << 33 - 1, 1 << 33, 1 << 40])
    func `has entries of any size`(byteCount: Int) {
        let head = BackupArchive.head(of: "a.sqlite", byteCount: byteCount, seconds: 1)
        #expect(
            Self.parts(of: head, inPiecesOf: 512).parts.first
                == .entry(name: "a.sqlite", byteCount: byteCount))
        #expect((byteCount + BackupArchive.padding(after: byteCount).count) % 512 == 0)
    }

    @Test func `in a file gets its name once it is complete, and replaces none`() throws {
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.log + ".tar", folder.log + ".copy")
        try Data([UInt8](repeating: 7, count: 512)).write(to: URL(fileURLWithPath: copy))
        let file = try BackupArchiveFile(
            at: path, unfinishedAt: folder.log + ".unfinished", manifest: Array("{}".utf8),
            seconds: 1)
        try file.append(copyAt: copy, of: "a")
        #expect(access(path, F_OK) != 0)
        try file.finish()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(Self.parts(of: Array(bytes), inPiecesOf: 512).hasEnded)
        #expect(access(folder.log + ".unfinished", F_OK) != 0)
        #expect(throws: StorageError.self) {
            try BackupArchiveFile(
                at: path, unfinishedAt: folder.log + ".unfinished", manifest: [], seconds: 1)
        }
    }
}
