import Foundation
import Testing

/// Nodes in processes of their own on free ports, which go away with the fixture.
final class TestNode: Sendable {
    /// Where the nodes take clients.
    let urls: [String]
    private let folder: String
    private let port = Int.random(in: 1500...3199) * 10

    /// Where the first node takes clients.
    var url: String { urls[0] }

    init(count: Int = 1) throws {
        folder =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-sdk-\(UUID().uuidString)").path
        let first = port
        urls = (0..<count).map { "tcp://127.0.0.1:\(first + 10 * $0)" }
        try run("up", "--nodes", "\(count)", "--base-port", "\(port)", "--detach")
    }

    deinit {
        try? run("down")
        try? FileManager.default.removeItem(atPath: folder)
    }

    func kill(_ name: String = "n1") throws { try run("kill", name) }
    func start(_ name: String = "n1") throws { try run("start", name) }

    /// Runs a verb of `hearth cluster`, which must succeed.
    private func run(_ words: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("hearth")
        process.arguments = ["cluster"] + words + ["--dir", folder]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "hearth cluster \(words)")
    }
}
