import Foundation
import Testing

/// Nodes in processes of their own on free ports, which go away with the fixture.
final class TestNode: Sendable {
    /// The addresses of the nodes for clients.
    let urls: [String]
    private let folder: String

    /// The address of the first node for clients.
    var url: String { urls[0] }

    init(count: Int = 1) throws {
        let folder =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-sdk-\(UUID().uuidString)").path
        var first = 0
        NodeLogs.add(folder)
        var status = ExitCode(1)
        // Another program may have the ports that were drawn.
        for _ in 0..<10 where status != 0 {
            first = Int.random(in: 2400...3190) * 10
            status = try TestNode.run(
                "up", "--nodes", "\(count)", "--base-port", "\(first)", "--detach", "--dir", folder)
        }
        try #require(status == 0)
        self.folder = folder
        let port = first
        urls = (0..<count).map { "http://127.0.0.1:\(port + 10 * $0)" }
    }

    deinit {
        _ = try? TestNode.run("down", "--dir", folder)
        try? FileManager.default.removeItem(atPath: folder)
    }

    func kill(_ name: String = "n1") throws { try run("kill", name) }
    func start(_ name: String = "n1") throws { try run("start", name) }

    /// Runs a verb of `hearth cluster`, which must succeed.
    private func run(_ words: String...) throws {
        let status = try TestNode.run(words + ["--dir", folder])
        try #require(status == 0, "hearth cluster \(words)")
    }

    /// Runs a verb of `hearth database`, which must succeed.
    func database(_ words: String...) throws {
        let status = try TestNode.run(words + ["--dir", folder], of: "database")
        try #require(status == 0, "hearth database \(words)")
    }

    private static func run(_ words: String...) throws -> ExitCode { try run(words) }

    private static func run(
        _ words: [String], of group: String = "cluster"
    ) throws -> ExitCode {
        let errors = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-sdk-\(UUID().uuidString).errors")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: errors) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("hearth")
        process.arguments = [group] + words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        return ExitCode(process.terminationStatus, errors: text)
    }
}
