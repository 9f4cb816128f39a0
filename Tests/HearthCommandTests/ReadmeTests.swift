import Foundation
import Testing

/// Runs what the README tells a newcomer to run.
@Suite(.serialized) struct ReadmeTests {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The commands between ```sh fences, in order.
    static var commands: [String] {
        get throws {
            let readme = try String(
                contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
            var isInside = false
            return readme.split(separator: "\n").compactMap { line in
                if line.hasPrefix("```") {
                    isInside = line == "```sh"
                    return nil
                }
                return isInside ? String(line) : nil
            }
        }
    }

    @Test func `code comes before line 20`() throws {
        let readme = try String(
            contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        let first = readme.components(separatedBy: "\n").firstIndex { $0.hasPrefix("```") }
        #expect((first ?? 99) < 19)
    }

    @Test(.timeLimit(.minutes(10)))
    func `every command succeeds, one after the other`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-readme-\(ProcessInfo.processInfo.processIdentifier)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let port = 20_000 + Int(ProcessInfo.processInfo.processIdentifier) % 400 * 100
        let script = try Self.commands.joined(separator: "\n")
            .replacingOccurrences(of: "/tmp/hearth-readme", with: folder.path)
            .replacingOccurrences(of: "7001", with: String(port + 1))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-euo", "pipefail", "-c", script]
        process.currentDirectoryURL = Self.root
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text.suffix(4000))")
        #expect(text.contains("\"text\": \"hello\""))
        #expect(text.contains("child_added"))
    }
}
