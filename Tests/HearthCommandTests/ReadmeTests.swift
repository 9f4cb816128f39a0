import Foundation
import Testing

/// The commands of the README succeed.
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

    /// Whether `scripts/hearth` would begin with a build, for which it would wait until the tests end.
    static var isBuilt: Bool {
        let script =
            "root=$PWD; source scripts/lib/build.sh; ! is_stale hearth && ! is_stale hearth-sim"
        return (try? run(script).status) == 0
    }

    /// The program that the commands run: the release build, or the one that was built with the tests.
    private static var program: String { isBuilt ? "scripts/hearth" : Command.program }

    @Test(.timeLimit(.minutes(3)))
    func `every command succeeds, one after the other`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-readme-\(ProcessInfo.processInfo.processIdentifier)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let port = 24_000 + Int(ProcessInfo.processInfo.processIdentifier) % 79 * 100
        let commands = ["trap 'scripts/hearth cluster down &>/dev/null' EXIT"] + (try Self.commands)
        let script = commands.joined(separator: "\n")
            .replacingOccurrences(of: "/tmp/hearth-readme", with: folder.path)
            .replacingOccurrences(of: "7001", with: String(port + 1))
            .replacingOccurrences(of: "scripts/hearth", with: Self.program)
        NodeLogs.add(folder.path)
        // The trap ends the nodes, whose logs stay in the folder.
        let (status, text) = try Self.run(script)
        #expect(status == 0)
        #expect(text.contains("\"text\": \"hello\""))
        #expect(text.contains("child_added"))
        #expect(text.contains("\"text\":\"hi\""))
    }

    /// Runs a script in the package's folder and returns its output together with its errors.
    private static func run(_ script: String) throws -> (status: ExitCode, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-euo", "pipefail", "-c", script]
        process.currentDirectoryURL = root
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        return (ExitCode(process.terminationStatus, output: text), text)
    }
}
