import Foundation
import Testing

@testable import CommandLineKit

/// Files that commands write.
@Suite final class OutputFileTests {
    private let folder = NSTemporaryDirectory() + "/hearth-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func file(_ name: String) -> String { folder + "/" + name }

    private func write(_ text: String, to file: OutputFile) throws {
        try file.write(Array(text.utf8))
        try file.finish()
    }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
    }

    @Test func `a private file replaces one that others can read`() throws {
        try "old".write(toFile: file("a"), atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: file("a"))
        try write("new", to: OutputFile(private: file("a")))
        #expect(try mode("a") == 0o600)
        #expect(try String(contentsOfFile: file("a"), encoding: .utf8) == "new")
    }

    @Test func `a private file follows no link`() throws {
        try "other".write(toFile: file("target"), atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: file("link"), withDestinationPath: file("target"))
        let link = file("link")
        let error = #expect(throws: CommandError.self) { try OutputFile(private: link) }
        #expect(error?.problem == "\(file("link")) is a symbolic link")
        #expect(try String(contentsOfFile: file("target"), encoding: .utf8) == "other")
        // A link in place of the temporary file is replaced.
        try FileManager.default.createSymbolicLink(
            atPath: file("b.part-\(getpid())"), withDestinationPath: file("target"))
        try write("new", to: OutputFile(private: file("b")))
        #expect(try String(contentsOfFile: file("target"), encoding: .utf8) == "other")
        #expect(try mode("b") == 0o600)
        // Other outputs go where a link leads.
        try write("new", to: OutputFile(file("link")))
        #expect(try String(contentsOfFile: file("target"), encoding: .utf8) == "new")
    }
}
